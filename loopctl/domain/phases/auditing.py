"""The audit of a snapshot: every evaluator in scope, one after the other, then the verdict.

A new tree sets every criterion to FAIL; only an evaluator's report on this very tree turns one
to PASS. A FAIL of the same tree is kept, so that an empty round cannot re-roll a flaky check.
ERROR uses up no round: it is tried again and then ends the loop.
"""

from loopctl.domain.criteria import EvaluatorReport, Verdict, admit_report
from loopctl.domain.decision import Decision
from loopctl.domain.effects import Evaluate, RecallVerdicts
from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation
from loopctl.domain.events import EvaluatorFinished, VerdictsRecalled
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import Evaluation, Ledger, LedgerEntry, LoopState
from loopctl.domain.phases.admission import enter_admit
from loopctl.domain.phases.ending import enter_ending, goal_met
from loopctl.domain.records import AnyRecord, EvaluationRecorded, InvalidReport, RoundClosed
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import Errored, ErrorReason
from loopctl.domain.stuck import verdict_on
from loopctl.domain.supplies import lacks, share_line

MAX_ATTEMPTS = 3
LEAST_TIMEOUT_S = 600.0
TIMEOUT_FACTOR = 3.0
SHOWN_AGAIN = "passed in a checkout that was used before: shown again in a fresh one"


def enter_evaluate(state: LoopState) -> Decision:
    """Judge the newest snapshot."""
    names = tuple(spec.name for spec in state.spec.evaluators)
    flagged = state.evaluation is not None
    state = state.ordered(
        phase=Phase.AUDITING,
        step=Step.EVALUATE,
        ledger=_all_fail(state),
        evaluation=Evaluation(pending=names, flagged=flagged),
    )
    recallable = tuple(
        spec for spec in state.spec.evaluators if spec.isolation is not Isolation.SAME_WORKSPACE
    )
    if not recallable:
        return _evaluate_next(state)
    effect = RecallVerdicts(order=state.order, tree=state.judged_tree, evaluators=recallable)
    return Decision(state, effects=(effect,))


def on_recalled(state: LoopState, event: VerdictsRecalled) -> Decision:
    """Keep what is known to fail on this tree, run the rest.

    A kept FAIL cannot be re-rolled. A PASS is shown again: no stored row becomes a verdict.
    """
    records: list[AnyRecord] = []
    evaluation = state.open_evaluation
    for report in event.reports:
        if report.evaluator not in evaluation.pending or report.tree != state.judged_tree:
            continue
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
        state = state.evolve(evaluation=_collect(evaluation, report))
        return Decision(state, records).then(_evaluate_next)
    if evaluation.attempt >= MAX_ATTEMPTS:
        stop = evaluator_error(report, f"after {evaluation.attempt} attempts")
        return Decision(state, records).then(lambda state: enter_ending(state, stop))
    state = state.evolve(evaluation=evaluation.evolve(attempt=evaluation.attempt + 1))
    return Decision(state, records).then(_evaluate_next)


def admitted_records(
    state: LoopState, report: EvaluatorReport, attempt: int
) -> tuple[EvaluatorReport, tuple[AnyRecord, ...]]:
    """Apply the ledger's rules to a report; return it with the rows that it leaves."""
    round_number = state.round_number if state.phase is Phase.AUDITING else 0
    admitted = admit_report(state.evaluator(report.evaluator), report)
    records: tuple[AnyRecord, ...] = (
        EvaluationRecorded(round=round_number, attempt=attempt, report=admitted.report),
    )
    if admitted.refused:
        refusal = InvalidReport(
            round=round_number, evaluator=report.evaluator, refused=admitted.refused
        )
        records = (*records, refusal)
    return admitted.report, records


