"""A fence around text that is not ours, so that a reader can tell where it begins and ends.

Invariant: the marker in the fence's two lines does not occur in the fenced text, whoever wrote
it, and the same text always has the same marker; where a reader has to know the marker in advance,
it is a random one.
"""

import hashlib
from itertools import count

MARKER_DIGITS = 16


def fence(label: str, text: str) -> str:
    """Put ``text``, which is not changed, between a line BEGIN and a line END.

    Args:
        label: what the text is, in one word.
        text: anything.
    """
    return fence_with(_marker(text), label, text)


def fence_with(marker: str, label: str, text: str) -> str:
    """Put ``text`` between the lines of a fence with a marker that its writer could not know."""
    return f"BEGIN {label} {marker}\n{text}\nEND {label} {marker}"


def _marker(text: str) -> str:
    """A digest of the text; of a variation of it, should the text contain the digest."""
    digests = (_digest(f"{attempt} {text}") for attempt in count())
    return next(digest for digest in digests if digest not in text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()[:MARKER_DIGITS]
