"""Every seam of loopctl: what the driver needs from the world, as Protocols.

The first five (agents, evaluators, budget policies, pricing, handoff strategies) can be replaced
by a plug-in. The others have one implementation each; they are here so that the driver depends
on none of them. Implementations report what happened and decide nothing: policy is the
machine's.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from loopctl.domain.agent_session import Role, Survivor, TurnOutcome, TurnResult
from loopctl.domain.budget import Budget, Reservation, Spent
from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.decision import Decision
from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation
from loopctl.domain.events import AnyEvent
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import Assumption, LoopState
from loopctl.domain.round_context import (
    NextRoundSpec,
    PreviousRound,
    RoundContext,
    RoundSummary,
)
from loopctl.domain.snapshot import Published, Snapshot
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import Usage


class StopSignal:
    """Asks a turn to end, and says with which outcome its result is to be labelled."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.outcome = TurnOutcome.ABORTED

    def set(self, outcome: TurnOutcome) -> None:
        """Ask for the end; the first outcome stands."""
        if not self.event.is_set():
            self.outcome = outcome
            self.event.set()


@dataclass(frozen=True)
class SessionRequest:
    """What an agent session is opened with.

    Attributes:
        loop: name of the loop.
        round: number of the round.
        role: what the session is for.
        workspace: the folder to work in.
        log: where the session's output is kept (a file that may exist already).
        environment: variables that the agent receives, complete.
    """

    loop: str
    round: int
    role: Role
    workspace: Path
    log: Path
    environment: Mapping[str, str]


class AgentSession(Protocol):
    """One conversation with an agent."""

    @property
    def id(self) -> str:
        """An identifier that is unique for ever."""
        ...

    async def run_turn(self, prompt: str, stop: StopSignal) -> TurnResult:
        """Send ``prompt`` and wait until the agent is idle or ``stop`` is set.

        Every failure of the agent is a result, not an exception.
        """
        ...

    async def wait_idle(self) -> None:
        """Wait until nothing that belongs to the agent is busy."""
        ...

    async def close(self) -> None:
        """End the conversation; twice is harmless."""
        ...


class AgentRunner(Protocol):
    """A kind of agent. ``reports_cost`` and ``reports_tokens`` say what its turns carry."""

    reports_cost: bool
    reports_tokens: bool

    def check(self) -> None:
        """Raise ``UsageError`` when the agent cannot be used here, before anything starts."""
        ...

    async def open_session(self, request: SessionRequest) -> AgentSession:
        """Begin a conversation.

        Raises:
            LoopctlError: it could not be begun.
        """
        ...


async def _nothing_to_finish() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Checkout:
    """A folder in which an evaluator runs.

    Attributes:
        folder: its working directory.
        tree: object id of the tree it holds.
        isolation: the label that the evidence carries.
        environment: the variables of the evaluator, complete.
        warnings: what the evidence has to mention, such as links that were left out.
        finish: ends what the evaluator has started here, and returns warnings about that.
        reused: earlier evaluations ran in this folder; it was made what a fresh one would be.
        places: folders that have other names in every checkout, by what they are for.
    """

    folder: Path
    tree: str
    isolation: Isolation
    environment: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    finish: Callable[[], Awaitable[tuple[str, ...]]] = _nothing_to_finish
    reused: bool = False
    places: Mapping[str, Path] = field(default_factory=dict)


class Checkouts(Protocol):
    """Makes the places in which evaluators run."""

    def open(
        self, tree: str, isolation: Isolation, workspace: Path, *, fresh: bool = False
    ) -> AbstractAsyncContextManager[Checkout]:
        """A checkout of ``tree`` that nobody can use any more when the context is left.

        Args:
            tree: tree id, the judged one.
            isolation: what kind of place.
            workspace: the loop's worktree.
            fresh: the folder must not have been used before.

        Raises:
            SupplyError: what it is to be supplied with is missing, or its setup failed.
        """
        ...


