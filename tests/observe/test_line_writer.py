"""Whoever writes is never held up, whatever happens at the other end."""

import contextlib
import fcntl
import os

import pytest

from loopctl.observe.line_writer import LineWriter


@pytest.fixture
def pipe():
    reading, writing = os.pipe()
    yield reading, writing
    for descriptor in (reading, writing):
        with contextlib.suppress(OSError):  # a test may have closed it
            os.close(descriptor)


def test_lines_come_out_in_order(written):
    text = written(lambda writer: [writer.write(str(number)) for number in range(1000)])
    assert text.split() == [str(number) for number in range(1000)]


def test_a_full_pipe_holds_nobody_up(pipe):
    reading, writing = pipe
    writer = LineWriter(writing)
    lines = 200  # more than any pipe takes
    for _ in range(lines):
        writer.write(10_000 * "x")
    writer.close(patience_s=0.05)
    got = 0
    while got < lines * 10_001:
        got += len(os.read(reading, 1 << 20))
    writer.close()
    assert got == lines * 10_001


def test_a_reader_that_went_away_is_forgotten(pipe):
    reading, writing = pipe
    os.close(reading)
    writer = LineWriter(writing)
    for _ in range(3):
        writer.write("into the void")
    writer.close()


def test_what_the_encoding_lacks_is_escaped(pipe):
    reading, writing = pipe
    writer = LineWriter(writing, "ascii")
    writer.write("ä 漢 \udcff")
    writer.close()
    assert os.read(reading, 100) == b"\\xe4 \\u6f22 \\udcff\n"


def test_the_descriptor_stays_open(pipe):
    _, writing = pipe
    LineWriter(writing).close()
    assert fcntl.fcntl(writing, fcntl.F_GETFD) >= 0
