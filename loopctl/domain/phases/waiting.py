"""While a provider refuses work: the tree is safe, and the same round goes on after the wait.

A limit uses up no round. The time of all waits is bounded over the whole loop and is not working
time; the number of waits is bounded for each round, so that a provider which promises a reset
again and again cannot be paid for ever.
"""

from loopctl.domain.agent_session import TurnResult
from loopctl.domain.decision import Decision
from loopctl.domain.effects import StartTimer
from loopctl.domain.events import Timer, TimerFired
from loopctl.domain.loop import LoopState, OpenRound
from loopctl.domain.phases.admission import enter_admit
from loopctl.domain.phases.ending import enter_ending
from loopctl.domain.records import LimitWait
from loopctl.domain.step import Step
from loopctl.domain.stop import Errored, ErrorReason

SHORTEST_WAIT_S = 1.0
MOST_WAITS = 20


def enter_waiting(state: LoopState, held_up: OpenRound, result: TurnResult) -> Decision:
    """Wait for a known reset within what is allowed, else end."""
    wait_s = result.limit_resets_in_s
    too_often = held_up.limits >= MOST_WAITS
    if wait_s is None or too_often or state.spent.waited_s + wait_s > state.spec.max_wait_s:
        problem = result.problem or "the provider refuses further work"
        stop = Errored(
            reason=ErrorReason.PROVIDER_LIMIT,
            detail=f"{problem} ({held_up.limits} waits in this round)" if too_often else problem,
            next_step="wait until the limit is lifted, then restart the loop",
        )
        return enter_ending(state, stop)
    wait_s = max(wait_s, SHORTEST_WAIT_S)
    current = held_up.evolve(limits=held_up.limits + 1, session_id="")
    state = state.ordered(step=Step.WAITING, round=current)
    record = LimitWait(round=current.number, until=state.clock.at + wait_s, problem=result.problem)
    timer = StartTimer(order=state.order, timer=Timer.LIMIT_WAIT, seconds=wait_s)
    return Decision(state, (record,), (timer,))


def on_wait_over(state: LoopState, event: TimerFired) -> Decision:
    """The provider's limit should be lifted."""
    del event
    return enter_admit(state)
