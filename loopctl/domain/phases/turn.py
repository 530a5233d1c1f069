"""A turn: the prompt is stored, then sent; then the agent works until it is idle.

A turn ends by itself, by its time being up, or by a cancellation; in each case its result
arrives and is counted once. A turn whose end nobody saw counts at what it was admitted for.
"""

from loopctl.domain.agent_session import OpenTurn, Role, TurnOutcome, TurnResult
from loopctl.domain.decision import Decision
from loopctl.domain.effects import AbortTurn, AwaitIdle, SendPrompt, StartTimer
from loopctl.domain.events import (
    EffectFailed,
    PromptBuilt,
    SessionsIdle,
    Timer,
    TimerFired,
    TurnEnded,
)
from loopctl.domain.loop import LoopState, OpenRound
from loopctl.domain.phases.ending import end_for_failure
from loopctl.domain.phases.settling import enter_settle
from loopctl.domain.records import AnyRecord, RoundPrompted, TurnRecorded, UsageRecorded
from loopctl.domain.step import Step
from loopctl.domain.usage import Usage


def on_prompt(state: LoopState, event: PromptBuilt) -> Decision:
    """Store the text, then send it: from here on the round counts."""
    current = state.open_round
    turn = OpenTurn(session_id=current.session_id, started_at=event.at)
    spent = state.spent.evolve(rounds=state.spent.rounds + (not current.prompted))
    state = state.ordered(
        round=current.evolve(turn=turn, result=None, prompted=True),
        last_round=current.number,
        spent=spent,
    )
    record = RoundPrompted(
        round=current.number,
        session_id=current.session_id,
        role=Role.CODER,
        prompt=event.prompt if state.spec.log_detail == "full" else "",
        digest=event.digest,
    )
    send = SendPrompt(
        order=state.order,
        round=current.number,
        session_id=current.session_id,
        prompt=event.prompt,
    )
    return Decision(state, (record,), (send, _deadline(state)))


def on_timer(state: LoopState, event: TimerFired) -> Decision:
    """The time of the turn, or of the whole loop, is up."""
    del event
    abort = AbortTurn(order=state.order, outcome=TurnOutcome.TIMED_OUT)
    return Decision(state, effects=(abort,))


def on_turn_ended(state: LoopState, event: TurnEnded) -> Decision:
    """Count what the turn cost, then see what its end asks for."""
    result = event.result.shortened()
    current = state.open_round.evolve(turn=None, result=result)
    state = state.evolve(round=current, spent=state.spent.plus(result.usage))
    decision = Decision(state, turn_records(current, result))
    if state.stop is None and result.busy:
        return decision.then(_enter_deferred)
    return decision.then(enter_settle)


def on_failed(state: LoopState, event: EffectFailed) -> Decision:
    """The prompt could not be built, or the turn could not be followed to its end."""
    current = state.open_round
    if current.turn is None:
        return end_for_failure(state, event)
    usage = (current.reservation.as_usage(),)
    result = TurnResult(outcome=TurnOutcome.FAILED, usage=usage, problem=event.detail)
    ended = TurnEnded(at=event.at, mono=event.mono, order=event.order, result=result)
    return on_turn_ended(state, ended)


def turn_records(current: OpenRound, result: TurnResult) -> tuple[AnyRecord, ...]:
    """The rows that a turn leaves; a turn of unknown cost leaves a row that says so."""
    turn = TurnRecorded(round=current.number, session_id=current.session_id, result=result)
    used = tuple(
        UsageRecorded(
            round=current.number, session_id=current.session_id, role=Role.CODER, usage=usage
        )
        for usage in result.usage or (Usage(),)
    )
    return (turn, *used)


def on_deferral_over(state: LoopState, event: SessionsIdle | TimerFired | EffectFailed) -> Decision:
    """The other sessions rest, or did not in time: what is there is settled and judged."""
    del event
    return enter_settle(state)


def _enter_deferred(state: LoopState) -> Decision:
    state = state.ordered(step=Step.DEFERRED)
    return Decision(state, effects=(AwaitIdle(order=state.order), _deadline(state)))


def _deadline(state: LoopState) -> StartTimer:
    """The nearer of the turn's own time-out and the end of the loop's working time."""
    turn_s = state.spec.round_timeout_s
    maximum = state.budget.max_time_s
    left_s = turn_s if maximum is None else max(maximum - state.spent.worked_s, 0.0)
    if left_s < turn_s:
        return StartTimer(order=state.order, timer=Timer.WORKING_TIME, seconds=left_s)
    return StartTimer(order=state.order, timer=Timer.ROUND, seconds=turn_s)
