"""Before a round: caps, then the budget policy, then an agent session.

A round that is refused never starts, and a round whose prompt was never sent keeps its number.
"""

from loopctl.domain.agent_session import Role
from loopctl.domain.budget import exhausted
from loopctl.domain.decision import Decision
from loopctl.domain.effects import AdmitRound, BuildPrompt, OpenSession
from loopctl.domain.events import RoundAdmitted, RoundRefused, SessionFailed, SessionOpened
from loopctl.domain.loop import LoopSpec, LoopState, OpenRound, model_to_use
from loopctl.domain.phases.ending import enter_ending
from loopctl.domain.phases.spending import with_open
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import BudgetCap, Errored, ErrorReason
from loopctl.domain.stuck import AGENT_ERRORS


def enter_admit(state: LoopState) -> Decision:
    """Begin the next round, or go on with one that a provider's limit held up."""
    current = state.round or OpenRound(number=state.last_round + 1)
    state = state.evolve(phase=Phase.CODING, evaluation=None, over_cap=None, waiting=None)
    # A round that was prompted before its wait is already counted. A request whose end has not
    # been seen counts here as it does for the round's own requests, which it would hold up.
    rounds = max(state.spent.rounds - current.prompted, 0)
    cap = exhausted(state.budget, with_open(state).evolve(rounds=rounds))
    if cap is not None:
        return enter_ending(state, cap)
    state = state.ordered(step=Step.ADMIT, round=current)
    return Decision(state, effects=(AdmitRound(order=state.order, round=current.number),))


def on_admitted(state: LoopState, event: RoundAdmitted) -> Decision:
    """There is money for it: open a session."""
    current = state.open_round.evolve(reservation=event.reservation)
    state = state.ordered(step=Step.OPEN, round=current)
    effect = OpenSession(
        order=state.order,
        round=current.number,
        role=Role.CODER,
        model=model_to_use(state.spec.models, state.failed_models),
    )
    return Decision(state, effects=(effect,))


def on_refused(state: LoopState, event: RoundRefused) -> Decision:
    """The policy says that the round would cost too much."""
    cap = BudgetCap(
        scope=event.scope, observed=event.observed, maximum=event.maximum, expected=True
    )
    held_up = state.round if state.open_round.prompted else None
    return enter_ending(state.evolve(round=held_up), cap)


def on_opened(state: LoopState, event: SessionOpened) -> Decision:
    """The agent is there: ask for the text."""
    current = state.open_round.evolve(
        session_id=event.session_id,
        has_tools=event.has_tools,
        remembers=event.remembers,
        is_metered=event.is_metered,
        nudges=0,
        handoff=None,
    )
    state = state.ordered(step=Step.PROMPT, round=current)
    effect = BuildPrompt(order=state.order, round=current.number, session_id=current.session_id)
    return Decision(state, effects=(effect,))


def on_open_failed(state: LoopState, event: SessionFailed) -> Decision:
    """An agent that cannot be started: try again, three times in a row at most."""
    errors = state.streaks.agent_errors + 1
    state = state.evolve(streaks=state.streaks.evolve(agent_errors=errors))
    if errors >= AGENT_ERRORS:
        return enter_ending(state, too_many_agent_errors(state, event.problem))
    return enter_admit(state)


def too_many_agent_errors(state: LoopState, problem: str) -> Errored:
    """The stop condition of an agent that fails again and again."""
    errors = state.streaks.agent_errors
    return Errored(
        reason=ErrorReason.ERROR_MAX_RETRIES,
        detail=f"the agent failed {errors} times in a row; the last time: {problem}",
        next_step=f"{_way_out(state.spec)}, then restart the loop",
    )


def _way_out(spec: LoopSpec) -> str:
    """What a person can do about an agent that fails."""
    if spec.models:
        return "see that a model of it can be reached (its name, its address, the network)"
    if spec.agent.startswith("cmd:"):
        return "run the agent's command by hand"
    return "look at what it said with loopctl logs"
