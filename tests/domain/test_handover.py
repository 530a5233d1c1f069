"""How a turn is handed over: who may, what becomes of the record, and what when there is none."""

import pytest
from loops import FAIL, Loop, cost, handoff, make_spec
from pydantic import ValidationError

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget
from loopctl.domain.effects import AwaitIdle, BuildPrompt, Settle
from loopctl.domain.events import SessionsIdle
from loopctl.domain.handoff import (
    ActionStep,
    AuditorHandoff,
    AuditSummary,
    CoderHandoff,
    Deviation,
    PostActionReport,
)
from loopctl.domain.records import (
    EventRefused,
    HandoffNudged,
    HandoffRecorded,
    HandoffResolved,
    RoundPrompted,
)
from loopctl.domain.stop import Cancelled, ErrorReason

TOOLS = ("has_tools", "remembers")


def working(abilities=TOOLS, **spec):
    """A loop whose first turn is open."""
    loop = Loop(make_spec(**spec)).start()
    loop.prompt(abilities=abilities)
    return loop


def statuses(loop):
    return [(row.status, row.why) for row in loop.all(HandoffResolved)]


def test_a_call_stores_the_record_and_moves_nothing():
    loop = working()
    before = loop.state
    decision = loop.hand_over(handoff("first"))
    assert decision.state.order == before.order
    assert not decision.effects
    assert (decision.replies[0].refused, decision.records[0].status) == ("", "pending")
    assert decision.records[0].payload.notes == "first"


def test_the_last_call_of_a_turn_counts_and_is_applied_once():
    loop = working()
    loop.hand_over(handoff("first"))
    loop.hand_over(handoff("second"))
    loop.end_turn()
    assert statuses(loop) == [("applied", "")]
    assert loop.state.round.handoff.notes == "second"
    loop.snapshot("t1")
    assert statuses(loop) == [("applied", "")]
    assert {row.status for row in loop.all(HandoffRecorded)} == {"pending"}
    assert loop.state.round.handoff is None


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ({"session_id": "other"}, "only the session whose turn is open"),
        ({"tool": "loop_complete"}, "handed over with loop_handoff"),
        ({"payload": AuditorHandoff()}, "handed over with loop_handoff"),
        ({"busy": None}, "it is not known"),
        ({"busy": ("s8", "s9")}, "are at work: s8, s9"),
    ],
)
def test_a_call_that_does_not_fit_is_refused_and_changes_nothing(call, why):
    loop = working()
    before = loop.state
    decision = loop.hand_over(**call)
    assert why in decision.replies[0].refused
    assert [type(row) for row in decision.records] == [EventRefused]
    assert decision.state == before


def test_only_an_open_turn_can_be_handed_over():
    loop = Loop().start()
    assert "turn is open" in loop.hand_over().replies[0].refused
    loop.prompt(abilities=TOOLS)
    loop.cancel()
    assert loop.hand_over().replies[0].refused == "the loop is ending"
    loop.end_turn(TurnOutcome.ABORTED)
    assert "turn is open" in loop.hand_over().replies[0].refused


@pytest.mark.parametrize(
    "outcome",
    [
        TurnOutcome.FAILED,
        TurnOutcome.LIMITED,
        TurnOutcome.UNAVAILABLE,
        TurnOutcome.ABORTED,
        TurnOutcome.NOT_STARTED,
    ],
)
def test_the_record_of_a_turn_that_broke_off_is_discarded(outcome):
    loop = working()
    loop.hand_over()
    loop.end_turn(outcome)
    assert statuses(loop) == [("discarded", f"the turn was {outcome}")]
    loop.snapshot("t1")
    assert loop.all(HandoffRecorded)[-1].payload.kind == "observed"


@pytest.mark.parametrize("outcome", [TurnOutcome.TIMED_OUT, TurnOutcome.CAPPED])
def test_the_record_of_a_turn_that_loopctl_ended_counts(outcome):
    loop = working()
    loop.hand_over()
    loop.end_turn(outcome)
    assert statuses(loop) == [("applied", "")]


def test_a_cancellation_discards_the_record():
    loop = working()
    loop.hand_over()
    loop.cancel()
    loop.end_turn()
    assert statuses(loop) == [("discarded", "the loop is ending")]
    loop.snapshot("t1")
    loop.publish()
    assert loop.state.stop == Cancelled(by="user")


@pytest.mark.parametrize("when", ["in the turn", "while others work"])
def test_a_restart_discards_the_record(when):
    loop = working()
    loop.hand_over()
    if when == "while others work":
        loop.end_turn(busy=("s9",))
    loop.restart()
    loop.restart()
    assert statuses(loop) == [("discarded", "the driver died")]
    loop.workspace()
    loop.snapshot("t1")
    assert loop.all(HandoffRecorded)[-1].payload.kind == "observed"


def test_a_record_that_was_applied_survives_a_restart():
    loop = working()
    loop.hand_over()
    loop.end_turn()
    loop.restart()
    loop.workspace()
    loop.snapshot("t1")
    assert statuses(loop) == [("applied", "")]
    assert len(loop.all(HandoffRecorded)) == 1


def test_others_are_awaited_before_the_record_is_applied():
    loop = working()
    loop.hand_over()
    loop.end_turn(busy=("s9",))
    assert isinstance(loop.asked, AwaitIdle)
    assert statuses(loop) == []
    loop.answer(SessionsIdle)
    assert statuses(loop) == [("applied", "")]


