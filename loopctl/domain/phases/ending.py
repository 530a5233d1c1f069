"""The way out: put the last tree where the user will look for it, then say why the loop ended.

Entered from everywhere, with a stop condition. A goal counts as met only when its tree could be
put away: a green exit code without the work behind it would be a lie.
"""

from loopctl.domain.decision import Decision
from loopctl.domain.effects import Effect, PublishWork, ReleaseWorkspace
from loopctl.domain.events import EffectFailed, WorkPublished
from loopctl.domain.loop import LoopState
from loopctl.domain.phases.spending import close_spends
from loopctl.domain.records import LoopEnded
from loopctl.domain.snapshot import Published
from loopctl.domain.step import Step
from loopctl.domain.stop import (
    Errored,
    ErrorReason,
    GoalMet,
    MetCriterion,
    StopCondition,
    exit_code_of,
    status_of,
)


def enter_ending(state: LoopState, stop: StopCondition) -> Decision:
    """Begin to end for ``stop``."""
    state = state.ordered(step=Step.ENDING, stop=stop, waiting=None)
    effect: Effect
    if state.snapshot is not None:
        effect = PublishWork(
            order=state.order, snapshot=state.snapshot, branch_tip=state.branch_tip
        )
    elif state.last_round == 0:
        effect = ReleaseWorkspace(order=state.order)
    else:
        return finish(state, Published(commit="", note="no snapshot was taken"))
    return Decision(state, effects=(effect,))


def goal_met(state: LoopState) -> StopCondition:
    """The stop condition that a clean ledger proves. There is no other way to make it."""
    if not state.ledger.is_clean:
        raise ValueError("the ledger is not clean")
    return GoalMet(
        tree=state.ledger.tree,
        criteria=tuple(
            MetCriterion(
                evaluator=entry.evaluator, criterion=entry.criterion, evidence=entry.headline
            )
            for entry in state.ledger.entries
        ),
    )


def end_for_failure(state: LoopState, event: EffectFailed) -> Decision:
    """An order could not be carried out: loopctl itself has failed."""
    return enter_ending(state, state.stop or driver_error(event))


def driver_error(event: EffectFailed) -> Errored:
    """The stop condition of a loop that failed by itself."""
    return Errored(
        reason=ErrorReason.DRIVER_ERROR,
        detail=f"{event.effect}: {event.detail}",
        next_step=event.next_step,
    )


def on_published(state: LoopState, event: WorkPublished) -> Decision:
    """The tree is safe."""
    return finish(state, event.published)


def on_publish_failed(state: LoopState, event: EffectFailed) -> Decision:
    """The tree could not be put on the branch; the snapshot still holds it."""
    note = f"the work could not be put on the branch: {event.detail}"
    stop = state.stop
    if stop is None or isinstance(stop, GoalMet):
        stop = Errored(reason=ErrorReason.DRIVER_ERROR, detail=note, next_step=event.next_step)
    return finish(state.evolve(stop=stop), Published(commit="", note=note))


def finish(state: LoopState, published: Published) -> Decision:
    """The loop has ended; a request whose end was not seen until now counts as unknown."""
    return close_spends(state).then(lambda state: _finished(state, published))


def _finished(state: LoopState, published: Published) -> Decision:
    stop = state.stop
    if stop is None:
        raise ValueError("a loop cannot end without a stop condition")
    if state.last_round == 0:  # the worktree was released: a restart makes a new one
        state = state.evolve(workspace="", branch_tip=state.spec.base_commit)
    state = state.ordered(
        status=status_of(stop), published=published, branch_tip=published.commit or state.branch_tip
    )
    ended = LoopEnded(status=state.status, stop=stop, exit_code=int(exit_code_of(stop)))
    return Decision(state, records=(ended,))
