"""A turn: the prompt is stored, then sent; then the agent works until it is idle.

A turn ends by itself, by its time being up, or by a cancellation; in each case its result
arrives and is counted once. A turn whose end nobody saw counts at what it was admitted for.
"""

from loopctl.domain.agent_session import OpenTurn, Role, TurnOutcome, TurnResult
from loopctl.domain.budget import Spent, exhausted
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
from loopctl.domain.phases.ending import driver_error, end_for_failure
from loopctl.domain.phases.fallback import mark_failed
from loopctl.domain.phases.handover import (
    MAX_NUDGES,
    ask_again,
    is_missing,
    never_handed_over,
    resolve,
)
from loopctl.domain.phases.settling import enter_settle
from loopctl.domain.phases.spending import with_open
from loopctl.domain.records import AnyRecord, RoundPrompted, TurnRecorded, UsageRecorded
from loopctl.domain.step import Step
from loopctl.domain.usage import Usage


def on_prompt(state: LoopState, event: PromptBuilt) -> Decision:
    """Store the text, then send it: from here on the round counts."""
    current = state.open_round
    turn = OpenTurn(session_id=current.session_id, started_at=event.at)
    records = () if event.nudge else (_prompted(state, event),)
    # A round that goes on after a restart counts anew, as the first one since.
    rounds = max(state.spent.rounds + (not current.prompted), 1)
    state = state.ordered(
        round=current.evolve(turn=turn, result=None, prompted=True),
        last_round=current.number,
        spent=state.spent.evolve(rounds=rounds),
    )
    send = SendPrompt(
        order=state.order,
        round=current.number,
        session_id=current.session_id,
        prompt=event.prompt,
    )
    return Decision(state, records, (send, _deadline(state)))


def _prompted(state: LoopState, event: PromptBuilt) -> RoundPrompted:
    current = state.open_round
    return RoundPrompted(
        round=current.number,
        session_id=current.session_id,
        role=Role.CODER,
        prompt=event.prompt if state.spec.log_detail == "full" else "",
        digest=event.digest,
    )


def on_timer(state: LoopState, event: TimerFired) -> Decision:
    """The time of the turn, or of the whole loop, is up."""
    del event
    abort = AbortTurn(order=state.order, outcome=TurnOutcome.TIMED_OUT)
    return Decision(state, effects=(abort,))


def on_turn_ended(state: LoopState, event: TurnEnded) -> Decision:
    """Count what the turn cost, then see what its end asks for.

    A provider's limit comes first: nothing is waited for in its stead.
    """
    result = event.result.shortened()
    current = state.open_round.evolve(turn=None, result=result)
    state = state.evolve(round=current, spent=_plus(state, result))
    decision = Decision(state, turn_records(current, result))
    if result.failed_model:
        problem = result.problem
        decision = decision.then(
            lambda state: mark_failed(
                state, state.spec.models, result.failed_model, Role.CODER, problem
            )
        )
    if state.stop is None and result.busy and result.outcome is not TurnOutcome.LIMITED:
        return decision.then(_enter_deferred)
    return decision.then(end_turn)


def end_turn(state: LoopState) -> Decision:
    """Nobody is at work any more: apply what was handed over, or ask for it."""
    # A nudge is one more turn: where a cap is used up, what is there is judged as it is.
    if is_missing(state) and not _is_used_up(state):
        if state.open_round.nudges < MAX_NUDGES:
            return ask_again(state)
        state = state.evolve(stop=never_handed_over())
    return resolve(state).then(enter_settle)


def _is_used_up(state: LoopState) -> bool:
    """Whether nothing is left for another turn of the round that is open."""
    return exhausted(state.budget.evolve(max_rounds=None), with_open(state)) is not None


def _plus(state: LoopState, result: TurnResult) -> Spent:
    """What was spent with this turn; a metered session's requests were counted one by one."""
    if state.open_round.is_metered and not result.usage:
        return state.spent
    return state.spent.plus(result.usage)


def on_failed(state: LoopState, event: EffectFailed) -> Decision:
    """The prompt could not be built, or the turn could not be followed to its end."""
    current = state.open_round
    if current.turn is None and current.result is None:
        return end_for_failure(state, event)
    if current.turn is None:  # a nudge could not be built: the tree of its turn comes first
        stop = state.stop or driver_error(event)
        return resolve(state.evolve(stop=stop)).then(enter_settle)
    usage = () if current.is_metered else (current.reservation.as_usage(),)
    result = TurnResult(outcome=TurnOutcome.FAILED, usage=usage, problem=event.detail)
    ended = TurnEnded(at=event.at, mono=event.mono, order=event.order, result=result)
    return on_turn_ended(state, ended)


def turn_records(current: OpenRound, result: TurnResult) -> tuple[AnyRecord, ...]:
    """The rows that a turn leaves; a turn of unknown cost leaves a row that says so.

    A metered session has left its rows before, one request after the other.
    """
    unknown = () if current.is_metered else (Usage(),)
    turn = TurnRecorded(round=current.number, session_id=current.session_id, result=result)
    used = tuple(
        UsageRecorded(
            round=current.number, session_id=current.session_id, role=Role.CODER, usage=usage
        )
        for usage in result.usage or unknown
    )
    return (turn, *used)


def on_deferral_over(state: LoopState, event: SessionsIdle | TimerFired | EffectFailed) -> Decision:
    """The other sessions rest, or did not in time: what is there is settled and judged."""
    del event
    return end_turn(state)


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
