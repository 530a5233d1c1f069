"""Any amount and shape of output, in bounded memory and in a capped, masked, private log."""

import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from loopctl.process.capture import HEAD_BYTES, TAIL_BYTES, Capture
from loopctl.process.exit_status import Exited
from loopctl.process.masking import CONTEXT, Masker

SECRET = "s3cr3t-v4lue-that-must-not-leak"
MASKER = Masker({"API_KEY": SECRET})


def capture(chunks, log=None, **sizes):
    """What is captured of these writes."""
    pump = Capture(log, MASKER, **sizes)
    writer = os.dup(pump.write_end)
    pump.start()
    for chunk in chunks:
        remaining = memoryview(chunk)
        while remaining:
            remaining = remaining[os.write(writer, remaining) :]
    os.close(writer)
    return pump.finish()


def test_memory_is_bounded_for_200_megabytes(bench):
    code = "import os\nfor _ in range(200): os.write(1, (b'x' * 99 + b'\\n') * 10_000)"
    log = bench.folder / "log"
    tracemalloc.start()
    result = bench.run(bench.python(code, log=log))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.exit == Exited(0)
    assert result.output.bytes_total == 200_000_000
    assert result.output.truncated
    assert len(result.output.tail) == TAIL_BYTES
    assert peak < 10_000_000
    assert HEAD_BYTES + TAIL_BYTES - 200 < log.stat().st_size < HEAD_BYTES + TAIL_BYTES + 200


def test_one_line_of_50_megabytes(bench):
    code = "import os\nfor _ in range(50): os.write(1, b'x' * 1_000_000)"
    result = bench.run(bench.python(code, log=bench.folder / "log"))
    assert result.output.bytes_total == 50_000_000
    assert result.output.tail == "x" * TAIL_BYTES


def test_binary_garbage(bench):
    garbage = bytes(range(256)) * 4000
    log = bench.folder / "log"
    result = bench.run(bench.spec("cat", stdin=garbage, log=log))
    assert result.output.bytes_total == len(garbage)
    assert log.read_bytes() == garbage
    assert set(map(ord, result.output.tail)) & set(range(32)) <= {9, 10}


def test_head_and_tail_say_how_much_is_between(tmp_path):
    log = tmp_path / "log"
    lines = [b"%07d\n" % number for number in range(20_000)]
    output = capture(lines, log, head_bytes=800, tail_bytes=1600)
    text = log.read_bytes()
    head, _, rest = text.partition(b"\n[loopctl: ")
    omitted, _, tail = rest.partition(b" bytes left out]\n")
    assert head == b"".join(lines[:100])
    assert tail == b"".join(lines[-200:])
    assert len(head) + int(omitted) + len(tail) == 160_000 == output.bytes_total
    assert output.tail == tail.decode()


@pytest.mark.parametrize("length", [0, 799, 800, 801, 2399, 2400, 2401, 18_000])
def test_head_and_tail_meet_without_a_gap(tmp_path, length):
    log = tmp_path / "log"
    data = bytes(33 + number % 90 for number in range(length))
    output = capture([data], log, head_bytes=800, tail_bytes=1600)
    kept = log.read_bytes()
    if b"left out" not in kept:
        assert kept == data
    else:
        assert length > 1600 + CONTEXT
    assert output.truncated == (length > 1600)
    assert output.tail == data[-1600:].decode()


def test_a_secret_at_any_cut_never_leaks(tmp_path):
    """The secret lies across the end of the head, and across the start of the tail."""
    secret = SECRET.encode()
    for shift in range(-len(secret) - 2, 3):
        log = tmp_path / f"log{shift}"
        at_head = b"h" * (800 + shift) + secret
        at_tail = secret + b"t" * (1600 + shift)
        middle = b"m" * (3 * CONTEXT)
        output = capture([at_head, middle, at_tail], log, head_bytes=800, tail_bytes=1600)
        stored = log.read_bytes() + output.tail.encode()
        for size in (4, len(secret)):
            pieces = {secret[i : i + size] for i in range(len(secret) - size + 1)}
            assert not [piece for piece in pieces if piece in stored]


def test_a_secret_split_over_writes_never_leaks(bench):
    code = """
import os, sys, time
for letter in sys.argv[1] * 3 + chr(10):
    os.write(1, letter.encode()); time.sleep(0.001)
"""
    log = bench.folder / "log"
    result = bench.run(bench.python(code, SECRET, log=log), masker=MASKER)
    assert log.read_text() == "[masked:API_KEY]" * 3 + "\n" == result.output.tail


def test_a_secret_cut_by_escapes_is_masked_in_the_tail():
    data = SECRET[:9].encode() + b"\x1b[0m" + SECRET[9:].encode()
    assert capture([data]).tail == "[masked:API_KEY]"


def test_the_log_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        capture([b"x"], tmp_path / "log")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_a_log_is_never_written_through_a_link(tmp_path):
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "log").symlink_to(target)
    output = capture([b"x"], tmp_path / "log")
    assert output.log_error
    assert target.read_text() == "mine"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_disturbs_neither_program_nor_capture(bench):
    spec = bench.python("print('x' * 8_000_000); print('end')", log=Path("/dev/full"))
    result = bench.run(spec)
    assert result.exit == Exited(0)
    assert "No space left" in result.output.log_error
    assert result.output.tail.endswith("x\nend\n")


def test_a_log_in_a_missing_folder_is_an_error_of_the_log_alone(tmp_path):
    output = capture([b"hello"], tmp_path / "missing" / "log")
    assert "No such file" in output.log_error
    assert output.tail == "hello"


def test_a_character_cut_by_the_tail_is_dropped():
    data = "ä".encode() * 1000
    assert capture([data], tail_bytes=101).tail == "ä" * 50
