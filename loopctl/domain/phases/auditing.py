"""The audit of a snapshot: every evaluator in scope, one after the other, then the verdict.

A new tree sets every criterion to FAIL; only an evaluator's report on this very tree turns one
to PASS. A FAIL of the same tree is kept, so that an empty round cannot re-roll a flaky check.
ERROR uses up no round: it is tried again and then ends the loop.
"""

from loopctl.domain.criteria import (
    REMEDY,
    EvaluatorReport,
    Verdict,
    admit_report,
    not_trusted,
)
from loopctl.domain.decision import Decision
from loopctl.domain.effects import Evaluate
from loopctl.domain.evaluation import Evaluation
from loopctl.domain.events import EvaluatorFinished, RetryRequested, TimerFired, VerdictsRecalled
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import LoopState, model_to_use
from loopctl.domain.phases import judges, stages
from loopctl.domain.phases.admission import enter_admit
from loopctl.domain.phases.concerns import raise_no_progress
from loopctl.domain.phases.ending import enter_ending, goal_met
from loopctl.domain.phases.ledgers import (
    all_fail,
    closed_round,
    has_passed,
    in_sight,
    is_left,
    judged_ledger,
    not_judged,
)
from loopctl.domain.records import AnyRecord, EvaluationRecorded, InvalidReport
from loopctl.domain.seen import and_named, with_left_out
from loopctl.domain.stage import Stage, told_of
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import Errored, ErrorReason
from loopctl.domain.stuck import verdict_on
from loopctl.domain.supplies import lacks, share_line

MAX_ATTEMPTS = 3
LEAST_TIMEOUT_S = 600.0
TIMEOUT_FACTOR = 3.0

_GENERAL_REMEDY = (
    "make the evaluator run in a clean checkout, then restart the loop (a command that was "
    "mistyped needs a new loop)"
)
_JUDGE_REMEDY = (
    "look at what it was asked and said with loopctl logs, then restart the loop (another "
    "--judge-model or rubric needs a new loop)"
)


def enter_evaluate(state: LoopState) -> Decision:
    """Judge the newest snapshot."""
    names = tuple(spec.name for spec in stages.in_order(state.spec.evaluators))
    flagged = state.evaluation is not None
    state = state.ordered(
        phase=Phase.AUDITING,
        step=Step.EVALUATE,
        ledger=all_fail(state),
        evaluation=Evaluation(pending=names, flagged=flagged),
    )
    return stages.recall(state) or _evaluate_next(state)


def on_recalled(state: LoopState, event: VerdictsRecalled) -> Decision:
    """Keep what is known to fail on this tree, run the rest.

    A kept FAIL cannot be re-rolled. A PASS is shown again: no stored row becomes a verdict.
    """
    records: list[AnyRecord] = []
    evaluation = state.open_evaluation
    for stored in event.reports:
        if not stages.recalled(state, stored):
            continue
        report = stored.evolve(stage=evaluation.stage)
        admitted = admit_report(state.evaluator(report.evaluator), report)
        if admitted.refused or admitted.report.verdict is not Verdict.FAIL:
            continue
        records.append(
            EvaluationRecorded(round=state.round_number, attempt=1, report=admitted.report)
        )
        evaluation = _collect(evaluation, admitted.report)
    return Decision(state.evolve(evaluation=evaluation), tuple(records)).then(_evaluate_next)


def on_finished(state: LoopState, event: EvaluatorFinished) -> Decision:
    """One evaluator has reported."""
    evaluation = state.open_evaluation
    report, records = admitted_records(state, event.report, evaluation.attempt)
    if report.verdict is not Verdict.ERROR:
        state = remembered(state, report).evolve(evaluation=_collect(evaluation, report))
        return Decision(state, records).then(_evaluate_next)
    hold_up = judges.held_up(state, report)
    if hold_up is not None:
        decision = Decision(state, records).then(lambda _: hold_up)
        waits = decision.state.step is not Step.EVALUATE
        return decision if waits else decision.then(_evaluate_next)
    decision = Decision(state, records)
    if report.judged is not None and report.judged.model_failed:
        decision = decision.then(lambda state: judges.judge_failed(state, report))
    if evaluation.attempt >= MAX_ATTEMPTS:
        stop = evaluator_error(report, f"after {evaluation.attempt} attempts")
        if judges.models_of(state, report.evaluator):
            stop = stop.evolve(next_step=_JUDGE_REMEDY)
        return decision.then(lambda state: enter_ending(state, stop))
    again = evaluation.evolve(attempt=evaluation.attempt + 1)
    return decision.then(lambda state: _evaluate_next(state.evolve(evaluation=again)))


