"""What a loop has used, beside its caps. What nobody could say is ``unknown``, never zero."""

from loopctl.domain.budget import Spent
from loopctl.domain.loop import LoopState
from loopctl.observe.plain import dollars, duration


def cost_text(spent: Spent) -> str:
    """The cost of all turns; says when that of some is unknown."""
    if not spent.unknown_turns:
        return dollars(spent.micro_usd)
    return f"unknown (at least {dollars(spent.micro_usd)})" if spent.micro_usd else "unknown"


def spent_text(state: LoopState) -> str:
    """Rounds, tokens, cost and working time in one line."""
    spent, budget = state.spent, state.budget
    rounds = f"rounds {spent.rounds}{_of(budget.max_rounds)}"
    if spent.rounds != state.last_round:
        rounds += f" since the last restart ({state.last_round} altogether)"
    tokens = f"{spent.tokens:,}" if spent.tokens or _is_known(state) else "unknown"
    cap = "" if budget.max_micro_usd is None else f" (cap {dollars(budget.max_micro_usd)})"
    time = "" if budget.max_time_s is None else f" of {duration(budget.max_time_s)}"
    cost = "unknown" if tokens == "unknown" and not spent.micro_usd else cost_text(spent)
    return (
        f"{rounds}, tokens {tokens}{_of(budget.max_tokens)}, "
        f"cost {cost}{cap}, time {duration(spent.worked_s)}{time}"
    )


def _is_known(state: LoopState) -> bool:
    """Whether nothing is left open: a turn or a request under way has not said what it costs."""
    turn = None if state.round is None else state.round.turn
    return not (state.spent.unknown_turns or state.spends or turn)


def _of(maximum: int | None) -> str:
    return "" if maximum is None else f" of {maximum:,}"
