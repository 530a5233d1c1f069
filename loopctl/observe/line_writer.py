"""Writing to a pipe or terminal that may be slow, full or gone, without ever waiting for it.

Invariant: ``write`` returns at once and never raises. Lines leave in the order in which they
came; when the reader has gone away, everything that follows is dropped and the loop goes on.
"""

import os
import queue
import threading

PATIENCE_S = 5.0
"""Seconds that ``close`` gives a slow reader."""


class LineWriter:
    """Writes lines to a file descriptor on a thread of its own.

    The descriptor is written to directly, because a thread that is blocked inside a buffered
    stream would keep the interpreter from ending.

    Args:
        descriptor: an open file descriptor, which stays open.
        encoding: what it expects; characters that it lacks are escaped.
    """

    def __init__(self, descriptor: int, encoding: str = "utf-8") -> None:
        self._descriptor = descriptor
        self._encoding = encoding
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="loopctl-output", daemon=True)
        self._thread.start()

    def write(self, line: str) -> None:
        """Write ``line``, without its newline, as soon as the reader lets us."""
        self._lines.put(line)

    def close(self, patience_s: float = PATIENCE_S) -> None:
        """Wait until everything is written, ``patience_s`` seconds at most."""
        self._lines.put(None)
        self._thread.join(patience_s)

    def _work(self) -> None:
        while (line := self._lines.get()) is not None:
            data = f"{line}\n".encode(self._encoding, errors="backslashreplace")
            try:
                while data:
                    data = data[os.write(self._descriptor, data) :]
            except OSError:
                return
