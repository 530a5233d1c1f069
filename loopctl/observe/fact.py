"""A line of the event log as the typed fact that it was written from.

Invariant: a line that does not fit its type (written by another version of loopctl) is never
guessed at; whoever shows it shows it as it is stored.
"""

from typing import get_args

from pydantic import ValidationError

from loopctl.domain.events import AnyEvent
from loopctl.domain.records import (
    BaselineNotice,
    CapApproached,
    CapChanged,
    CheckoutLacks,
    ConcernRecorded,
    EventRefused,
    HandoffNudged,
    HandoffResolved,
    HardeningTried,
    InvalidReport,
    LimitWait,
    LoopEnded,
    ModelFailed,
    RoundClosed,
    SpendUnseen,
    TurnInterrupted,
)
from loopctl.ports import LogEntry

LoggedRecord = (
    RoundClosed
    | CheckoutLacks
    | BaselineNotice
    | HardeningTried
    | InvalidReport
    | EventRefused
    | CapChanged
    | CapApproached
    | HandoffResolved
    | HandoffNudged
    | ConcernRecorded
    | ModelFailed
    | SpendUnseen
    | TurnInterrupted
    | LimitWait
    | LoopEnded
)
Fact = AnyEvent | LoggedRecord
KINDS: dict[str, type[Fact]] = {kind.model_fields["kind"].default: kind for kind in get_args(Fact)}


def fact_of(entry: LogEntry) -> Fact | None:
    """The fact behind ``entry``; ``None`` when it is of an unknown kind or shape."""
    kind = KINDS.get(entry.kind)
    if kind is None:
        return None
    try:
        return kind.model_validate({"kind": entry.kind, **entry.payload})
    except ValidationError:
        return None
