"""Hardening is tried on the base commit; a PASS of a used checkout is shown again."""

import pytest
from loops import ERROR, FAIL, PASS, SHELL, Loop, make_report, make_spec

from loopctl.domain.effects import AdmitRound, Evaluate, RecallVerdicts
from loopctl.domain.events import EvaluatorFinished, LoopStarted, VerdictsRecalled
from loopctl.domain.hardening import Hardening
from loopctl.domain.records import EvaluationRecorded, HardeningTried, RoundClosed
from loopctl.domain.stop import GoalMet
from loopctl.domain.suite import SuiteResult

RED = SuiteResult(passed=1, failed=1, skipped=0, digest="red", record="kept")
OTHER = RED.evolve(digest="other")


def base_report(suite=RED, *, hardenable=True, verdict=FAIL):
    return make_report(verdict=verdict).evolve(suite=suite, hardenable=hardenable)


def at_the_baseline():
    loop = Loop()
    loop.feed(LoopStarted())
    loop.workspace()
    return loop


def report(loop, answer):
    return loop.answer(EvaluatorFinished, report=answer)


def test_the_same_results_with_all_hardening_keep_it():
    loop = at_the_baseline()
    assert (loop.asked.hardening, loop.asked.fresh) == (Hardening.NONE, False)
    report(loop, base_report())
    assert (loop.asked.hardening, loop.asked.record_digest) == (Hardening.FULL, "kept")
    assert (loop.asked.round, loop.asked.fresh) == (0, False)
    flags = [(order.is_baseline, order.is_trial) for order in loop.all(Evaluate)]
    assert flags == [(True, False), (False, True)]
    report(loop, base_report())
    assert isinstance(loop.asked, AdmitRound)
    (tried,) = loop.all(HardeningTried)
    assert (tried.hardening, tried.kept) == (Hardening.FULL, True)
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    assert (loop.asked.hardening, loop.asked.record_digest) == (Hardening.FULL, "kept")


@pytest.mark.parametrize(
    "differing",
    [base_report(OTHER), base_report(None), base_report(verdict=PASS), make_report()],
)
def test_other_results_try_less_and_then_none(differing):
    loop = at_the_baseline()
    report(loop, base_report())
    report(loop, differing)
    assert loop.asked.hardening is Hardening.PLUGINS
    report(loop, differing)
    assert isinstance(loop.asked, AdmitRound)
    assert [each.kept for each in loop.all(HardeningTried)] == [False, False]
    assert loop.state.baseline[0].hardening is Hardening.NONE


def test_less_hardening_may_be_what_keeps_the_results():
    loop = at_the_baseline()
    report(loop, base_report())
    report(loop, base_report(OTHER))
    report(loop, base_report())
    assert loop.state.baseline[0].hardening is Hardening.PLUGINS


def test_a_trial_leaves_no_evaluation():
    loop = at_the_baseline()
    for answer in (base_report(), base_report()):
        report(loop, answer)
    assert len(loop.all(EvaluationRecorded)) == 1


def test_what_cannot_be_hardened_is_not_run_again():
    loop = at_the_baseline()
    report(loop, base_report(hardenable=False))
    assert isinstance(loop.asked, AdmitRound)
    assert loop.state.baseline[0].suite == RED


def test_each_evaluator_has_its_own_trial():
    lint = SHELL.evolve(name="lint")
    loop = Loop(make_spec(evaluators=(SHELL, lint)))
    loop.feed(LoopStarted())
    loop.workspace()
    report(loop, base_report())
    report(loop, base_report())
    assert (loop.asked.evaluator.name, loop.asked.hardening) == ("lint", Hardening.NONE)
    assert loop.asked.fresh  # the first one may have left something in a folder
    report(loop, make_report(lint))
    first, second = loop.state.baseline
    assert (first.hardening, second.hardening) == (Hardening.FULL, Hardening.NONE)


def test_a_baseline_that_passes_ends_the_loop_after_its_trial():
    loop = at_the_baseline()
    report(loop, base_report(verdict=PASS))
    report(loop, base_report(verdict=PASS))
    assert isinstance(loop.state.stop, GoalMet)


def judged_in_a_used_checkout(verdict=PASS):
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    used = make_report(tree="t1", verdict=verdict).evolve(provisional=True)
    loop.answer(EvaluatorFinished, report=used)
    return loop


def test_a_pass_of_a_used_checkout_is_shown_again_in_a_fresh_one():
    loop = judged_in_a_used_checkout()
    assert isinstance(loop.asked, Evaluate)
    assert loop.asked.fresh
    assert "fresh" in loop.asked.warnings[-1]
    assert not loop.all(RoundClosed)
    report(loop, make_report(tree="t1", verdict=PASS))
    assert isinstance(loop.state.stop, GoalMet)


def test_a_pass_that_a_fresh_checkout_does_not_show_is_none():
    loop = judged_in_a_used_checkout()
    report(loop, make_report(tree="t1", verdict=FAIL))
    assert loop.all(RoundClosed)[-1].verdict is FAIL
    assert isinstance(loop.asked, AdmitRound)


def test_a_failure_in_a_used_checkout_is_a_failure():
    loop = judged_in_a_used_checkout(FAIL)
    assert loop.all(RoundClosed)[-1].verdict is FAIL


def test_only_what_was_judged_in_a_used_checkout_is_shown_again():
    lint = SHELL.evolve(name="lint")
    loop = Loop(make_spec(evaluators=(SHELL, lint))).start()
    loop.judge(FAIL)
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    assert isinstance(loop.asked, RecallVerdicts)
    loop.answer(VerdictsRecalled)
    report(loop, make_report(tree="t1", verdict=PASS))
    report(loop, make_report(lint, tree="t1", verdict=PASS).evolve(provisional=True))
    assert (loop.asked.evaluator.name, loop.asked.fresh) == ("lint", True)
    report(loop, make_report(lint, tree="t1", verdict=PASS))
    closed = loop.all(RoundClosed)[-1]
    assert (closed.verdict, closed.passed, closed.judged) == (PASS, 2, 2)


def test_the_tests_of_a_round_are_counted():
    loop = Loop().start()
    loop.prompt()
    loop.end_turn()
    loop.snapshot("t1")
    loop.answer(VerdictsRecalled)
    report(loop, make_report(tree="t1").evolve(suite=RED.evolve(missing=3)))
    closed = loop.all(RoundClosed)[-1]
    assert (closed.tests_passed, closed.tests_total) == (1, 5)


def piped(verdict=FAIL, hardening=Hardening.NONE, **fields):
    return make_report(verdict=verdict).evolve(piped=True, hardening=hardening, **fields)


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        (piped(FAIL, Hardening.PIPEFAIL), True),
        (piped(PASS, Hardening.PIPEFAIL), False),
        (piped(ERROR, Hardening.PIPEFAIL), False),
        (piped(FAIL, Hardening.PIPEFAIL, suite=RED), False),
    ],
)
def test_a_pipeline_is_tried_once_without_results(answer, kept):
    loop = at_the_baseline()
    report(loop, piped())
    assert loop.asked.hardening is Hardening.PIPEFAIL
    report(loop, answer)
    assert isinstance(loop.asked, AdmitRound)
    (tried,) = loop.all(HardeningTried)
    assert (tried.hardening, tried.kept) == (Hardening.PIPEFAIL, kept)
    assert (loop.state.baseline[0].hardening is Hardening.PIPEFAIL) is kept
