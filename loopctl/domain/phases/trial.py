"""Trials of hardening: the base commit's tests once more, harder to deceive.

A trial judges nothing and leaves no verdict: it only tells whether the results stay the same.
"""

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.evaluation import BaselineRun, Evaluation
from loopctl.domain.hardening import TRIALS, Hardening, next_trial
from loopctl.domain.loop import LoopState
from loopctl.domain.records import HardeningTried


def first_trial(report: EvaluatorReport) -> Hardening:
    """What is tried after a baseline with this report."""
    if report.piped:
        return Hardening.PIPEFAIL
    return TRIALS[0] if report.hardenable and report.suite is not None else Hardening.NONE


def on_trial_finished(state: LoopState, report: EvaluatorReport) -> Decision:
    """Keep the hardening that was tried, or try less of it."""
    evaluation = state.open_evaluation
    *others, run = evaluation.runs
    same = _is_same(run, report)
    tried = HardeningTried(evaluator=run.evaluator, hardening=evaluation.trial, kept=same)
    if same:
        evaluation = evaluation.evolve(runs=(*others, run.evolve(hardening=evaluation.trial)))
    following = Hardening.NONE if same else next_trial(evaluation.trial)
    return Decision(state.evolve(evaluation=_following(evaluation, following)), (tried,))


def _is_same(run: BaselineRun, report: EvaluatorReport) -> bool:
    """Whether the verdict is the same, and so are all tests where there have to be some."""
    before, now = (None if suite is None else suite.digest for suite in (run.suite, report.suite))
    piped = report.hardening is Hardening.PIPEFAIL and report.verdict is not Verdict.ERROR
    passed = report.verdict is Verdict.PASS
    return (piped or before is not None) and before == now and run.passed == passed


def _following(evaluation: Evaluation, trial: Hardening) -> Evaluation:
    if trial is not Hardening.NONE:
        return evaluation.evolve(trial=trial)
    return evaluation.evolve(trial=trial, pending=evaluation.pending[1:])
