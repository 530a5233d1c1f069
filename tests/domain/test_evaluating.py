"""What evaluators say of a tree, again and again, and what becomes of it."""

import pytest
from loops import ERROR, FAIL, JUDGE, PASS, SHELL, Loop, make_report, make_spec

from loopctl.domain.budget import Budget
from loopctl.domain.effects import (
    AdmitRound,
    Evaluate,
    RecallVerdicts,
)
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.events import (
    EvaluatorFinished,
    LoopStarted,
    VerdictsRecalled,
)
from loopctl.domain.records import (
    CheckoutLacks,
    EvaluationRecorded,
    InvalidReport,
    RoundClosed,
)
from loopctl.domain.stop import (
    ErrorReason,
    GoalMet,
)


def test_a_green_evaluator_ends_the_loop_after_one_turn_of_ten():
    loop = Loop(make_spec(budget=Budget(max_rounds=10))).start()
    loop.round("t1", PASS, said="")
    loop.publish()
    assert loop.prompts == [1]
    assert isinstance(loop.state.stop, GoalMet)
    assert loop.state.stop.tree == "t1"


def test_a_base_that_cannot_be_judged_starts_nothing():
    loop = Loop().start(ERROR)
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.EVALUATOR_ERROR
    assert "tests: exit 1 (on the base commit" in loop.state.stop.detail


def test_a_base_that_fails_for_want_of_a_folder_says_so_and_goes_on():
    loop = Loop(make_spec(ignored_folders=("node_modules",))).start(FAIL)
    (row,) = loop.all(CheckoutLacks)
    assert row.folders == ("node_modules",)
    assert row.supply == '[evaluator] share = ["node_modules"]'
    assert isinstance(loop.asked, AdmitRound)


def test_a_base_that_cannot_be_judged_for_want_of_a_folder_says_so():
    loop = Loop(make_spec(ignored_folders=("node_modules",))).start(ERROR)
    assert "a checkout lacks what git ignores: node_modules" in loop.state.stop.next_step


def test_a_skipped_baseline_goes_straight_to_the_first_round():
    loop = Loop(make_spec(run_baseline=False)).start()
    assert isinstance(loop.asked, AdmitRound)
    assert loop.state.baseline == ()


def test_an_evaluator_error_is_retried_uses_no_round_and_is_bounded():
    loop = Loop().start()
    loop.round("t1", ERROR)
    loop.judge(ERROR)
    assert loop.asked.attempt == 3
    loop.judge(ERROR)
    loop.publish()
    assert loop.state.stop.reason is ErrorReason.EVALUATOR_ERROR
    assert "after 3 attempts" in loop.state.stop.detail
    assert loop.all(RoundClosed) == []


def test_an_evaluator_that_recovers_starts_its_attempts_afresh():
    loop = Loop().start()
    loop.round("t1", ERROR)
    loop.judge(FAIL)
    loop.round("t2", ERROR)
    assert loop.asked.attempt == 2


def test_a_known_verdict_on_the_same_tree_is_kept():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t0", changed=0)
    assert isinstance(loop.asked, RecallVerdicts)
    known = make_report(tree="t0").evolve(reused_from=0)
    loop.answer(VerdictsRecalled, reports=(known,))
    assert loop.all(EvaluationRecorded)[-1].report.reused_from == 0
    assert loop.all(RoundClosed)[-1].verdict is FAIL


@pytest.mark.parametrize(
    "useless",
    [
        make_report(tree="t1", verdict=ERROR),
        make_report(tree="t1", verdict=PASS, evidence=()),
        make_report(tree="t9", verdict=PASS),
        make_report(SHELL.evolve(name="other"), tree="t1", verdict=PASS),
        make_report(tree="t1", verdict=PASS),  # a stored row never becomes a verdict
    ],
)
def test_a_recalled_report_that_proves_nothing_is_run_again(useless):
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled, reports=(useless,))
    assert isinstance(loop.asked, Evaluate)


def test_a_pass_without_evidence_is_refused_on_record():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.judge(PASS, evidence=(" ",))
    assert loop.all(InvalidReport)[-1].refused == ("PASS of 'tests' without evidence",)
    assert loop.all(RoundClosed)[-1].verdict is FAIL


def test_same_workspace_is_judged_every_time():
    spec = SHELL.evolve(isolation=Isolation.SAME_WORKSPACE)
    loop = Loop(make_spec(evaluators=(spec,))).start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t0", changed=0)
    assert isinstance(loop.asked, Evaluate)