def test_others_are_awaited_before_a_session_is_asked_for_its_record():
    loop = working()
    loop.end_turn(busy=("s9",))
    assert loop.all(HandoffNudged) == []
    loop.answer(SessionsIdle)
    assert loop.asked.nudge == 1


def test_a_limit_comes_before_the_wait_for_others():
    loop = working()
    loop.end_turn(TurnOutcome.LIMITED, busy=("s9",))
    assert isinstance(loop.asked, Settle)


@pytest.mark.parametrize(
    ("abilities", "replied", "whole"),
    [
        (TOOLS, True, False),
        (TOOLS, False, True),
        (("has_tools",), True, True),
        (("has_tools",), False, True),
    ],
)
def test_the_whole_text_is_sent_again_where_nothing_was_said_or_is_remembered(
    abilities, replied, whole
):
    loop = working(abilities)
    loop.end_turn(replied=replied)
    assert loop.asked == BuildPrompt(
        order=loop.state.order, round=1, session_id="s", nudge=1, whole=whole
    )


def test_after_three_reminders_the_loop_ends_with_its_tree_kept():
    loop = working()
    for number in (1, 2, 3):
        loop.end_turn()
        assert loop.all(HandoffNudged)[-1].number == number
        loop.remind()
    loop.end_turn()
    loop.snapshot("t1")
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.HANDOFF_MISSING
    assert "4 turns in a row" in loop.state.stop.detail
    assert loop.state.snapshot.tree == "t1"
    assert (len(loop.all(RoundPrompted)), loop.state.spent.rounds) == (1, 1)
    assert loop.state.spent.micro_usd == 400


def test_a_reminder_that_works_goes_on_to_the_verdict():
    loop = working()
    loop.end_turn()
    loop.remind()
    loop.hand_over()
    loop.end_turn()
    loop.snapshot("t1")
    loop.judge(FAIL)
    assert loop.state.round.number == 2


def test_reminders_are_counted_for_each_session():
    loop = working()
    loop.end_turn()
    loop.remind()
    loop.end_turn(TurnOutcome.UNAVAILABLE)
    loop.snapshot("t1")
    loop.prompt("s2", abilities=TOOLS)
    loop.end_turn()
    assert [row.number for row in loop.all(HandoffNudged)] == [1, 1]


@pytest.mark.parametrize("outcome", [TurnOutcome.FAILED, TurnOutcome.TIMED_OUT, TurnOutcome.CAPPED])
def test_a_turn_that_did_not_finish_is_not_asked_again(outcome):
    loop = working()
    loop.end_turn(outcome)
    assert isinstance(loop.asked, Settle)


@pytest.mark.parametrize(
    ("abilities", "required", "asked"),
    [
        ((), None, False),
        (TOOLS, None, True),
        ((), True, True),
        (TOOLS, False, False),
    ],
)
def test_who_has_to_hand_over(abilities, required, asked):
    loop = working(abilities, require_handoff=required)
    loop.end_turn()
    assert bool(loop.all(HandoffNudged)) is asked


@pytest.mark.parametrize(
    "budget", [Budget(max_micro_usd=100), Budget(max_tokens=10), Budget(max_time_s=5.0)]
)
def test_no_reminder_is_sent_beyond_a_cap(budget):
    loop = working(budget=budget)
    loop.now += 5.0
    loop.end_turn(usage=(cost(100, 10),))
    assert isinstance(loop.asked, Settle)
    loop.snapshot("t1")
    loop.judge(FAIL)
    assert loop.state.stop.kind == "budget-cap"


def test_a_reminder_is_sent_in_the_last_round():
    loop = working(budget=Budget(max_rounds=1))
    loop.end_turn()
    assert loop.asked.nudge == 1


@pytest.mark.parametrize("way", ["cancel", "failure", "crash"])
def test_a_reminder_that_is_not_made_leaves_the_tree_safe(way):
    loop = working()
    loop.end_turn()
    match way:
        case "cancel":
            loop.cancel()
        case "failure":
            loop.fail("disk full")
        case _:
            loop.restart()
            loop.workspace()
    assert isinstance(loop.asked, Settle)
    loop.snapshot("t1")
    assert loop.state.snapshot.tree == "t1"


def test_a_claim_reads_as_lines():
    deviation = Deviation(planItem="docs", actual="none", reason="no time")
    assert handoff("more").evolve(deviations=(deviation,)).claim == (
        "fixed it: it was broken\nnot as asked: docs: none (no time)\nran make in .: pass\nmore"
    )
    later = handoff().verification[0].evolve(changed_after=True)
    assert handoff().evolve(verification=(later,)).claim.endswith("changed something after it")
    assert AuditorHandoff(summary=AuditSummary(done="all"), notes="n").claim == "all\nn"
    assert AuditorHandoff().claim == ""
    step = ActionStep(name="push", status="done")
    report = PostActionReport(outcome="completed", steps=(step,), notes="n", followUps=("f",))
    assert report.claim == "push: done\nf\nn"


@pytest.mark.parametrize(
    "change",
    [
        {"changes": []},
        {"verification": []},
        {"verdict": "PASS"},
        {"notes": 5},
        {"changes": [{"summary": " ", "reason": "r"}]},
        {"verification": [{"command": "m", "cwd": ".", "outcome": "pass", "changedAfter": "no"}]},
    ],
)
def test_a_payload_is_taken_as_it_is_or_not_at_all(change):
    good = handoff().model_dump(mode="json", by_alias=True)
    assert CoderHandoff.model_validate(good) == handoff()
    with pytest.raises(ValidationError):
        CoderHandoff.model_validate(good | change)
