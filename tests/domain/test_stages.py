"""What has to be shown of a tree before it counts: again, with new tests, with what is held out."""

import pytest
from loops import ERROR, FAIL, JUDGE, PASS, SHELL, Loop, make_report, make_snapshot, make_spec

from loopctl.domain.criteria import CriterionReport
from loopctl.domain.effects import AdmitRound, Evaluate, RecallVerdicts
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.events import EvaluatorFinished, Settled, SnapshotTaken, VerdictsRecalled
from loopctl.domain.holdout import HoldOut
from loopctl.domain.records import EvaluationRecorded, RoundClosed
from loopctl.domain.stage import Stage
from loopctl.domain.stop import ErrorReason, GoalMet

HIDDEN = SHELL.evolve(name="holdout-1")
HELD = HoldOut(folder="/held", digest="d", evaluators=(HIDDEN,))


def judged_first(tree="t1", *, skip=True, **spec):
    """A loop whose first tree is being judged."""
    loop = Loop(make_spec(run_baseline=not skip, **spec)).start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot(tree)
    return loop


def said(loop):
    return [(one.evaluator.name, one.stage, one.fresh) for one in loop.all(Evaluate)]


def test_everything_has_to_pass_as_often_as_was_asked_for():
    loop = judged_first(confirm=3)
    for _ in range(3):
        loop.judge(PASS)
    assert isinstance(loop.state.stop, GoalMet)
    assert said(loop) == [
        ("tests", Stage.FIRST, False),
        ("tests", Stage.AGAIN, True),
        ("tests", Stage.AGAIN, True),
    ]
    assert [one.showing for one in loop.all(Evaluate)] == [1, 2, 3]


def test_one_failure_of_three_is_a_failure():
    loop = judged_first(confirm=3)
    loop.judge(PASS)
    loop.judge(FAIL)
    assert loop.all(RoundClosed)[-1].verdict is FAIL
    assert isinstance(loop.asked, AdmitRound)


def test_a_judge_confirms_too():
    loop = judged_first(confirm=2, evaluators=(JUDGE, SHELL))
    loop.judge(PASS)
    loop.judgement(PASS)
    loop.judge(PASS)
    loop.judgement(PASS)
    assert [name for name, *_ in said(loop)] == ["tests", "judge", "tests", "judge"]
    assert isinstance(loop.state.stop, GoalMet)


def test_what_was_shown_in_a_used_checkout_does_not_count_as_a_confirmation():
    loop = judged_first(confirm=2)
    loop.answer(VerdictsRecalled)
    report = make_report(tree="t1", verdict=PASS).evolve(provisional=True)
    loop.answer(EvaluatorFinished, report=report)
    loop.judge(PASS)
    assert loop.state.stop is None
    loop.judge(PASS)
    assert isinstance(loop.state.stop, GoalMet)


def test_a_hold_out_is_run_once_when_everything_else_has_passed():
    loop = judged_first(holdout=HELD, confirm=2)
    loop.judge(PASS)
    loop.judge(PASS)
    assert isinstance(loop.asked, RecallVerdicts)
    assert loop.asked.evaluators == (HIDDEN,)
    loop.judge(PASS)
    assert [name for name, *_ in said(loop)] == ["tests", "tests", "holdout-1"]
    assert isinstance(loop.state.stop, GoalMet)


def test_a_hold_out_that_fails_opens_the_next_round():
    loop = judged_first(holdout=HELD)
    loop.judge(PASS)
    loop.judge(FAIL)
    closed = loop.all(RoundClosed)[-1]
    assert (closed.verdict, closed.passed, closed.judged) == (FAIL, 1, 2)
    assert isinstance(loop.asked, AdmitRound)


def test_a_hold_out_is_not_spent_while_something_else_fails():
    loop = judged_first(holdout=HELD)
    loop.judge(FAIL)
    assert [name for name, *_ in said(loop)] == ["tests"]
    entries = {entry.evaluator: entry.headline for entry in loop.state.ledger.entries}
    assert entries["holdout-1"] == "not judged while other criteria fail"


def test_a_hold_out_judges_a_tree_once():
    """What failed is kept, so that a flaky check cannot be rolled again on the same tree."""
    loop = judged_first(holdout=HELD)
    loop.judge(PASS)
    loop.judge(PASS, recall=(make_report(HIDDEN, tree="t1"),))
    assert [name for name, *_ in said(loop)] == ["tests"]
    assert loop.all(RoundClosed)[-1].verdict is FAIL


def test_a_hold_out_that_cannot_be_run_ends_the_loop_after_three_attempts():
    loop = judged_first(holdout=HELD)
    loop.judge(PASS)
    for _ in range(3):
        loop.judge(ERROR)
    assert loop.state.stop.reason is ErrorReason.EVALUATOR_ERROR