def test_every_evaluator_has_to_pass():
    other = SHELL.evolve(name="lint")
    loop = Loop(make_spec(evaluators=(SHELL, other))).start()
    loop.judge(FAIL)
    loop.round("t1", PASS)
    loop.judge(FAIL)
    closed = loop.all(RoundClosed)[-1]
    assert (closed.verdict, closed.passed, closed.judged) == (FAIL, 1, 2)


@pytest.mark.parametrize(
    ("changes", "duration_s", "timeout_s"),
    [({}, 1.0, 600.0), ({}, 400.0, 1200.0), ({"eval_timeout_s": 5.0}, 400.0, 5.0)],
)
def test_the_time_of_an_evaluator_comes_from_the_baseline(changes, duration_s, timeout_s):
    loop = Loop(make_spec(**changes))
    loop.feed(LoopStarted())
    loop.workspace()
    loop.answer(EvaluatorFinished, report=make_report(duration_s=duration_s))
    loop.round("t1", ERROR)
    assert loop.asked.timeout_s == timeout_s
    assert loop.asked.baseline_completed


def judges(*order, verdict=FAIL):
    """Which evaluators were asked in a round whose first report has this verdict."""
    loop = Loop(make_spec(evaluators=order, run_baseline=False)).start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.judge(verdict)
    return loop, [order.evaluator.name for order in loop.all(Evaluate)]


def test_a_judge_comes_after_what_costs_nothing():
    loop, asked = judges(JUDGE, SHELL, verdict=PASS)
    assert asked == ["tests", "judge"]
    loop.judgement(PASS)
    assert isinstance(loop.state.stop, GoalMet)


def test_a_judge_reads_a_checkout_that_nothing_has_used():
    loop, _ = judges(SHELL, JUDGE, verdict=PASS)
    first, second = loop.all(Evaluate)
    assert (first.fresh, second.fresh) == (False, True)  # its PASS is not paid for twice


def test_a_judge_may_veto():
    loop, _ = judges(SHELL, JUDGE, verdict=PASS)
    loop.judgement(FAIL)
    closed = loop.all(RoundClosed)[-1]
    assert (closed.verdict, closed.passed, closed.judged) == (FAIL, 1, 2)


def test_a_judge_is_not_paid_while_other_criteria_fail():
    loop, asked = judges(JUDGE, SHELL)
    assert asked == ["tests"]
    assert isinstance(loop.asked, AdmitRound)
    entries = {entry.criterion: entry for entry in loop.state.ledger.entries}
    assert entries["judge"].verdict is FAIL
    assert entries["judge"].headline == "not judged while other criteria fail"


def test_a_second_judge_is_not_paid_after_the_veto_of_the_first():
    loop, _ = judges(JUDGE, JUDGE.evolve(name="other"))
    assert [order.evaluator.name for order in loop.all(Evaluate)] == ["judge"]


def test_the_kept_veto_of_a_judge_does_not_keep_the_commands_from_being_run():
    loop = Loop(make_spec(evaluators=(JUDGE, SHELL), run_baseline=False)).start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled, reports=(make_report(JUDGE, tree="t1"),))
    loop.judge(PASS)
    assert [order.evaluator.name for order in loop.all(Evaluate)] == ["tests"]
    assert loop.all(RoundClosed)[-1].passed == 1


def test_a_judge_is_not_paid_again_where_the_second_look_at_a_command_fails():
    loop = Loop(make_spec(evaluators=(SHELL, JUDGE), run_baseline=False)).start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    for spec in (SHELL, JUDGE):
        report = make_report(spec, tree="t1", verdict=PASS).evolve(provisional=True)
        loop.answer(EvaluatorFinished, report=report)
    loop.judge(FAIL)
    assert [order.evaluator.name for order in loop.all(Evaluate)] == ["tests", "judge", "tests"]
    assert loop.all(RoundClosed)[-1].verdict is FAIL


def test_a_judge_is_not_paid_for_the_base_commit():
    loop = Loop(make_spec(evaluators=(SHELL, JUDGE))).start(PASS)
    assert isinstance(loop.asked, AdmitRound)
    assert [order.evaluator.name for order in loop.all(Evaluate)] == ["tests"]


def test_what_a_run_says_is_to_be_done_is_the_next_step():
    lines = ("the tools have changed: make", "what to do: loopctl status fix --restart")
    loop = Loop().start()
    loop.round("t1", ERROR)
    loop.judge(ERROR)
    loop.judge(ERROR, evidence=lines)
    assert loop.state.stop.next_step == "loopctl status fix --restart"
