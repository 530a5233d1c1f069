"""The caps in force: a cap that could never be checked is refused before anything starts."""

import json
from collections.abc import Callable

from loopctl.bootstrap.request import StartRequest
from loopctl.domain.budget import Budget
from loopctl.domain.pricing import Rate
from loopctl.errors import UsageError
from loopctl.ports import AgentRunner

DEFAULT_ROUNDS = 15


def check_budget(
    request: StartRequest, agent: AgentRunner, rate: Callable[[str], Rate | None]
) -> Budget:
    """The caps in force.

    Args:
        request: what the user asked for, with its models chosen.
        agent: who does the work.
        rate: the price of a model; ``None`` when nobody knows it.

    Raises:
        UsageError: a cap could never be checked, or nothing is capped.
    """
    budget = cap_rounds(request.max_rounds, request.budget)
    dollars = budget.max_micro_usd is not None or budget.per_round_micro_usd is not None
    if dollars:
        _check_prices(request, agent, rate)
    if (
        budget.max_tokens is not None
        and not agent.reports_tokens
        and request.assumed.tokens is None
    ):
        raise UsageError(
            "a cap in tokens cannot be kept: this agent does not report its tokens",
            next_step="add --assume-tokens-per-round N, or use --max-rounds or --max-time instead",
        )
    return budget


def _check_prices(
    request: StartRequest, agent: AgentRunner, rate: Callable[[str], Rate | None]
) -> None:
    """What the user assumes is for turns of an agent: it is no price of a model."""
    unpriced = tuple(model for model in models_of(request) if rate(model) is None)
    if unpriced:
        raise _unknown_price(unpriced[0])
    if not agent.reports_cost and request.assumed.micro_usd is None:
        raise UsageError(
            "a cap in dollars cannot be kept: this agent does not report what it costs",
            next_step="add --assume-usd-per-round X, or use --max-rounds or --max-time instead",
        )


def models_of(request: StartRequest) -> tuple[str, ...]:
    """Every model that the loop itself would send requests to, each once."""
    judge = () if request.judge is None else (request.judge.model, *request.judge.fallbacks)
    return tuple(dict.fromkeys((*request.models, *filter(None, judge))))


def cap_rounds(rounds: int | None, budget: Budget) -> Budget:
    """Put the cap on rounds into ``budget``: ``None`` is the default, 0 is no cap.

    Raises:
        UsageError: nothing at all would be capped.
    """
    if rounds != 0:
        return budget.evolve(max_rounds=DEFAULT_ROUNDS if rounds is None else rounds)
    if (budget.max_micro_usd, budget.max_tokens, budget.max_time_s) == (None, None, None):
        raise UsageError(
            "--max-rounds 0 takes the cap on rounds away, and there is no other",
            next_step="add --max-time, --max-usd or --max-tokens",
        )
    return budget


def _unknown_price(model: str) -> UsageError:
    line = f"prices.{json.dumps(model)} = {{ input = X, output = Y }}"
    return UsageError(
        f"a cap in dollars cannot be kept: unknown price of the model {model}",
        why="neither your price table nor the one that comes with loopctl has it, and an unknown "
        "price is not zero",
        next_step=f"write {line} at the top of loopctl.toml, in US dollars for a million tokens, "
        "or use --max-tokens instead",
    )
