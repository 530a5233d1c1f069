"""A contract that was seen to name a criterion has to name it for ever."""

import pytest
from loops import ERROR, FAIL, PASS, SHELL, Loop, make_report, make_spec

from loopctl.domain.criteria import CriterionReport
from loopctl.domain.evaluator_spec import Contract, Isolation
from loopctl.domain.events import EvaluatorFinished, VerdictsRecalled
from loopctl.domain.loop import begin
from loopctl.domain.phases.auditing import remembered
from loopctl.domain.seen import MAX_SEEN, and_named, with_left_out
from loopctl.domain.stage import Stage
from loopctl.domain.stop import GoalMet

CONTRACT = SHELL.evolve(criteria=Contract(name="agreed"), isolation=Isolation.SAME_WORKSPACE)


def report(**verdicts):
    return make_report().evolve(
        criteria=tuple(
            CriterionReport(name=name, verdict=verdict, evidence=("seen",))
            for name, verdict in verdicts.items()
        )
    )


def seen(number=0, **verdicts):
    return and_named(CONTRACT, report(**verdicts), (), number)


def verdicts(judged):
    return {entry.name: entry.verdict for entry in judged.criteria}


def test_what_is_left_out_fails():
    judged = with_left_out(CONTRACT, report(api=PASS), seen(2, api=FAIL, speed=FAIL))
    assert verdicts(judged) == {"api": PASS, "speed": FAIL}
    assert judged.criteria[-1].evidence == ("named in round 2, not in this report",)


def test_what_declares_its_criteria_has_no_such_floor():
    before = seen(api=FAIL)
    assert with_left_out(SHELL, report(tests=PASS), before) == report(tests=PASS)
    assert and_named(SHELL, report(tests=PASS), before, 1) == before


def test_nobody_is_asked_for_the_criteria_of_another_evaluator():
    other = CONTRACT.evolve(name="other")
    assert with_left_out(other, report(api=PASS), seen(speed=FAIL)) == report(api=PASS)


def test_an_error_names_nothing_and_lacks_nothing():
    before = seen(api=FAIL)
    assert and_named(CONTRACT, report(other=ERROR), before, 1) == before
    assert with_left_out(CONTRACT, report(other=ERROR), before) == report(other=ERROR)


def test_a_report_without_criteria_stands_under_a_name_that_is_no_criterion():
    assert seen(tests=FAIL) == ()


def test_what_is_remembered_is_bounded():
    names = {f"c{number}": FAIL for number in range(MAX_SEEN + 50)}
    first = seen(**names)
    assert len(first) == MAX_SEEN
    assert and_named(CONTRACT, report(late=FAIL), first, 1) == first


@pytest.mark.parametrize("stage", [Stage.NEW_TESTS, Stage.HOLDOUT])
def test_what_the_agent_adds_or_never_sees_is_not_remembered(stage):
    """New tests may go again; of a hold-out no name may come to light."""
    state = begin(make_spec(evaluators=(CONTRACT,)))
    assert remembered(state, report(api=FAIL)).seen
    assert remembered(state, report(api=FAIL).evolve(stage=stage)).seen == ()


def judge(loop, **verdicts):
    return loop.answer(
        EvaluatorFinished, report=report(**verdicts).evolve(tree=loop.state.judged_tree)
    )


def one_round(loop, tree, **verdicts):
    loop.prompt()
    loop.end_turn()
    loop.snapshot(tree)
    return judge(loop, **verdicts)


def test_a_loop_is_not_green_by_a_criterion_that_went_away():
    loop = Loop(make_spec(evaluators=(CONTRACT,)))
    loop.start(baseline=None)
    judge(loop, api=FAIL)
    one_round(loop, "t1", api=PASS, speed=FAIL)
    one_round(loop, "t2", speed=PASS)
    lines = {entry.criterion: entry.headline for entry in loop.state.ledger.entries}
    assert lines["api"] == "named on the base commit, not in this report"
    one_round(loop, "t3", api=PASS)
    lines = {entry.criterion: entry.headline for entry in loop.state.ledger.entries}
    assert lines["speed"] == "named in round 1, not in this report"
    one_round(loop, "t4", api=PASS, speed=PASS)
    loop.publish()
    assert isinstance(loop.state.stop, GoalMet)


def test_a_kept_failure_is_not_judged_again_for_what_was_named_since():
    spec = CONTRACT.evolve(isolation=Isolation.SEPARATE_WORKTREE)
    loop = Loop(make_spec(evaluators=(spec,), run_baseline=False)).start()
    for tree, named in (("t1", {"api": FAIL}), ("t2", {"api": FAIL, "speed": FAIL})):
        loop.prompt()
        loop.end_turn()
        loop.snapshot(tree)
        loop.answer(VerdictsRecalled, reports=())
        judge(loop, **named)
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    kept = report(api=FAIL).evolve(tree="t1", reused_from=1)
    loop.answer(VerdictsRecalled, reports=(kept,))
    assert [entry.criterion for entry in loop.state.ledger.entries] == ["api"]
    assert loop.state.last_round == 3
