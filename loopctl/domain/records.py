"""What a decision writes beside the state: one record for each row.

Records that are ``logged`` also appear in the event log, because they say something that no
event does.
"""

from typing import ClassVar, Literal

from pydantic import NonNegativeInt

from loopctl.domain.agent_session import Role, TurnResult
from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.handoff import ObservedHandoff
from loopctl.domain.hardening import Hardening
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.stop import Status, StopCondition
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
    """What one model used in one session."""

    kind: Literal["usage_recorded"] = "usage_recorded"
    round: NonNegativeInt
    session_id: str
    role: Role
    usage: Usage


class HandoffRecorded(Record):
    """The record that ended a turn, applied in the same transaction."""

    kind: Literal["handoff_recorded"] = "handoff_recorded"
    round: NonNegativeInt
    session_id: str
    role: Role
    payload: ObservedHandoff


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
