"""Capturing a stream of any amount and shape in bounded memory.

A thread reads our own pipe (asyncio's readers fail on long lines and cost three times as much).
Only the tail is in memory; the log file gets the head and the tail.

Invariant: the program is never blocked by its log, and the end of the capture never waits for
the end of the stream: a foreign process may hold the pipe for ever.
"""

import os
import select
import threading
from dataclasses import dataclass
from pathlib import Path

from loopctl.process.log_file import LogFile
from loopctl.process.masking import CONTEXT, Masker
from loopctl.process.text import plain_text

HEAD_BYTES = 4 * 1024 * 1024
TAIL_BYTES = 256 * 1024
_READ_BYTES = 256 * 1024
_SHORT_BYTES = 16 * 1024
_PIPE_BYTES = 1024 * 1024
"""The most that a pipe holds: what was written before the end is in there."""


@dataclass(frozen=True, slots=True)
class CapturedOutput:
    """What is known of one stream.

    Attributes:
        log: the file that was asked for.
        bytes_total: how much the program wrote.
        truncated: whether `tail` is not all of it.
        tail: the last 256 KiB at most, masked, as plain text.
        log_error: why the log is incomplete, None when it is not.
    """

    log: Path | None
    bytes_total: int
    truncated: bool
    tail: str
    log_error: str | None


class Capture:
    """One pipe, read by one thread from `start` to `finish`.

    Attributes:
        write_end: the descriptor for the program; `start` closes our copy of it.
    """

    def __init__(
        self,
        log: Path | None,
        masker: Masker,
        *,
        head_bytes: int = HEAD_BYTES,
        tail_bytes: int = TAIL_BYTES,
    ) -> None:
        self._path = log
        self._log = LogFile(log, masker, head_bytes)
        self._masker = masker
        self._tail_bytes = tail_bytes
        self._ring = bytearray()
        self._total = 0
        self._read_end, self.write_end = os.pipe()
        self._finished, self._finish = os.pipe()
        os.set_blocking(self._read_end, False)
        self._thread = threading.Thread(target=self._pump, name="loopctl-capture", daemon=True)

    def start(self) -> None:
        """Begins to read; the program has its own copy of the write end by now."""
        os.close(self.write_end)
        self._thread.start()

    @property
    def is_short(self) -> bool:
        """Whether `finish` will hardly block, from what was read so far."""
        return self._total <= _SHORT_BYTES

    def finish(self) -> CapturedOutput:
        """Takes what is in the pipe and closes everything; blocks for the time of masking it."""
        os.close(self._finish)
        self._thread.join()
        os.close(self._read_end)
        os.close(self._finished)
        tail = self._last(self._tail_bytes + CONTEXT)
        start = max(0, len(tail) - self._tail_bytes)
        self._log.close(tail, start)
        return CapturedOutput(
            log=self._path,
            bytes_total=self._total,
            truncated=self._total > self._tail_bytes,
            tail=self._readable(self._masker.mask_bytes(tail, start)),
            log_error=self._log.error,
        )

    def _readable(self, tail: bytes) -> str:
        """The tail as text; masked again, for a secret that escape sequences had cut in pieces."""
        if self._total > self._tail_bytes:
            tail = tail.lstrip(bytes(range(0x80, 0xC0)))  # the rest of a character that was cut
        return self._masker.mask(plain_text(tail))

    def _pump(self) -> None:
        """Reads until end of file, or until `finish` and the pipe is empty."""
        poller = select.poll()
        poller.register(self._read_end, select.POLLIN)
        poller.register(self._finished, select.POLLIN)
        finishing = False
        allowance = _PIPE_BYTES
        while allowance > 0:
            if not finishing:
                finishing = self._finished in [fd for fd, _ in poller.poll()]
            try:
                chunk = os.read(self._read_end, _READ_BYTES)
            except BlockingIOError:
                if finishing:
                    return
                continue
            if not chunk:
                return
            if finishing:
                allowance -= len(chunk)
            self._take(chunk)

    def _take(self, chunk: bytes) -> None:
        self._total += len(chunk)
        self._log.feed(chunk)
        self._ring += chunk
        kept = self._tail_bytes + CONTEXT
        if len(self._ring) > 2 * kept:
            del self._ring[:-kept]

    def _last(self, size: int) -> bytes:
        return bytes(self._ring[-size:])
