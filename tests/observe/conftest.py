"""Snapshots of text are plain files; output is read back from real pipes."""

import os
import threading
from collections.abc import Callable

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from loopctl.observe.line_writer import LineWriter


class TextFile(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def text_snapshot(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(TextFile)


@pytest.fixture
def written() -> Callable[[Callable[[LineWriter], None]], str]:
    """Runs something that writes, and returns all that came out of the pipe."""

    def run(work: Callable[[LineWriter], None]) -> str:
        reading, writing = os.pipe()
        parts: list[bytes] = []
        with os.fdopen(reading, "rb") as source:
            reader = threading.Thread(target=lambda: parts.append(source.read()))
            reader.start()
            writer = LineWriter(writing)
            try:
                work(writer)
            finally:
                writer.close()
                os.close(writing)
                reader.join()
        return parts[0].decode()

    return run
