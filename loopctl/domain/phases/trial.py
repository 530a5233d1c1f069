"""Trials of hardening: the base commit's tests once more, harder to deceive.

A trial judges nothing and leaves no verdict: it only tells whether the results stay the same.
"""

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.hardening import TRIALS, Hardening, next_trial
from loopctl.domain.loop import BaselineRun, Evaluation, LoopState
from loopctl.domain.records import HardeningTried


def first_trial(report: EvaluatorReport) -> Hardening:
    """What is tried after a baseline with this report."""
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
    if run.suite is None or report.suite is None or report.suite.digest != run.suite.digest:
        return False
    return run.passed == (report.verdict is Verdict.PASS)


def _following(evaluation: Evaluation, trial: Hardening) -> Evaluation:
    if trial is not Hardening.NONE:
        return evaluation.evolve(trial=trial)
    return evaluation.evolve(trial=trial, pending=evaluation.pending[1:])