def evaluate_order(state: LoopState, name: str, *, baseline: bool) -> Evaluate:
    """The order to run the evaluator called ``name`` on the judged tree."""
    evaluation = state.open_evaluation
    run = state.baseline_run(name)
    restored = () if state.snapshot is None else state.snapshot.restored
    warnings = [f"{change.path} was changed ({change.kind})" for change in restored]
    hardening = Hardening.NONE if run is None else run.hardening
    return Evaluate(
        order=state.order,
        evaluator=state.evaluator(name),
        tree=state.judged_tree,
        round=0 if baseline else state.round_number,
        attempt=evaluation.attempt,
        timeout_s=_timeout(state, name),
        baseline_completed=run is not None,
        flagged=evaluation.flagged,
        warnings=(*warnings, *([SHOWN_AGAIN] if evaluation.fresh else [])),
        record_digest="" if run is None or run.suite is None else run.suite.record,
        hardening=evaluation.trial if baseline else hardening,
        fresh=evaluation.fresh or (baseline and _is_later(evaluation)),
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
    return Errored(
        reason=ErrorReason.EVALUATOR_ERROR,
        detail=f"{report.evaluator}: {evidence or report.exit or 'nothing was judged'} ({when})",
        next_step="make the evaluator run in a clean checkout, then restart the loop (a command "
        "that was mistyped needs a new loop)"
        + (f" ({lacks(missing)}; {share_line(missing)} supplies them)" if missing else ""),
    )


def judged_ledger(tree: str, reports: tuple[EvaluatorReport, ...]) -> Ledger:
    """The ledger that complete reports on ``tree`` give."""
    return Ledger(
        tree=tree,
        judged=True,
        entries=tuple(
            LedgerEntry(
                evaluator=report.evaluator,
                criterion=entry.name,
                verdict=entry.verdict,
                headline=next(iter(entry.headline), ""),
            )
            for report in reports
            for entry in report.criteria
        ),
    )


def _evaluate_next(state: LoopState) -> Decision:
    pending = state.open_evaluation.pending
    if not pending:
        return _verdict(state)
    state = state.ordered()
    return Decision(state, effects=(evaluate_order(state, pending[0], baseline=False),))


def _verdict(state: LoopState) -> Decision:
    """All evaluators have reported: end, or go on with the next round."""
    reports = state.open_evaluation.reports
    ledger = judged_ledger(state.judged_tree, reports)
    if ledger.is_clean and any(report.provisional for report in reports):
        return _show_again(state)
    closed = _closed(state, ledger, reports)
    state = state.evolve(ledger=ledger, evaluation=None, round=None)
    decision = Decision(state, records=(closed,))
    if ledger.is_clean:
        return decision.then(lambda state: enter_ending(state, goal_met(state)))
    failing = next(entry for entry in ledger.entries if entry.verdict is not Verdict.PASS)
    stop = verdict_on(state.streaks, state.judged_tree, failing.headline or failing.criterion)
    if stop is not None:
        return decision.then(lambda state: enter_ending(state, stop))
    return decision.then(enter_admit)


def _show_again(state: LoopState) -> Decision:
    """A PASS counts when nothing that an earlier evaluation left can have brought it about."""
    evaluation = state.open_evaluation
    shown = tuple(report for report in evaluation.reports if not report.provisional)
    pending = tuple(report.evaluator for report in evaluation.reports if report.provisional)
    again = Evaluation(pending=pending, reports=shown, flagged=evaluation.flagged, fresh=True)
    return Decision(state.evolve(evaluation=again)).then(_evaluate_next)


def _closed(state: LoopState, ledger: Ledger, reports: tuple[EvaluatorReport, ...]) -> RoundClosed:
    suites = [report.suite for report in reports if report.suite is not None]
    return RoundClosed(
        round=state.round_number,
        verdict=Verdict.PASS if ledger.is_clean else Verdict.FAIL,
        passed=sum(entry.verdict is Verdict.PASS for entry in ledger.entries),
        judged=len(ledger.entries),
        changed=0 if state.snapshot is None else state.snapshot.changed,
        tests_passed=sum(suite.passed for suite in suites) if suites else None,
        tests_total=sum(suite.total for suite in suites) if suites else None,
    )


def _collect(evaluation: Evaluation, report: EvaluatorReport) -> Evaluation:
    if evaluation.fresh:
        report = report.evolve(provisional=False)
    return evaluation.evolve(
        pending=tuple(name for name in evaluation.pending if name != report.evaluator),
        attempt=1,
        reports=(*evaluation.reports, report.headlines()),
    )


def _all_fail(state: LoopState) -> Ledger:
    return Ledger(
        tree=state.judged_tree,
        entries=tuple(
            LedgerEntry(evaluator=spec.name, criterion=name, verdict=Verdict.FAIL)
            for spec in state.spec.evaluators
            for name in _declared(spec)
        ),
    )


def _declared(spec: EvaluatorSpec) -> tuple[str, ...]:
    declared = spec.criteria.declared
    return (spec.name,) if declared is None else declared


def _timeout(state: LoopState, name: str) -> float:
    if state.spec.eval_timeout_s is not None:
        return state.spec.eval_timeout_s
    run = state.baseline_run(name)
    return max(LEAST_TIMEOUT_S, 0.0 if run is None else TIMEOUT_FACTOR * run.duration_s)
