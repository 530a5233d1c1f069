"""Before the first round: a worktree, and what the evaluators say of the base commit.

A restart comes through here as well: once the worktree is there, the state itself tells how to
go on. Work that was done is never done again, and work that was not judged is judged before any
more of it is paid for.
"""

from loopctl.domain.baseline_doubts import baseline_notices
from loopctl.domain.criteria import Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.effects import PrepareWorkspace
from loopctl.domain.evaluation import BaselineRun, Evaluation
from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.events import EvaluatorFinished, LoopStarted, WorkspaceLost, WorkspaceReady
from loopctl.domain.hardening import Hardening
from loopctl.domain.loop import LoopState
from loopctl.domain.phases.admission import enter_admit
from loopctl.domain.phases.auditing import (
    admitted_records,
    enter_evaluate,
    evaluate_order,
    evaluator_error,
    remembered,
)
from loopctl.domain.phases.ending import enter_ending, finish, goal_met
from loopctl.domain.phases.ledgers import judged_ledger
from loopctl.domain.phases.settling import enter_settle
from loopctl.domain.phases.stages import following_stage
from loopctl.domain.phases.trial import first_trial, on_trial_finished
from loopctl.domain.records import CheckoutLacks
from loopctl.domain.snapshot import Published
from loopctl.domain.stage import Stage
from loopctl.domain.step import Step
from loopctl.domain.stop import Errored, ErrorReason
from loopctl.domain.supplies import missing_folders, share_line


def on_started(state: LoopState, event: LoopStarted) -> Decision:
    """The row is there: make the worktree."""
    del event
    return prepare_workspace(state)


def prepare_workspace(state: LoopState) -> Decision:
    """Order the worktree; everything else waits for it."""
    state = state.ordered(step=Step.BASELINE)
    effect = PrepareWorkspace(
        order=state.order, snapshot=state.snapshot, first_time=not state.workspace
    )
    return Decision(state, effects=(effect,))


def on_workspace(state: LoopState, event: WorkspaceReady) -> Decision:
    """The worktree is there: go on where the state says."""
    return resume(state.evolve(workspace=event.path, branch_tip=event.branch_tip))


def on_workspace_lost(state: LoopState, event: WorkspaceLost) -> Decision:
    """There is nothing to go on with."""
    stop = Errored(reason=ErrorReason.WORKSPACE_LOST, detail=event.detail)
    return finish(state.evolve(step=Step.ENDING, stop=stop), Published(commit=""))


def resume(state: LoopState) -> Decision:
    """What comes next in a loop whose worktree is ready and for which nothing is under way."""
    current = state.round
    if current is not None and current.result is not None:
        return enter_settle(state)
    if state.stop is not None:
        return enter_ending(state, state.stop)
    if state.baseline is None:
        return _enter_baseline(state)
    if _awaits_verdict(state):
        return enter_evaluate(state)
    if state.ledger.is_clean:
        return enter_ending(state, goal_met(state))
    return enter_admit(state)


def _awaits_verdict(state: LoopState) -> bool:
    """Whether there is a snapshot that nobody has judged, or whose round is still open."""
    snapshot = state.snapshot
    if snapshot is None:
        return False
    unjudged = state.ledger.tree != snapshot.judged_tree or not state.ledger.judged
    return unjudged or (state.round is not None and state.round.number == snapshot.round)


def on_baseline_finished(state: LoopState, event: EvaluatorFinished) -> Decision:
    """One evaluator has judged the base commit."""
    evaluation = state.open_evaluation
    if evaluation.trial is not Hardening.NONE:
        return on_trial_finished(state, event.report).then(_baseline_next)
    report, records = admitted_records(state, event.report, evaluation.attempt)
    records = (*records, *baseline_notices(report))
    decision = Decision(state, records)
    if report.verdict is Verdict.ERROR:
        missing = _missing(state, (report.evaluator,))
        stop = evaluator_error(report, "on the base commit, before any round", missing)
        return decision.then(lambda state: enter_ending(state, stop))
    if evaluation.stage is not Stage.FIRST:
        evaluation = evaluation.evolve(
            pending=evaluation.pending[1:],
            reports=(*evaluation.reports, report.evolve(provisional=False).headlines()),
        )
        state = remembered(state, report).evolve(evaluation=evaluation)
        return Decision(state, records).then(_baseline_next)
    run = BaselineRun(
        evaluator=report.evaluator,
        duration_s=report.duration_s,
        passed=report.verdict is Verdict.PASS,
        suite=report.suite,
        moved=report.moved,
    )
    trial = first_trial(report)
    evaluation = evaluation.evolve(
        pending=evaluation.pending[trial is Hardening.NONE :],
        reports=(*evaluation.reports, report.headlines()),
        runs=(*evaluation.runs, run),
        trial=trial,
    )
    state = remembered(state, report).evolve(evaluation=evaluation)
    return Decision(state, records).then(_baseline_next)


def _enter_baseline(state: LoopState) -> Decision:
    """Run what costs nothing on the base commit."""
    names = tuple(spec.name for spec in state.spec.evaluators if spec.is_deterministic)
    if not state.spec.run_baseline or not names:
        return resume(state.evolve(baseline=()))
    return _baseline_next(state.evolve(evaluation=Evaluation(pending=names)))


def _baseline_next(state: LoopState) -> Decision:
    evaluation = state.open_evaluation
    if evaluation.pending:
        state = state.ordered()
        effect = evaluate_order(state, evaluation.pending[0], baseline=True)
        return Decision(state, effects=(effect,))
    runs = evaluation.runs
    following = _more_to_show(state)
    if following is not None:
        return _baseline_next(state.evolve(evaluation=following))
    passed = any(
        entry.verdict is Verdict.PASS for one in evaluation.all_reports for entry in one.criteria
    )
    state = state.evolve(baseline=runs, evaluation=None, ever_passed=state.ever_passed or passed)
    missing = _missing(state, tuple(run.evaluator for run in runs if not run.passed))
    if missing:  # a FAIL may well be honest: it is said, and the loop goes on
        lacking = CheckoutLacks(folders=missing, supply=share_line(missing))
        return Decision(state, (lacking,)).then(resume)
    if _has_passed(state, evaluation):
        state = state.evolve(ledger=judged_ledger(state.spec.base_tree, evaluation.all_reports))
    return resume(state)


def _has_passed(state: LoopState, evaluation: Evaluation) -> bool:
    """Whether everything in scope was judged and has passed so far."""
    reports = evaluation.all_reports
    judged = {report.evaluator for report in reports}
    return all(spec.name in judged for spec in state.spec.evaluators) and all(
        report.verdict is Verdict.PASS for report in reports
    )


def _more_to_show(state: LoopState) -> Evaluation | None:
    """What else has to pass before the base commit meets the goal as it is."""
    return following_stage(state) if _has_passed(state, state.open_evaluation) else None


def _missing(state: LoopState, evaluators: tuple[str, ...]) -> tuple[str, ...]:
    """What the checkouts of these evaluators lack of the user's, if they run in one."""
    isolations = {state.evaluator(name).isolation for name in evaluators}
    if not isolations - {Isolation.SAME_WORKSPACE}:
        return ()
    spec = state.spec
    return missing_folders(spec.ignored_folders, spec.evaluator_supplies)
