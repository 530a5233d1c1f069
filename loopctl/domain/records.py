"""What a decision writes beside the state: one record for each row.

Records that are ``logged`` also appear in the event log, because they say something that no
event does.
"""

from typing import ClassVar, Literal

from pydantic import NonNegativeInt

from loopctl.domain.agent_session import Role, TurnResult
from loopctl.domain.concern import OnConcern, Severity
from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.handoff import Handoff
from loopctl.domain.hardening import Hardening
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.step import Phase
from loopctl.domain.stop import CapScope, Status, StopCondition
from loopctl.domain.usage import Usage
from loopctl.domain.value import Value


class Record(Value):
    """A row to write, or a change of one."""

    logged: ClassVar[bool] = False


class RoundPrompted(Record):
    """A round starts: its prompt is stored before it is sent."""

    kind: Literal["round_prompted"] = "round_prompted"
    round: NonNegativeInt
    session_id: str
    role: Role
    prompt: str
    digest: str


class TurnRecorded(Record):
    """A turn is over; its session closes with it."""

    kind: Literal["turn_recorded"] = "turn_recorded"
    round: NonNegativeInt
    session_id: str
    result: TurnResult


class UsageRecorded(Record):
    """What one model used in one session: added to what it used there before."""

    kind: Literal["usage_recorded"] = "usage_recorded"
    round: NonNegativeInt
    session_id: str
    role: Role
    usage: Usage


class HandoffRecorded(Record):
    """A handoff; an earlier one of the same loop that is still pending is discarded.

    An observed one is applied in the same transaction, a written one when its turn has ended.
    """

    kind: Literal["handoff_recorded"] = "handoff_recorded"
    round: NonNegativeInt
    session_id: str
    role: Role
    phase: Phase
    payload: Handoff
    status: Literal["pending", "applied"] = "applied"


class HandoffResolved(Record):
    """The pending handoff of a session was applied or discarded: once, whoever comes first."""

    logged: ClassVar[bool] = True

    kind: Literal["handoff_resolved"] = "handoff_resolved"
    round: NonNegativeInt
    session_id: str
    role: Role
    status: Literal["applied", "discarded"]
    why: str = ""


class HandoffNudged(Record):
    """A turn ended without the handoff that it needs; the session is asked for it."""

    logged: ClassVar[bool] = True

    kind: Literal["handoff_nudged"] = "handoff_nudged"
    round: NonNegativeInt
    session_id: str
    number: NonNegativeInt
    maximum: NonNegativeInt


class ConcernRecorded(Record):
    """Somebody doubts that the goal is right; ``source`` is ``agent`` or ``heuristic``."""

    logged: ClassVar[bool] = True

    kind: Literal["concern_recorded"] = "concern_recorded"
    round: NonNegativeInt
    session_id: str
    source: Literal["agent", "heuristic"]
    concern: str
    severity: Severity
    policy: OnConcern


class ModelFailed(Record):
    """A model could not be used; ``following`` is the one that is tried next, ``""`` for none."""

    logged: ClassVar[bool] = True

    kind: Literal["model_failed"] = "model_failed"
    round: NonNegativeInt
    role: Role
    model: str
    following: str
    problem: str


class CapApproached(Record):
    """Half, three quarters or nine tenths of a cap are used."""

    logged: ClassVar[bool] = True

    kind: Literal["cap_approached"] = "cap_approached"
    scope: CapScope
    percent: NonNegativeInt
    observed: float
    maximum: float


class SpendUnseen(Record):
    """A request whose end nobody saw counts at what is written here, as unknown."""

    logged: ClassVar[bool] = True

    kind: Literal["spend_unseen"] = "spend_unseen"
    round: NonNegativeInt
    session_id: str
    role: Role
    usage: tuple[Usage, ...]


class SnapshotRecorded(Record):
    """The tree after a turn."""

    kind: Literal["snapshot_recorded"] = "snapshot_recorded"
    snapshot: Snapshot
    partial: bool


