"""The log of one stream: its head as it comes, its tail at the end, masked, capped in size.

Invariant: a log that cannot be written never disturbs the program: the first error is kept in
`error`, and nothing more is written.
"""

import os
from pathlib import Path

from loopctl.process.masking import Masker
from loopctl.process.stream_masker import StreamMasker


class LogFile:
    """One log file of mode 0600.

    Args:
        path: where it goes; None writes nothing.
        masker: what is kept out of it.
        head_bytes: how much of the stream is written as it comes.
    """

    def __init__(self, path: Path | None, masker: Masker, head_bytes: int) -> None:
        self.error: str | None = None
        self._masker = masker
        self._stream = StreamMasker(masker)
        self._head_bytes = head_bytes
        self._seen = 0
        self._descriptor: int | None = None
        if path is not None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
            try:
                self._descriptor = os.open(path, flags, 0o600)
            except OSError as error:
                self.error = str(error)

    def feed(self, chunk: bytes) -> None:
        """Takes the next part of the stream; what is beyond the head is left to `close`."""
        if self._descriptor is not None and self._seen < self._head_bytes:
            self._write(self._stream.feed(chunk[: self._head_bytes - self._seen]))
        self._seen += len(chunk)

    def close(self, tail: bytes, context: int) -> None:
        """Writes what the head lacks and closes the file.

        Args:
            tail: the last bytes of the stream.
            context: how many of them, at the start, are there only for masking.
        """
        if self._seen <= self._head_bytes:
            self._write(self._stream.close())
        else:
            start = self._stream.released - (self._seen - len(tail))
            if start < 0:
                self._write(b"\n[loopctl: %d bytes left out]\n" % (context - start))
                start = context
            self._write(self._masker.mask_bytes(tail, start))
        self._close()

    def _write(self, data: bytes) -> None:
        if self._descriptor is None:
            return
        remaining = memoryview(data)
        try:
            while remaining:
                remaining = remaining[os.write(self._descriptor, remaining) :]
        except OSError as error:
            self.error = str(error)
            self._close()

    def _close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
