"""What has to be shown of a tree before it counts, stage after stage.

First everything in scope judges it. What passed in a checkout that was used before is shown again
in a fresh one, and all of it as often as the user asks for. Then the commands judge the tree with
the test files that the agent has added, and at the very end come the checks that it never sees.
Invariant: a stage begins only when everything before it has passed, on this one tree.
"""

from loopctl.domain.criteria import EvaluatorReport
from loopctl.domain.decision import Decision
from loopctl.domain.effects import RecallVerdicts
from loopctl.domain.evaluation import Evaluation
from loopctl.domain.evaluator_spec import EvaluatorSpec, Isolation, ShellExecutor
from loopctl.domain.loop import LoopState
from loopctl.domain.stage import Stage


def following_stage(state: LoopState) -> Evaluation | None:
    """What is to be shown next of a tree of which everything has passed; ``None`` is nothing.

    Args:
        state: its evaluation has no one pending, and all of its reports are PASS.
    """
    evaluation = state.open_evaluation
    earlier = evaluation.all_reports
    again = evaluation.evolve(fresh=True, attempt=1, limits=0, reports=(), earlier=earlier)
    provisional = tuple(one.evaluator for one in earlier if one.provisional)
    if provisional:
        return again.evolve(stage=Stage.AGAIN, pending=provisional)
    again = again.evolve(shown=evaluation.shown + _shows_everything(evaluation))
    if again.shown < state.spec.confirm and evaluation.stage in {Stage.FIRST, Stage.AGAIN}:
        names = tuple(spec.name for spec in in_order(state.spec.evaluators))
        return again.evolve(stage=Stage.AGAIN, pending=names)
    for stage in _LATER[evaluation.stage]:
        names = _judges_of(state, stage)
        if names:
            return again.evolve(stage=stage, pending=names)
    return None


def _shows_everything(evaluation: Evaluation) -> bool:
    return evaluation.stage in {Stage.FIRST, Stage.AGAIN}


_LATER: dict[Stage, tuple[Stage, ...]] = {
    Stage.FIRST: (Stage.NEW_TESTS, Stage.HOLDOUT),
    Stage.AGAIN: (Stage.NEW_TESTS, Stage.HOLDOUT),
    Stage.NEW_TESTS: (Stage.HOLDOUT,),
    Stage.HOLDOUT: (),
}


def _judges_of(state: LoopState, stage: Stage) -> tuple[str, ...]:
    """Who judges in a stage that not every loop has."""
    if stage is Stage.HOLDOUT:
        return tuple(spec.name for spec in state.spec.holdouts)
    if not state.spec.allow_new_tests or state.snapshot is None:
        return ()
    if not state.snapshot.new_tests_tree:
        return ()
    return tuple(
        spec.name
        for spec in state.spec.evaluators
        if isinstance(spec.executor, ShellExecutor) and is_apart(spec)
    )


def is_apart(spec: EvaluatorSpec) -> bool:
    """Whether it judges a tree in a place of its own, so that its verdict belongs to the tree."""
    return spec.isolation is not Isolation.SAME_WORKSPACE


def in_order(specs: tuple[EvaluatorSpec, ...]) -> tuple[EvaluatorSpec, ...]:
    """What costs nothing and says the same of the same tree comes first."""
    return tuple(sorted(specs, key=lambda spec: not spec.is_deterministic))


def tree_of(state: LoopState) -> str:
    """The tree that is judged in the stage under way."""
    evaluation = state.evaluation
    if evaluation is not None and evaluation.stage is Stage.NEW_TESTS and state.snapshot:
        return state.snapshot.new_tests_tree
    return state.judged_tree


def recall(state: LoopState) -> Decision | None:
    """Look up what is known to fail on the tree of this stage; ``None`` when nothing can be.

    What is being shown again has just passed; everything else keeps its FAIL, so that nobody can
    roll the dice again.
    """
    evaluation = state.open_evaluation
    if evaluation.stage is Stage.AGAIN:
        return None
    asked = tuple(spec for spec in state.spec.all_evaluators if spec.name in evaluation.pending)
    recallable = tuple(spec for spec in asked if is_apart(spec))
    if not recallable:
        return None
    effect = RecallVerdicts(order=state.order, tree=tree_of(state), evaluators=recallable)
    return Decision(state, effects=(effect,))


def recalled(state: LoopState, report: EvaluatorReport) -> bool:
    """Whether a stored report is about what is judged now."""
    return report.evaluator in state.open_evaluation.pending and report.tree == tree_of(state)