class EvaluationRecorded(Record):
    """One run of one evaluator. ``round`` is 0 for the baseline."""

    kind: Literal["evaluation_recorded"] = "evaluation_recorded"
    round: NonNegativeInt
    attempt: NonNegativeInt
    report: EvaluatorReport


class RoundClosed(Record):
    """The verdict on a round. The tests are ``None`` where no evaluator left results."""

    logged: ClassVar[bool] = True

    kind: Literal["round_closed"] = "round_closed"
    round: NonNegativeInt
    verdict: Verdict
    passed: NonNegativeInt
    judged: NonNegativeInt
    changed: NonNegativeInt
    tests_passed: NonNegativeInt | None = None
    tests_total: NonNegativeInt | None = None


class TransitionRecorded(Record):
    """The loop went to another phase, or ended."""

    kind: Literal["transition_recorded"] = "transition_recorded"
    event: str
    from_phase: str
    to_phase: str
    round: NonNegativeInt
    status: Status
    reason: str = ""


class CheckoutLacks(Record):
    """The base commit failed in a checkout that has none of these ignored folders.

    ``supply`` is the line of configuration that supplies them.
    """

    logged: ClassVar[bool] = True

    kind: Literal["checkout_lacks"] = "checkout_lacks"
    folders: tuple[str, ...]
    supply: str


class BaselineNotice(Record):
    """What a person should look at before rounds are paid for; the loop goes on.

    ``problem`` is what an evaluator's run on the base commit has shown, ``advice`` what to do.
    """

    logged: ClassVar[bool] = True

    kind: Literal["baseline_notice"] = "baseline_notice"
    evaluator: str
    problem: str
    advice: str


class HardeningTried(Record):
    """The base commit's tests were run once more, hardened; ``kept`` when they came to the same."""

    logged: ClassVar[bool] = True

    kind: Literal["hardening_tried"] = "hardening_tried"
    evaluator: str
    hardening: Hardening
    kept: bool


class InvalidReport(Record):
    """An evaluator's report broke the rules; what was refused in it counts as FAIL."""

    logged: ClassVar[bool] = True

    kind: Literal["invalid_report"] = "invalid_report"
    round: NonNegativeInt
    evaluator: str
    refused: tuple[str, ...]


class EventRefused(Record):
    """A stale or untimely event changed nothing."""

    logged: ClassVar[bool] = True

    kind: Literal["event_refused"] = "event_refused"
    event: str
    why: str


class CapChanged(Record):
    """A user changed a cap."""

    logged: ClassVar[bool] = True

    kind: Literal["cap_changed"] = "cap_changed"
    cap: str
    old: float | None
    new: float | None
    by: str


class TurnInterrupted(Record):
    """A driver died while a turn was open; its reservation counts as spent, flagged unknown."""

    logged: ClassVar[bool] = True

    kind: Literal["turn_interrupted"] = "turn_interrupted"
    round: NonNegativeInt
    session_id: str


class LimitWait(Record):
    """The provider refuses work for now; the same round goes on after the wait."""

    logged: ClassVar[bool] = True

    kind: Literal["limit_wait"] = "limit_wait"
    round: NonNegativeInt
    until: float
    problem: str


class LoopEnded(Record):
    """Why the loop ended."""

    logged: ClassVar[bool] = True

    kind: Literal["loop_ended"] = "loop_ended"
    status: Status
    stop: StopCondition
    exit_code: int


AnyRecord = (
    RoundPrompted
    | TurnRecorded
    | UsageRecorded
    | HandoffRecorded
    | HandoffResolved
    | HandoffNudged
    | ConcernRecorded
    | ModelFailed
    | CapApproached
    | SpendUnseen
    | SnapshotRecorded
    | EvaluationRecorded
    | RoundClosed
    | TransitionRecorded
    | CheckoutLacks
    | BaselineNotice
    | HardeningTried
    | InvalidReport
    | EventRefused
    | CapChanged
    | TurnInterrupted
    | LimitWait
    | LoopEnded
)