def test_nothing_but_whether_it_passed_is_said_of_a_hold_out():
    order = Evaluate(
        order=1,
        evaluator=HIDDEN,
        tree="t1",
        round=1,
        attempt=1,
        timeout_s=1.0,
        baseline_completed=True,
        stage=Stage.HOLDOUT,
    )
    lines = ("exit 1: grep -q 42 answer.txt", "expected 42")
    report = make_report(HIDDEN, tree="t1", evidence=lines).evolve(
        exit="exit 1", warnings=("left running: grep",), results_missing="held.xml"
    )
    told = order.disclosed(report)
    assert told.criteria == (
        CriterionReport(name="tests", verdict=FAIL, evidence=("the hold-out check failed",)),
    )
    shown = told.model_dump_json()
    assert not any(word in shown for word in ("42", "grep", "held.xml", "exit 1"))


def test_a_base_that_passes_but_for_the_hold_out_is_worked_on():
    loop = Loop(make_spec(holdout=HELD)).start(PASS)
    assert loop.asked.evaluator.name == "holdout-1"
    assert (loop.asked.round, loop.asked.is_baseline) == (0, False)
    loop.judge(FAIL)
    assert isinstance(loop.asked, AdmitRound)
    assert [run.evaluator for run in loop.state.baseline] == ["tests"]


def test_a_base_that_passes_everything_meets_the_goal_without_a_round():
    loop = Loop(make_spec(holdout=HELD, confirm=2)).start(PASS)
    loop.judge(PASS)
    loop.judge(PASS)
    assert isinstance(loop.state.stop, GoalMet)
    assert loop.prompts == []


def test_the_hold_out_is_not_run_on_a_base_that_fails():
    loop = Loop(make_spec(holdout=HELD)).start(FAIL)
    assert [name for name, *_ in said(loop)] == ["tests"]


def snapshot_with_new_tests(loop):
    loop.prompt()
    loop.end_turn()
    loop.answer(Settled)
    taken = make_snapshot(1, "t1", new_tests=("tests/test_new.py",), new_tests_tree="t1+new")
    loop.answer(SnapshotTaken, snapshot=taken)
    return loop


def test_new_tests_are_run_in_a_second_pass():
    loop = snapshot_with_new_tests(
        Loop(make_spec(run_baseline=False, allow_new_tests=True, holdout=HELD)).start()
    )
    loop.judge(PASS)
    assert isinstance(loop.asked, RecallVerdicts)
    assert loop.asked.tree == "t1+new"
    loop.answer(VerdictsRecalled)
    assert (loop.asked.tree, loop.asked.stage) == ("t1+new", Stage.NEW_TESTS)
    loop.answer(EvaluatorFinished, report=make_report(tree="t1+new", verdict=PASS))
    loop.answer(VerdictsRecalled)
    assert (loop.asked.tree, loop.asked.stage) == ("t1", Stage.HOLDOUT)


def test_new_tests_that_fail_are_a_failure_of_their_own():
    loop = snapshot_with_new_tests(
        Loop(make_spec(run_baseline=False, allow_new_tests=True)).start()
    )
    loop.judge(PASS)
    loop.answer(VerdictsRecalled)
    loop.answer(EvaluatorFinished, report=make_report(tree="t1+new"))
    entries = [(entry.criterion, entry.verdict) for entry in loop.state.ledger.entries]
    assert entries == [("tests", PASS), ("tests (with the new tests)", FAIL)]


def test_new_tests_are_not_used_unless_the_user_says_so():
    loop = snapshot_with_new_tests(Loop(make_spec(run_baseline=False)).start())
    loop.judge(PASS)
    assert isinstance(loop.state.stop, GoalMet)


def test_new_tests_do_not_count_where_the_agent_works():
    spec = SHELL.evolve(isolation=Isolation.SAME_WORKSPACE)
    loop = snapshot_with_new_tests(
        Loop(make_spec(run_baseline=False, allow_new_tests=True, evaluators=(spec,))).start()
    )
    loop.judge(PASS)
    assert isinstance(loop.state.stop, GoalMet)


@pytest.mark.parametrize("verdict", [PASS, FAIL])
def test_a_verdict_on_what_moved_is_an_error(verdict):
    loop = judged_first()
    loop.answer(VerdictsRecalled)
    for _ in range(3):
        report = make_report(tree="t1", verdict=verdict).evolve(moved=("tests/test_a.py",))
        loop.answer(EvaluatorFinished, report=report)
    kept = loop.all(EvaluationRecorded)[-1].report
    assert kept.verdict is ERROR
    assert "written to while it was judged: tests/test_a.py" in kept.criteria[0].evidence[0]
    assert loop.state.stop.reason is ErrorReason.EVALUATOR_ERROR


def test_what_a_command_writes_to_by_itself_is_not_held_against_it():
    loop = Loop(make_spec()).start(None)
    moved = make_report(verdict=FAIL).evolve(moved=("version.txt",))
    loop.answer(EvaluatorFinished, report=moved)
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    report = make_report(tree="t1", verdict=PASS).evolve(moved=("version.txt",))
    loop.answer(EvaluatorFinished, report=report)
    assert isinstance(loop.state.stop, GoalMet)
