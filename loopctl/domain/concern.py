"""Is the goal still right? Raised by an agent or by a heuristic, never by a verdict.

Invariant: the same concern within half a minute is one concern, and the heuristic raises one at
most once in the life of a loop.
"""

import hashlib
from enum import StrEnum

from loopctl.domain.value import Value

SAME_WITHIN_S = 30.0


class Severity(StrEnum):
    """How much it matters, in the eyes of whoever raises it."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class OnConcern(StrEnum):
    """What a concern does to a loop."""

    STOP = "stop"
    NOTIFY_CONTINUE = "notify-continue"
    IGNORE = "ignore"


class RaisedConcern(Value):
    """A concern that was raised lately: its digest, and when (Unix seconds)."""

    digest: str
    at: float


def concern_digest(concern: str) -> str:
    """A digest of the text that does not depend on its spacing or its case."""
    return hashlib.sha256(" ".join(concern.split()).casefold().encode()).hexdigest()[:16]
