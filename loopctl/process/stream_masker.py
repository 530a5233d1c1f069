"""Masking a stream, although a secret can be split over any two reads of it.

Invariant: what could be the first part of a secret is held back until it is whole: the unfinished
last line, an unfinished key block, and of a line without end the last `CONTEXT` bytes.
"""

from loopctl.process.masking import CONTEXT, Masker, splice


class StreamMasker:
    """Takes a stream in pieces and gives it back masked, as early as is safe.

    Attributes:
        released: how many bytes of the stream were given back, counted before masking.
    """

    def __init__(self, masker: Masker) -> None:
        self._masker = masker
        self._held = bytearray()
        self.released = 0

    def feed(self, chunk: bytes) -> bytes:
        """Takes more of the stream; returns what can be shown by now, masked."""
        self._held += chunk
        cut = self._held.rfind(b"\n") + 1
        if len(self._held) - cut > 2 * CONTEXT:
            cut = len(self._held) - CONTEXT
        return self._release(cut) if cut else b""

    def close(self) -> bytes:
        """The rest of the stream, masked."""
        rest = self._masker.mask_bytes(bytes(self._held))
        self.released += len(self._held)
        self._held.clear()
        return rest

    def _release(self, cut: int) -> bytes:
        """Masks and returns what is held before `cut`, or before a secret that may go on there."""
        held = bytes(self._held)
        spans = self._masker.spans(held)
        for span in spans:
            if span.start < cut <= span.end:
                cut = span.start
        del self._held[:cut]
        self.released += cut
        return splice(held, spans, 0, cut)
