"""What is written and shown: the store as a driver sees it, and who watches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.events import AnyEvent
from loopctl.domain.loop import LoopState
from loopctl.domain.round_context import PreviousRound, RoundSummary
from loopctl.ports.tooling import Activity


@dataclass(frozen=True)
class LogEntry:
    """One line of a loop's event log.

    Attributes:
        seq: counted from 1 within the loop.
        at: Unix time, seconds.
        round: the round it belongs to, 0 for none.
        kind: name of the event or record.
        payload: its fields, JSON-compatible.
    """

    seq: int
    at: float
    round: int
    kind: str
    payload: Mapping[str, Any]


@dataclass(frozen=True)
class Command:
    """A user's wish that waits for the live driver."""

    id: str
    kind: str
    by: str


class Journal(Protocol):
    """The store, as the driver of one loop sees it. Every write is fenced by its epoch."""

    async def commit(self, event: AnyEvent, decision: Decision) -> tuple[LogEntry, ...]:
        """Write one decision in one transaction; return what the log gained.

        Raises:
            LeaseLostError: another driver has taken the loop over; nothing was written.
            StoreError: the database refused; nothing was written.
        """
        ...

    async def verdicts(
        self, tree: str, evaluators: tuple[EvaluatorSpec, ...]
    ) -> tuple[EvaluatorReport, ...]:
        """The newest PASS or FAIL report of each evaluator on this very tree, if any."""
        ...

    async def previous_round(self) -> PreviousRound | None:
        """The last judged round, or the baseline, with its whole evidence."""
        ...

    async def recent_rounds(self, count: int) -> tuple[RoundSummary, ...]:
        """The last ``count`` rounds, oldest first."""
        ...

    async def pending_commands(self) -> tuple[Command, ...]:
        """Commands that users have left and that were not answered yet."""
        ...

    async def beat(self) -> None:
        """Say that the driver is alive.

        Raises:
            LeaseLostError: another driver has taken the loop over.
        """
        ...


class Observer(Protocol):
    """Sees everything that was committed, after it was."""

    def observe(self, entry: LogEntry, state: LoopState) -> None:
        """Show or pass on one entry. Must not raise and must not block."""
        ...


@runtime_checkable
class ActivityObserver(Protocol):
    """Sees what agent sessions do while they do it; an observer may be one as well."""

    def show(self, activity: Activity) -> None:
        """Show or pass on one activity. Must not raise and must not block."""
        ...
