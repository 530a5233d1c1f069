"""While a provider refuses work: the tree is safe, and the same round goes on after the wait.

A limit uses up no round. The time of all waits is bounded over the whole loop and is not working
time; the number of waits is bounded for each round and each judgement, so that a provider which
promises a reset again and again cannot be paid for ever.
"""

from loopctl.domain.agent_session import TurnResult
from loopctl.domain.budget import Spent
from loopctl.domain.decision import Decision
from loopctl.domain.effects import StartTimer
from loopctl.domain.events import RetryRequested, Timer, TimerFired
from loopctl.domain.loop import LoopState, OpenRound
from loopctl.domain.phases.admission import enter_admit
from loopctl.domain.phases.ending import enter_ending
from loopctl.domain.records import LimitWait
from loopctl.domain.step import Step
from loopctl.domain.stop import Errored, ErrorReason
from loopctl.domain.waiting import Wait

SHORTEST_WAIT_S = 1.0
MOST_WAITS = 20
_MINUTE_S = 60.0
_HOUR_S = 3600.0


def enter_waiting(state: LoopState, held_up: OpenRound, result: TurnResult) -> Decision:
    """Wait before the round goes on in a new session, or end."""
    problem = result.problem or "the provider refuses further work"
    state = state.evolve(round=held_up.evolve(limits=held_up.limits + 1, session_id=""))
    return wait_or_end(state, result.limit_resets_in_s, problem, held_up.limits)


def wait_or_end(state: LoopState, resets_in_s: float | None, problem: str, waits: int) -> Decision:
    """Wait for a known reset within what is allowed, else end.

    Args:
        state: what is to go on after the wait is in it.
        resets_in_s: seconds until the limit is lifted, when the provider says so.
        problem: what the provider said.
        waits: how often this was waited for before.
    """
    too_often = waits >= MOST_WAITS
    too_long = resets_in_s is not None and (
        state.spent.waited_s + resets_in_s > state.spec.max_wait_s
    )
    if resets_in_s is None or too_often or too_long:
        return enter_ending(state, _limit(state, problem, waits if too_often else 0, resets_in_s))
    seconds = max(resets_in_s, SHORTEST_WAIT_S)
    wait = Wait(until=state.clock.at + seconds, problem=problem)
    state = state.ordered(step=Step.WAITING, waiting=wait)
    record = LimitWait(round=state.round_number, until=wait.until, problem=problem)
    timer = StartTimer(order=state.order, timer=Timer.LIMIT_WAIT, seconds=seconds, until=wait.until)
    return Decision(state, (record,), (timer,))


def with_time(state: LoopState, passed_s: float) -> Spent:
    """What was spent, with ``passed_s`` more seconds of waiting or, at any other step, of work."""
    spent = state.spent
    if state.step is Step.WAITING:
        return spent.evolve(waited_s=spent.waited_s + passed_s)
    return spent.evolve(worked_s=spent.worked_s + passed_s)


def on_wait_over(state: LoopState, event: TimerFired | RetryRequested) -> Decision:
    """The provider's limit should be lifted, or a user wants to know."""
    del event
    return enter_admit(state)


def _limit(state: LoopState, problem: str, waits: int, resets_in_s: float | None) -> Errored:
    detail, next_step = problem, "wait until the limit is lifted, then restart the loop"
    if waits:
        detail = f"{problem} ({waits} waits in this round)"
    elif resets_in_s is None:
        next_step = "lift the limit (key, plan or credit of the provider), then restart the loop"
    else:
        allowed = max(state.spec.max_wait_s - state.spent.waited_s, 0.0)
        detail = (
            f"{problem} (it lasts {_roughly(resets_in_s)}; {_roughly(allowed)} are left to wait)"
        )
        next_step += "; --max-wait allows longer waits in a new loop"
    return Errored(reason=ErrorReason.PROVIDER_LIMIT, detail=detail, next_step=next_step)


def _roughly(seconds: float) -> str:
    """A time that nobody reads in seconds, once it is long."""
    if seconds < 2 * _MINUTE_S:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR_S:
        return f"{seconds / _MINUTE_S:.0f} min"
    return f"{seconds / _HOUR_S:.1f} h"
