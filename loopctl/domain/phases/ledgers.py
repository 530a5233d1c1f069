"""What reports come to: the ledger of a tree, and the row of a round.

FAIL until proved: a criterion that nobody has reported on is FAIL.
"""

from loopctl.domain.criteria import EvaluatorReport, Verdict
from loopctl.domain.evaluator_spec import EvaluatorSpec
from loopctl.domain.ledger import Ledger, LedgerEntry
from loopctl.domain.loop import LoopState
from loopctl.domain.records import RoundClosed
from loopctl.domain.stage import Stage

_SHOWN_WITH = {Stage.NEW_TESTS: " (with the new tests)"}


def judged_ledger(tree: str, reports: tuple[EvaluatorReport, ...]) -> Ledger:
    """The ledger that complete reports on ``tree`` give."""
    return Ledger(
        tree=tree,
        judged=True,
        entries=tuple(
            LedgerEntry(
                evaluator=report.evaluator,
                criterion=entry.name + _SHOWN_WITH.get(report.stage, ""),
                verdict=entry.verdict,
                headline=next(iter(entry.headline), ""),
            )
            for report in reports
            for entry in report.criteria
        ),
    )


def has_passed(state: LoopState, ledger: Ledger, reports: tuple[EvaluatorReport, ...]) -> bool:
    """Whether anything passes: a criterion, or more tests than at the base commit."""
    if any(entry.verdict is Verdict.PASS for entry in ledger.entries):
        return True
    for report in reports:
        run = state.baseline_run(report.evaluator)
        before = None if run is None else run.suite
        if before and report.suite and report.suite.passed > before.passed:
            return True
    return False


def in_sight(state: LoopState, ledger: Ledger) -> tuple[LedgerEntry, ...]:
    """The entries that the agent works toward; a hold-out is judged when they have passed."""
    hidden = {spec.name for spec in state.spec.holdouts}
    return tuple(entry for entry in ledger.entries if entry.evaluator not in hidden)


def is_left(state: LoopState) -> bool:
    """Whether the stage under way has an evaluator that was not asked."""
    return bool(state.open_evaluation.pending)


def not_judged(state: LoopState) -> tuple[LedgerEntry, ...]:
    """The criteria that nobody was asked about, because others fail."""
    judged = {report.evaluator for report in state.open_evaluation.all_reports}
    return tuple(
        LedgerEntry(
            evaluator=spec.name,
            criterion=criterion,
            verdict=Verdict.FAIL,
            headline="not judged while other criteria fail",
        )
        for spec in state.spec.all_evaluators
        if spec.name not in judged
        for criterion in _declared(spec)
    )


def closed_round(
    state: LoopState, ledger: Ledger, reports: tuple[EvaluatorReport, ...]
) -> RoundClosed:
    """The row of a round on which everybody in scope has reported."""
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


def all_fail(state: LoopState) -> Ledger:
    """The ledger of a tree that nobody has judged."""
    return Ledger(
        tree=state.judged_tree,
        entries=tuple(
            LedgerEntry(evaluator=spec.name, criterion=name, verdict=Verdict.FAIL)
            for spec in state.spec.all_evaluators
            for name in _declared(spec)
        ),
    )


def _declared(spec: EvaluatorSpec) -> tuple[str, ...]:
    declared = spec.criteria.declared
    return (spec.name,) if declared is None else declared
