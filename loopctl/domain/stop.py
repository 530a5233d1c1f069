"""Why a loop ended: a closed union, stored as kind and detail, never parsed back from text.

A loop has a stop condition if and only if it has ended or is ending. ``GoalMet`` is made in one
place only, from a ledger in which every criterion in scope is PASS on one snapshot.
"""

from enum import StrEnum
from typing import Annotated, Literal, assert_never

from pydantic import Field, TypeAdapter

from loopctl.domain.value import Value
from loopctl.errors import ExitCode


class Status(StrEnum):
    """Where a loop stands as a whole. Everything but ``completed`` can be restarted."""

    RUNNING = "running"
    COMPLETED = "completed"
    STOPPED = "stopped"
    CANCELLED = "cancelled"
    ERRORED = "errored"
    STALLED = "stalled"


class CapScope(StrEnum):
    """What a budget cap counts."""

    ROUNDS = "rounds"
    TOKENS = "tokens"
    USD = "usd"
    TIME = "time"


class StuckPattern(StrEnum):
    """How a loop can be going nowhere."""

    REPEAT_ACTION = "repeat-action"
    NO_PROGRESS = "no-progress"
    ERROR_LOOP = "error-loop"


class ErrorReason(StrEnum):
    """What broke when a loop ended as errored."""

    HANDOFF_MISSING = "handoff_missing"
    ERROR_MAX_RETRIES = "error_max_retries"
    WORKSPACE_LOST = "workspace_lost"
    EVALUATOR_ERROR = "evaluator_error"
    PROVIDER_LIMIT = "provider_limit"
    DRIVER_ERROR = "driver_error"


class MetCriterion(Value):
    """One criterion that passed, with the headline of its evidence."""

    evaluator: str
    criterion: str
    evidence: str


class GoalMet(Value):
    """Every criterion in scope passed on one snapshot."""

    kind: Literal["goal-met"] = "goal-met"
    tree: str
    criteria: tuple[MetCriterion, ...]


_UNITS = {
    CapScope.ROUNDS: "rounds",
    CapScope.TOKENS: "tokens",
    CapScope.USD: "US dollars",
    CapScope.TIME: "seconds",
}


def _figure(number: float) -> str:
    """As few digits as it has: at most a millionth, and no exponent."""
    return f"{number:,.6f}".rstrip("0").rstrip(".")


class BudgetCap(Value):
    """A cap was reached. Units: rounds, tokens, US dollars, seconds of working time.

    ``expected``: it is what the next round would have come to, by itself.
    """

    kind: Literal["budget-cap"] = "budget-cap"
    scope: CapScope
    observed: float
    maximum: float
    expected: bool = False

    @property
    def amounts(self) -> str:
        """Both figures with their unit, such as ``1,200 of 1,000 tokens``."""
        observed, maximum = (_figure(each) for each in (self.observed, self.maximum))
        return f"{observed} of {maximum} {_UNITS[self.scope]}"


class Stuck(Value):
    """The loop goes nowhere; ``detail`` holds the evidence."""

    kind: Literal["stuck"] = "stuck"
    pattern: StuckPattern
    detail: str


class ApprovalRequired(Value):
    """A person has to look before the loop may go on."""

    kind: Literal["approval-required"] = "approval-required"
    reason: str


class Stalled(Value):
    """The agent stopped showing signs of life."""

    kind: Literal["stalled"] = "stalled"
    detail: str


class Errored(Value):
    """Something broke. ``next_step`` is what the user can do about it."""

    kind: Literal["errored"] = "errored"
    reason: ErrorReason
    detail: str
    next_step: str = ""


class Cancelled(Value):
    """Somebody asked for the end: ``by`` is ``user``, ``SIGINT``, ``SIGTERM`` or ``SIGHUP``."""

    kind: Literal["cancelled"] = "cancelled"
    by: str


StopCondition = Annotated[
    GoalMet | BudgetCap | Stuck | ApprovalRequired | Stalled | Errored | Cancelled,
    Field(discriminator="kind"),
]
STOP_CONDITION: TypeAdapter[StopCondition] = TypeAdapter(StopCondition)

_CODES = {
    "goal-met": ExitCode.GOAL_MET,
    "budget-cap": ExitCode.BUDGET_CAP,
    "stuck": ExitCode.STUCK,
    "approval-required": ExitCode.APPROVAL_REQUIRED,
    "stalled": ExitCode.STALLED,
}
_ERROR_CODES = {
    ErrorReason.EVALUATOR_ERROR: ExitCode.EVALUATOR_ERROR,
    ErrorReason.PROVIDER_LIMIT: ExitCode.PROVIDER_LIMIT,
    ErrorReason.DRIVER_ERROR: ExitCode.FAILED,
}
_SIGNAL_CODES = {"SIGTERM": ExitCode.TERMINATED, "SIGHUP": ExitCode.HUNG_UP}


def status_of(stop: StopCondition) -> Status:
    """The status of a loop that ended for ``stop``."""
    match stop:
        case GoalMet():
            return Status.COMPLETED
        case BudgetCap() | Stuck() | ApprovalRequired():
            return Status.STOPPED
        case Stalled():
            return Status.STALLED
        case Errored():
            return Status.ERRORED
        case Cancelled():
            return Status.CANCELLED
        case _:
            assert_never(stop)


def exit_code_of(stop: StopCondition) -> ExitCode:
    """The exit code of a driver whose loop ended for ``stop``."""
    match stop:
        case Errored(reason=reason):
            return _ERROR_CODES.get(reason, ExitCode.ERRORED)
        case Cancelled(by=by):
            return _SIGNAL_CODES.get(by, ExitCode.CANCELLED)
        case GoalMet() | BudgetCap() | Stuck() | ApprovalRequired() | Stalled():
            return _CODES[stop.kind]
        case _:
            assert_never(stop)