@dataclass(frozen=True)
class EvaluationRequest:
    """One run of one evaluator.

    Attributes:
        spec: what to run.
        checkout: where to run it.
        attempt: counted from 1.
        timeout_s: seconds after which it is ended.
        baseline_completed: it was seen to complete on the base commit.
        log: the file for its output.
        record: the file that keeps what is known of the base commit's tests; None keeps nothing.
        record_digest: what that file must be; ``""`` when nothing is known of them.
        hardening: how far the run is hardened.
        is_baseline: the checkout holds the base commit, and its tests are to be recorded.
        stop: set when the run is to be given up.
    """

    spec: EvaluatorSpec
    checkout: Checkout
    attempt: int
    timeout_s: float
    baseline_completed: bool
    log: Path
    record: Path | None = None
    record_digest: str = ""
    hardening: Hardening = Hardening.NONE
    is_baseline: bool = False
    stop: asyncio.Event = field(default_factory=asyncio.Event)


class Evaluator(Protocol):
    """Judges a tree. A PASS without evidence is refused by the ledger."""

    async def evaluate(self, request: EvaluationRequest) -> EvaluatorReport:
        """Judge the checkout. Whatever keeps it from judging is an ERROR in the report."""
        ...


@dataclass(frozen=True)
class RoundForecast:
    """What a budget policy knows before a round."""

    loop: str
    round: int
    budget: Budget
    spent: Spent
    assumed: Assumption


@dataclass(frozen=True)
class Admission:
    """The round may start; its turn is expected to cost this."""

    reservation: Reservation


@dataclass(frozen=True)
class Refusal:
    """The round may not start."""

    scope: CapScope
    observed: float
    maximum: float


class BudgetPolicy(Protocol):
    """Decides whether a round may start, beyond the cumulative caps."""

    async def admit(self, forecast: RoundForecast) -> Admission | Refusal:
        """Answer for one round."""
        ...


class PricingProvider(Protocol):
    """Knows what tokens cost."""

    def price(self, usage: tuple[Usage, ...]) -> tuple[Usage, ...]:
        """Fill in the costs that are unknown; what cannot be priced stays unknown."""
        ...


class HandoffStrategy(Protocol):
    """Decides how context crosses from one round to the next."""

    async def build_next_round(self, context: RoundContext) -> NextRoundSpec:
        """The start of the next turn."""
        ...


@dataclass(frozen=True)
class PreparedWorkspace:
    """The worktree of a loop.

    Attributes:
        path: its folder.
        branch_tip: commit id of the loop's branch.
        origin: how it came to be there.
        notes: what the user should know of it before an agent works in it.
    """

    path: Path
    branch_tip: str
    origin: str
    notes: tuple[str, ...] = ()


class Workspace(Protocol):
    """The worktree of one loop and the snapshots of it."""

    async def prepare(
        self, snapshot: Snapshot | None, *, first_time: bool, branch_tip: str
    ) -> PreparedWorkspace | None:
        """Create, adopt or rebuild the worktree; ``None`` when it is lost for good."""
        ...

    def working_folder(self) -> Path:
        """The folder in which an agent works: the worktree, or one of its own folders."""
        ...

    async def snapshot(
        self, round_number: int, previous: Snapshot | None, *, partial: bool
    ) -> Snapshot:
        """Store the tree as it is now. Doing it again after a crash gives the same."""
        ...

    async def publish(self, snapshot: Snapshot, branch_tip: str) -> Published:
        """Commit the snapshot's tree on the loop's branch, by compare-and-swap."""
        ...

    async def release(self) -> None:
        """Remove the worktree and the branch of a loop in which nothing was done."""
        ...


class Processes(Protocol):
    """Everything that was started for agents and evaluators."""

    async def end_all(self) -> tuple[Survivor, ...]:
        """End whatever is still alive and prove that nothing is left."""
        ...


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
