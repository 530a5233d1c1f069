"""What happened: facts in the past tense, the only input of the machine.

Every event carries its time. An event that answers an order carries that order's number; when a
newer order was given since, the event is stale and is refused. Events from outside (a user's
command) may come at any moment. What is too large for the log is left out of its logged form;
the machine's next state never depends on it.
"""

from typing import ClassVar, Literal, Self

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt, TypeAdapter

from loopctl.domain.agent_session import Role, Survivor, TurnResult
from loopctl.domain.budget import Reservation
from loopctl.domain.concern import Severity
from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.handoff import WrittenHandoff
from loopctl.domain.snapshot import Published, Snapshot
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import Usage
from loopctl.domain.value import Value


class Timer:
    """The names of the timers that the machine starts."""

    ROUND = "round"
    WORKING_TIME = "working-time"
    LIMIT_WAIT = "limit-wait"


class Event(Value):
    """Something that happened.

    Attributes:
        at: Unix time, seconds.
        mono: monotonic time of the driver that saw it, seconds.
    """

    external: ClassVar[bool] = False

    at: float = 0.0
    mono: float = 0.0

    def logged(self) -> Self:
        """The event as it is written to the log."""
        return self


class Answer(Event):
    """An event that answers an order of the machine."""

    order: NonNegativeInt


class LoopStarted(Event):
    """A new loop has its row and its driver."""

    kind: Literal["loop_started"] = "loop_started"


class CapChanges(Value):
    """Caps that a user sets on restart: ``None`` leaves a cap as it is, 0 rounds lifts theirs."""

    max_rounds: NonNegativeInt | None = None
    max_tokens: PositiveInt | None = None
    max_micro_usd: PositiveInt | None = None
    max_time_s: PositiveFloat | None = None


class LoopRestarted(Event):
    """A user continues a loop whose driver is gone, or which has ended.

    Attributes:
        intent: ``cancel`` only puts the tree away and ends the loop.
        changes: caps to change.
        unaccounted_s: time between the last event and the old driver's last sign of life.
        by: who asked.
    """

    external: ClassVar[bool] = True

    kind: Literal["loop_restarted"] = "loop_restarted"
    intent: Literal["continue", "cancel"] = "continue"
    changes: CapChanges = CapChanges()
    unaccounted_s: NonNegativeFloat = 0.0
    by: str = "user"


class CancelRequested(Event):
    """Somebody asks for the end: a user from another terminal, or a signal."""

    external: ClassVar[bool] = True

    kind: Literal["cancel_requested"] = "cancel_requested"
    by: str = "user"
    command_id: str = ""


class RetryRequested(Event):
    """A user does not want to wait for a provider any longer."""

    external: ClassVar[bool] = True

    kind: Literal["retry_requested"] = "retry_requested"
    by: str = "user"
    command_id: str = ""


class HandoffCalled(Event):
    """An agent session hands its turn over, by a tool of loopctl's.

    Attributes:
        call: identifies the call; the reply goes to it.
        session_id: who calls.
        tool: ``loop_handoff`` or ``loop_complete``.
        payload: what is handed over, in the shape of the caller's role.
        busy: other sessions of the loop at work; ``None`` when nobody can tell.
    """

    external: ClassVar[bool] = True

    kind: Literal["handoff_called"] = "handoff_called"
    call: str
    session_id: str
    tool: Literal["loop_handoff", "loop_complete"]
    payload: WrittenHandoff
    busy: tuple[str, ...] | None = ()


class ConcernFlagged(Event):
    """An agent session doubts that the goal is right."""

    external: ClassVar[bool] = True

    kind: Literal["concern_flagged"] = "concern_flagged"
    call: str
    session_id: str
    concern: str
    severity: Severity


class SpendRequested(Event):
    """A session is about to send a request to a model, and asks whether it may.

    Attributes:
        request: identifies the request; the reply goes to it.
        session_id: who sends it.
        role: what that session is for.
        model: ``PROVIDER:MODEL``.
        estimate: what the request is expected to use.
    """

    external: ClassVar[bool] = True

    kind: Literal["spend_requested"] = "spend_requested"
    request: str
    session_id: str
    role: Role
    model: str
    estimate: Reservation


class SpendSettled(Event):
    """A request that was granted has ended.

    Attributes:
        request: which.
        usage: what it used; empty when nothing was spent.
        unseen: its end was not seen: it counts at ``usage``, else at its estimate, as unknown.
    """

    external: ClassVar[bool] = True

    kind: Literal["spend_settled"] = "spend_settled"
    request: str
    usage: tuple[Usage, ...] = ()
    unseen: bool = False