def on_wait_over(state: LoopState, event: TimerFired | RetryRequested) -> Decision:
    """The provider's limit should be lifted, or a user wants to know."""
    del event
    return _evaluate_next(state.evolve(waiting=None))


def admitted_records(
    state: LoopState, report: EvaluatorReport, attempt: int
) -> tuple[EvaluatorReport, tuple[AnyRecord, ...]]:
    """Apply the ledger's rules to a report; return it with the rows that it leaves."""
    round_number = state.round_number if state.phase is Phase.AUDITING else 0
    report = report.evolve(stage=state.open_evaluation.stage)
    spec = state.evaluator(report.evaluator)
    admitted = admit_report(spec, with_left_out(spec, report, state.seen))
    moved = _moved(state, report)
    if moved:
        admitted = admitted.evolve(report=not_trusted(admitted.report, moved))
    records: tuple[AnyRecord, ...] = (
        EvaluationRecorded(round=round_number, attempt=attempt, report=admitted.report),
    )
    if admitted.refused:
        refusal = InvalidReport(
            round=round_number, evaluator=report.evaluator, refused=admitted.refused
        )
        records = (*records, refusal)
    return admitted.report, records


def _moved(state: LoopState, report: EvaluatorReport) -> tuple[str, ...]:
    """What was written to while it was judged, but for what the commands write to by themselves.

    They were seen to do so on the base commit, before an agent existed.
    """
    if state.is_first_look:
        return ()
    own = {path for run in state.baseline_runs for path in run.moved}
    return tuple(path for path in report.moved if path not in own)


def remembered(state: LoopState, report: EvaluatorReport) -> LoopState:
    """The state in which the criteria of an admitted report are known.

    What is named of new tests goes away with them, and what is held out is nobody's business.
    """
    if report.stage not in {Stage.FIRST, Stage.AGAIN}:
        return state
    spec = state.evaluator(report.evaluator)
    number = state.round_number if state.phase is Phase.AUDITING else 0
    return state.evolve(seen=and_named(spec, report, state.seen, number))


def evaluate_order(state: LoopState, name: str, *, baseline: bool) -> Evaluate:
    """The order to run the evaluator called ``name`` on the tree of the stage under way."""
    evaluation = state.open_evaluation
    models = judges.models_of(state, name)
    run = state.baseline_run(name)
    restored = () if state.snapshot is None else state.snapshot.restored
    warnings = [f"{change.path} was changed ({change.kind})" for change in restored]
    hardening = Hardening.NONE if run is None else run.hardening
    trying = baseline and evaluation.stage is Stage.FIRST
    return Evaluate(
        order=state.order,
        evaluator=state.evaluator(name),
        tree=stages.tree_of(state),
        round=0 if baseline else state.round_number,
        attempt=evaluation.attempt,
        timeout_s=_timeout(state, name),
        baseline_completed=run is not None,
        flagged=evaluation.flagged,
        warnings=(*warnings, *told_of(evaluation.stage)),
        record_digest="" if run is None or run.suite is None else run.suite.record,
        hardening=evaluation.trial if trying else hardening,
        # A judge is paid for: its PASS should not have to be shown again.
        fresh=evaluation.fresh or bool(models) or (baseline and _is_later(evaluation)),
        model=model_to_use(models, state.failed_models),
        stage=evaluation.stage,
        showing=evaluation.shown + 1,
    )


