"""Each way to end has its status and its exit code."""

from typing import get_args

import pytest

from loopctl.domain.stop import (
    STOP_CONDITION,
    ApprovalRequired,
    BudgetCap,
    Cancelled,
    CapScope,
    Errored,
    ErrorReason,
    GoalMet,
    Stalled,
    Status,
    StopCondition,
    Stuck,
    StuckPattern,
    exit_code_of,
    status_of,
)


def errored(reason):
    return Errored(reason=reason, detail="d")


ENDS = [
    (GoalMet(tree="t", criteria=()), Status.COMPLETED, 0),
    *((BudgetCap(scope=s, observed=2, maximum=1), Status.STOPPED, 10) for s in CapScope),
    *((Stuck(pattern=p, detail="d"), Status.STOPPED, 11) for p in StuckPattern),
    (ApprovalRequired(reason="r"), Status.STOPPED, 12),
    (Stalled(detail="d"), Status.STALLED, 13),
    (errored(ErrorReason.HANDOFF_MISSING), Status.ERRORED, 14),
    (errored(ErrorReason.ERROR_MAX_RETRIES), Status.ERRORED, 14),
    (errored(ErrorReason.WORKSPACE_LOST), Status.ERRORED, 14),
    (errored(ErrorReason.EVALUATOR_ERROR), Status.ERRORED, 15),
    (errored(ErrorReason.PROVIDER_LIMIT), Status.ERRORED, 16),
    (errored(ErrorReason.DRIVER_ERROR), Status.ERRORED, 1),
    (Cancelled(by="user"), Status.CANCELLED, 130),
    (Cancelled(by="SIGINT"), Status.CANCELLED, 130),
    (Cancelled(by="SIGTERM"), Status.CANCELLED, 143),
    (Cancelled(by="SIGHUP"), Status.CANCELLED, 129),
]


@pytest.mark.parametrize(("stop", "status", "code"), ENDS, ids=lambda value: str(value)[:40])
def test_status_and_exit_code(stop, status, code):
    assert (status_of(stop), exit_code_of(stop)) == (status, code)
    assert STOP_CONDITION.validate_json(STOP_CONDITION.dump_json(stop)) == stop


def test_every_stop_condition_and_every_reason_is_listed_above():
    union, _ = get_args(StopCondition)
    assert {type(stop) for stop, _, _ in ENDS} == set(get_args(union))
    assert {s.reason for s, _, _ in ENDS if isinstance(s, Errored)} == set(ErrorReason)