class WorkspaceReady(Answer):
    """The worktree is there; ``notes`` say what the user should know of it."""

    kind: Literal["workspace_ready"] = "workspace_ready"
    path: str
    branch_tip: str
    origin: Literal["created", "adopted", "rebuilt-from-snapshot", "rebuilt-from-branch"]
    notes: tuple[str, ...] = ()


class WorkspaceLost(Answer):
    """Neither the worktree nor anything to rebuild it from is left."""

    kind: Literal["workspace_lost"] = "workspace_lost"
    detail: str


class RoundAdmitted(Answer):
    """The budget policy lets the round start."""

    kind: Literal["round_admitted"] = "round_admitted"
    reservation: Reservation


class RoundRefused(Answer):
    """The budget policy does not let the round start."""

    kind: Literal["round_refused"] = "round_refused"
    scope: CapScope
    observed: float
    maximum: float


class SessionOpened(Answer):
    """An agent session is there; what it can do is in ``OpenRound``."""

    kind: Literal["session_opened"] = "session_opened"
    session_id: str
    has_tools: bool = False
    remembers: bool = False
    is_metered: bool = False


class SessionFailed(Answer):
    """No agent session could be opened."""

    kind: Literal["session_failed"] = "session_failed"
    problem: str


class PromptBuilt(Answer):
    """The text of the next turn is ready; it is stored before it is sent.

    ``nudge`` says that it only reminds a session which knows the rest.
    """

    kind: Literal["prompt_built"] = "prompt_built"
    prompt: str
    digest: str
    nudge: bool = False

    def logged(self) -> Self:
        """Without the text, which is stored with its round."""
        return self.evolve(prompt="")


class TurnEnded(Answer):
    """The agent is idle again, or was made to be."""

    kind: Literal["turn_ended"] = "turn_ended"
    result: TurnResult

    def logged(self) -> Self:
        """With the end of what the agent said; all of it is in the turn's log file."""
        return self.evolve(result=self.result.shortened())


class SessionsIdle(Answer):
    """The other agent sessions of the loop have come to rest."""

    kind: Literal["sessions_idle"] = "sessions_idle"


class Settled(Answer):
    """No process of the turn is alive any more."""

    kind: Literal["settled"] = "settled"
    survivors: tuple[Survivor, ...] = ()


class SnapshotTaken(Answer):
    """The tree is safe in loopctl's own repository."""

    kind: Literal["snapshot_taken"] = "snapshot_taken"
    snapshot: Snapshot


class VerdictsRecalled(Answer):
    """What was judged of the same tree before, by the same evaluators."""

    kind: Literal["verdicts_recalled"] = "verdicts_recalled"
    reports: tuple[EvaluatorReport, ...] = ()

    def logged(self) -> Self:
        """With the headlines of the evidence alone."""
        return self.evolve(reports=tuple(report.headlines() for report in self.reports))


class EvaluatorFinished(Answer):
    """One evaluator has reported."""

    kind: Literal["evaluator_finished"] = "evaluator_finished"
    report: EvaluatorReport

    def logged(self) -> Self:
        """With the headlines of the evidence alone."""
        return self.evolve(report=self.report.headlines())


class WorkPublished(Answer):
    """The last tree is where the user will look for it."""

    kind: Literal["work_published"] = "work_published"
    published: Published


class TimerFired(Answer):
    """A deadline has come."""

    kind: Literal["timer_fired"] = "timer_fired"
    timer: str


class EffectFailed(Answer):
    """An order could not be carried out."""

    kind: Literal["effect_failed"] = "effect_failed"
    effect: str
    detail: str
    next_step: str = ""


AnyEvent = (
    LoopStarted
    | LoopRestarted
    | CancelRequested
    | RetryRequested
    | HandoffCalled
    | ConcernFlagged
    | SpendRequested
    | SpendSettled
    | WorkspaceReady
    | WorkspaceLost
    | RoundAdmitted
    | RoundRefused
    | SessionOpened
    | SessionFailed
    | PromptBuilt
    | TurnEnded
    | SessionsIdle
    | Settled
    | SnapshotTaken
    | VerdictsRecalled
    | EvaluatorFinished
    | WorkPublished
    | TimerFired
    | EffectFailed
)
EVENT: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)
