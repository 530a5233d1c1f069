"""After a turn: end what it left running, then store the exact tree.

Every turn comes through here, also one that was cut short, so that no edit is lost and nothing
can change the tree while it is judged.
"""

from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.criteria import Verdict
from loopctl.domain.decision import Decision
from loopctl.domain.effects import Settle, TakeSnapshot
from loopctl.domain.events import Settled, SnapshotTaken
from loopctl.domain.handoff import observe_handoff
from loopctl.domain.loop import LoopState
from loopctl.domain.phases.admission import enter_admit, too_many_agent_errors
from loopctl.domain.phases.auditing import enter_evaluate
from loopctl.domain.phases.ending import enter_ending
from loopctl.domain.phases.waiting import enter_waiting
from loopctl.domain.records import AnyRecord, HandoffRecorded, RoundClosed, SnapshotRecorded
from loopctl.domain.snapshot import Snapshot
from loopctl.domain.step import Step
from loopctl.domain.stuck import AGENT_ERRORS, Streaks

_NEUTRAL = {
    TurnOutcome.ABORTED,
    TurnOutcome.INTERRUPTED,
    TurnOutcome.LIMITED,
    TurnOutcome.CAPPED,
}
_CUT_SHORT = {*_NEUTRAL, TurnOutcome.UNAVAILABLE}
_ERRORS = {
    TurnOutcome.FAILED,
    TurnOutcome.NOT_STARTED,
    TurnOutcome.TIMED_OUT,
    TurnOutcome.UNAVAILABLE,
}


def enter_settle(state: LoopState) -> Decision:
    """The turn is over, one way or another."""
    state = state.ordered(step=Step.SETTLE)
    return Decision(state, effects=(Settle(order=state.order),))


def on_settled(state: LoopState, event: Settled) -> Decision:
    """Nothing of the turn is alive: take the tree."""
    del event  # the survivors are in the log
    state = state.ordered(step=Step.SNAPSHOT)
    effect = TakeSnapshot(
        order=state.order,
        round=state.round_number,
        previous=state.snapshot,
        partial=_result(state).outcome in _CUT_SHORT,
    )
    return Decision(state, effects=(effect,))


def on_snapshot(state: LoopState, event: SnapshotTaken) -> Decision:
    """The tree is safe: end if that was asked for, wait for the provider, or judge it."""
    result = _result(state)
    snapshot = event.snapshot
    records: tuple[AnyRecord, ...] = (
        SnapshotRecorded(snapshot=snapshot, partial=result.outcome in _CUT_SHORT),
        *_observed(state, result, snapshot),
    )
    streaks = _count(state, result, snapshot)
    current = state.open_round.evolve(result=None, handoff=None)
    state = state.evolve(snapshot=snapshot, streaks=streaks, round=current)
    decision = Decision(state, records)
    stop = state.stop
    if stop is not None:
        return decision.then(lambda state: enter_ending(state, stop))
    if result.outcome is TurnOutcome.LIMITED:
        return decision.then(lambda state: enter_waiting(state, current, result))
    if streaks.agent_errors >= AGENT_ERRORS:
        return decision.then(lambda state: _end_for_errors(state, _problem(result)))
    if result.outcome is TurnOutcome.UNAVAILABLE:  # the same round, in a new session
        return decision.then(enter_admit)
    return decision.then(enter_evaluate)


def _observed(
    state: LoopState, result: TurnResult, snapshot: Snapshot
) -> tuple[HandoffRecorded, ...]:
    """What could be seen of a turn that was not handed over by its agent."""
    current = state.open_round
    if current.handoff is not None:
        return ()
    observed = HandoffRecorded(
        round=current.number,
        session_id=current.session_id,
        role=Role.CODER,
        phase=state.phase,
        payload=observe_handoff(result, snapshot),
    )
    return (observed,)


def _end_for_errors(state: LoopState, problem: str) -> Decision:
    """The agent, or its model, has failed too often; a restart judges what is there."""
    closed = RoundClosed(
        round=state.round_number,
        verdict=Verdict.ERROR,
        passed=0,
        judged=0,
        changed=0 if state.snapshot is None else state.snapshot.changed,
    )
    state = state.evolve(round=None)
    ending = enter_ending(state, too_many_agent_errors(state, problem))
    return Decision(ending.state, (closed, *ending.records), ending.effects)


def _problem(result: TurnResult) -> str:
    """What was wrong with the turn: an agent that does nothing may well exit with 0."""
    if result.outcome in _ERRORS:
        return result.problem or result.exit or str(result.outcome)
    said = result.problem or result.exit
    return "nothing changed and nothing said" + (f" ({said})" if said else "")


def _count(state: LoopState, result: TurnResult, snapshot: Snapshot) -> Streaks:
    """Count the turn: an agent that failed says nothing about progress, and the reverse."""
    streaks = state.streaks
    if result.outcome in _NEUTRAL:
        return streaks
    if result.outcome is TurnOutcome.UNAVAILABLE:
        return streaks.evolve(agent_errors=streaks.agent_errors + 1)
    # Tampering that is still there from the turn before may have been written anew.
    changed = snapshot.changed > 0 or (streaks.restored_only > 0 and bool(snapshot.restored))
    failed = result.outcome in _ERRORS and not changed
    said = bool(result.said.strip()) or state.open_round.handoff is not None
    empty = not changed and not said
    if failed or empty:
        return streaks.evolve(agent_errors=streaks.agent_errors + 1)
    judged_changed = snapshot.judged_tree != state.judged_tree
    return Streaks(
        agent_errors=0,
        unchanged=0 if judged_changed else streaks.unchanged + 1,
        restored_only=streaks.restored_only + 1 if changed and not judged_changed else 0,
    )


def _result(state: LoopState) -> TurnResult:
    result = state.open_round.result
    if result is None:
        raise ValueError("no turn has ended")
    return result