def _is_later(evaluation: Evaluation) -> bool:
    """Whether the checkout of a baseline, which may end the loop, could have been used before."""
    return bool(evaluation.runs) and evaluation.trial is Hardening.NONE


def evaluator_error(report: EvaluatorReport, when: str, missing: tuple[str, ...] = ()) -> Errored:
    """The stop condition of an evaluator that judges nothing.

    Args:
        report: its last one.
        when: the circumstances, for people.
        missing: ignored folders of the user's checkout, which may be what it lacks.
    """
    evidence = next((line for entry in report.criteria for line in entry.headline), "")
    lines = (line for entry in report.criteria for line in entry.evidence)
    remedy = next((line.removeprefix(REMEDY) for line in lines if line.startswith(REMEDY)), "")
    return Errored(
        reason=ErrorReason.EVALUATOR_ERROR,
        detail=f"{report.evaluator}: {evidence or report.exit or 'nothing was judged'} ({when})",
        next_step=(remedy or _GENERAL_REMEDY)
        + (f" ({lacks(missing)}; {share_line(missing)} supplies them)" if missing else ""),
    )


def _evaluate_next(state: LoopState) -> Decision:
    pending = state.open_evaluation.pending
    if not pending or _is_futile(state, pending[0]):
        return _verdict(state)
    state = state.ordered(step=Step.EVALUATE)
    return Decision(state, effects=(evaluate_order(state, pending[0], baseline=False),))


def _is_futile(state: LoopState, name: str) -> bool:
    """Whether a judge would be paid for nothing: it may veto, and cannot overrule a failure."""
    failed = any(report.verdict is Verdict.FAIL for report in state.open_evaluation.reports)
    return failed and not state.evaluator(name).is_deterministic


def _verdict(state: LoopState) -> Decision:
    """All evaluators of a stage have reported: show more, end, or go on with the next round."""
    reports = state.open_evaluation.all_reports
    ledger = judged_ledger(state.judged_tree, reports)
    following = stages.following_stage(state) if ledger.is_clean and not is_left(state) else None
    if following is not None:
        state = state.ordered(evaluation=following)
        return stages.recall(state) or _evaluate_next(state)
    ledger = ledger.evolve(entries=(*ledger.entries, *not_judged(state)))
    closed = closed_round(state, ledger, reports)
    state = state.evolve(
        ledger=ledger,
        evaluation=None,
        round=None,
        ever_passed=state.ever_passed or has_passed(state, ledger, reports),
    )
    decision = Decision(state, records=(closed,))
    if ledger.is_clean:
        return decision.then(lambda state: enter_ending(state, goal_met(state)))
    failing = next(entry for entry in ledger.entries if entry.verdict is not Verdict.PASS)
    stop = verdict_on(state.streaks, state.judged_tree, failing.headline or failing.criterion)
    if stop is not None:
        return decision.then(lambda state: enter_ending(state, stop))
    is_finer = len(in_sight(state, ledger)) > 1 or any(
        report.suite is not None and report.suite.total > 1 for report in reports
    )
    decision = decision.then(lambda state: raise_no_progress(state, is_finer=is_finer))
    return decision.then(_next_round)


def _next_round(state: LoopState) -> Decision:
    return Decision(state) if state.stop is not None else enter_admit(state)


def _collect(evaluation: Evaluation, report: EvaluatorReport) -> Evaluation:
    if evaluation.fresh:
        report = report.evolve(provisional=False)
    return evaluation.evolve(
        pending=tuple(name for name in evaluation.pending if name != report.evaluator),
        attempt=1,
        limits=0,
        reports=(*evaluation.reports, report.headlines()),
    )


def _timeout(state: LoopState, name: str) -> float:
    if state.spec.eval_timeout_s is not None:
        return state.spec.eval_timeout_s
    runs = [run for run in state.baseline_runs if run.evaluator == name] or state.baseline_runs
    return max([LEAST_TIMEOUT_S, *(TIMEOUT_FACTOR * run.duration_s for run in runs)])
