"""Is the goal still right: what raises a concern, and what it does to a loop."""

import pytest
from loops import FAIL, JUDGE, PASS, SHELL, Loop, cost, make_report, make_spec, make_suite

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.budget import Budget
from loopctl.domain.concern import OnConcern
from loopctl.domain.effects import AbortTurn, AdmitRound
from loopctl.domain.events import EvaluatorFinished, LoopStarted, VerdictsRecalled
from loopctl.domain.records import ConcernRecorded, EventRefused
from loopctl.domain.stop import ApprovalRequired

GOES_ON = OnConcern.NOTIFY_CONTINUE
PAIR = (SHELL, JUDGE)
LINT = SHELL.evolve(name="lint")


def working(on_concern=OnConcern.STOP, **spec):
    loop = Loop(make_spec(on_concern=on_concern, **spec)).start()
    loop.prompt()
    return loop


def test_a_concern_ends_the_turn_keeps_its_tree_and_asks_a_person():
    loop = working()
    decision = loop.flag("the goal is wrong")
    assert decision.effects == (AbortTurn(order=loop.state.order, outcome=TurnOutcome.ABORTED),)
    assert "a person can look" in decision.replies[0].text
    loop.end_turn(TurnOutcome.ABORTED)
    loop.snapshot("t1")
    loop.publish()
    assert isinstance(loop.state.stop, ApprovalRequired)
    assert "the agent is concerned: the goal is wrong" in loop.state.stop.reason
    assert loop.state.snapshot.tree == "t1"


def test_a_restart_goes_on_because_somebody_has_looked():
    loop = working()
    loop.flag()
    loop.end_turn(TurnOutcome.ABORTED)
    loop.snapshot("t1")
    loop.publish()
    loop.restart()
    loop.workspace()
    loop.judge(FAIL)
    loop.prompt()
    assert loop.flag().effects != ()  # the same concern, raised anew


@pytest.mark.parametrize("policy", [GOES_ON, OnConcern.IGNORE])
def test_a_concern_can_be_recorded_alone(policy):
    loop = working(policy)
    decision = loop.flag()
    assert decision.effects == ()
    assert decision.replies[0].text == "Recorded. Go on with the work."
    assert loop.state.stop is None
    assert loop.all(ConcernRecorded)[0].policy is policy


@pytest.mark.parametrize(
    ("again", "passed_s", "count"),
    [
        ("the goal is wrong", 29.9, 1),
        ("The  goal is\nWRONG", 1.0, 1),
        ("the goal is wrong", 30.0, 2),
        ("the tests are wrong", 0.0, 2),
    ],
)
def test_the_same_concern_within_half_a_minute_is_one(again, passed_s, count):
    loop = working(GOES_ON)
    loop.flag("the goal is wrong")
    decision = loop.flag(again, passed_s)
    assert len(loop.all(ConcernRecorded)) == count
    assert ("on record already" in decision.replies[0].text) == (count == 1)


def test_repeating_a_concern_does_not_put_it_off():
    loop = working(GOES_ON)
    for passed_s in (0.0, 20.0, 20.0):
        loop.flag("the goal is wrong", passed_s)
    assert len(loop.all(ConcernRecorded)) == 2


def test_only_the_session_at_work_can_doubt():
    loop = working()
    before = loop.state
    decision = loop.flag(session_id="other")
    assert "whose turn is open" in decision.replies[0].refused
    assert [type(row) for row in decision.records] == [EventRefused]
    loop.end_turn()
    assert "whose turn is open" in loop.flag().replies[0].refused
    assert before.stop is None


def test_a_concern_after_a_cancellation_is_recorded_and_stays_a_cancellation():
    loop = working()
    loop.cancel()
    loop.flag()
    loop.end_turn(TurnOutcome.ABORTED)
    loop.snapshot("t1")
    loop.publish()
    assert loop.state.stop.kind == "cancelled"
    assert len(loop.all(ConcernRecorded)) == 1


def rounds(loop, *verdicts, micro_usd=10):
    for number, verdict in enumerate(verdicts, 1):
        loop.prompt()
        loop.end_turn(usage=(cost(micro_usd, 1),))
        loop.snapshot(f"t{number}")
        loop.judge(verdict)


def test_half_of_a_cap_without_any_pass_asks_a_person_once():
    loop = Loop(make_spec(evaluators=PAIR, budget=Budget(max_micro_usd=40))).start()
    rounds(loop, FAIL)
    assert isinstance(loop.asked, AdmitRound)
    rounds(loop, FAIL)
    loop.publish()
    assert "half of the cap on usd is used" in loop.state.stop.reason
    loop.restart()
    loop.workspace()
    rounds(loop, FAIL)
    assert isinstance(loop.asked, AdmitRound)
    assert len(loop.all(ConcernRecorded)) == 1


def test_the_heuristic_can_be_told_to_go_on():
    budget = Budget(max_micro_usd=40)
    loop = Loop(make_spec(evaluators=PAIR, budget=budget, on_concern=GOES_ON)).start()
    rounds(loop, FAIL, FAIL, FAIL)
    assert isinstance(loop.asked, AdmitRound)
    (row,) = loop.all(ConcernRecorded)
    assert (row.source, row.session_id, row.round) == ("heuristic", "", 2)


@pytest.mark.parametrize("budget", [Budget(max_rounds=4), Budget(max_micro_usd=40)])
def test_half_of_a_cap_tells_nothing_of_a_lone_criterion(budget):
    loop = Loop(make_spec(budget=budget)).start()
    rounds(loop, FAIL, FAIL, FAIL)
    assert loop.all(ConcernRecorded) == []


@pytest.mark.parametrize(("failed", "count"), [(1, 0), (2, 1)])
def test_a_criterion_of_several_tests_is_more_than_one_thing(failed, count):
    loop = Loop(make_spec(budget=Budget(max_micro_usd=20))).start()
    loop.prompt()
    loop.end_turn(usage=(cost(10, 1),))
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    report = make_report(tree="t1").evolve(suite=make_suite(passed=0, failed=failed))
    loop.answer(EvaluatorFinished, report=report)
    assert len(loop.all(ConcernRecorded)) == count


def test_rounds_count_as_the_other_caps_do():
    loop = Loop(make_spec(evaluators=PAIR, budget=Budget(max_rounds=4))).start()
    rounds(loop, FAIL, FAIL)
    assert "half of the cap on rounds is used" in loop.state.stop.reason


def test_a_criterion_that_passed_once_is_progress():
    spec = make_spec(evaluators=(SHELL, LINT), budget=Budget(max_rounds=4), run_baseline=False)
    loop = Loop(spec).start()
    rounds(loop, PASS)
    loop.judge(FAIL)
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t2")
    loop.judge(FAIL)
    loop.judge(FAIL)
    assert loop.all(ConcernRecorded) == []


def test_what_passed_on_the_base_commit_has_passed():
    loop = Loop(make_spec(evaluators=(SHELL, LINT), budget=Budget(max_rounds=2)))
    loop.start(PASS)
    loop.judge(FAIL)
    assert loop.state.ever_passed


def test_more_tests_than_at_first_are_progress():
    loop = Loop(make_spec(budget=Budget(max_micro_usd=20)))
    loop.feed(LoopStarted())
    loop.workspace()
    loop.answer(EvaluatorFinished, report=make_report().evolve(suite=make_suite(passed=1)))
    loop.prompt()
    loop.end_turn(usage=(cost(10, 1),))
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    report = make_report(tree="t1").evolve(suite=make_suite(passed=2))
    loop.answer(EvaluatorFinished, report=report)
    assert loop.all(ConcernRecorded) == []
    assert loop.state.ever_passed


def test_a_used_up_cap_comes_before_the_heuristic():
    loop = Loop(make_spec(budget=Budget(max_micro_usd=40))).start()
    rounds(loop, FAIL, micro_usd=40)
    assert loop.state.stop.kind == "budget-cap"
