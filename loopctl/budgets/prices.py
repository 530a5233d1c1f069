"""The price of tokens: the user's own table, then the list that is installed, then nothing.

Invariant: what nobody knows stays unknown, never zero, and what an agent reported stays as it is.
Nothing is fetched: the list is as new as the installed package.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import ROUND_CEILING
from fnmatch import fnmatchcase
from typing import Any

from loopctl.budgets.assumed_pricing import AssumedPricing
from loopctl.domain.loop import Assumption
from loopctl.domain.pricing import ModelPrice, Rate
from loopctl.domain.usage import MICRO, Usage, UsageSource
from loopctl.errors import UsageError
from loopctl.llm.model_name import ModelName, parse_model

_LISTED_AS = {"openai-chat": "openai", "openai-responses": "openai"}


class PriceTable:
    """Implements ``ports.PricingProvider``.

    Args:
        assumed: what a turn costs of which nobody says what it used.
        prices: the user's table; the first line that fits a model counts.
    """

    def __init__(self, assumed: Assumption, prices: tuple[ModelPrice, ...] = ()) -> None:
        self._assumed = AssumedPricing(assumed)
        self._prices = prices

    def rate(self, model: str) -> Rate | None:
        """The price of ``PROVIDER:MODEL``; where it rises with the length, that of short requests.

        ``None`` when it is unknown.
        """
        own = self._own_rate(model)
        if own is not None:
            return own
        name = _listed_name(model)
        return None if name is None else _ask_list(_listed_rate, name)

    def price(self, usage: tuple[Usage, ...]) -> tuple[Usage, ...]:
        """Fill in the costs that are unknown; what cannot be priced stays unknown.

        What the user assumes is for turns of agents that choose their model by themselves.
        """
        if not any(_named(row.model) or self._own_rate(row.model) for row in usage):
            return self._assumed.price(usage)
        return tuple(self._priced(row) for row in usage)

    def _priced(self, usage: Usage) -> Usage:
        if usage.micro_usd is not None or usage.tokens is None:
            return usage
        own = self._own_rate(usage.model)
        name = None if own else _listed_name(usage.model)
        if own is not None:
            cost = own.micro_usd(usage)
        else:
            cost = None if name is None else _ask_list(_listed_cost, name, usage)
        if cost is None:
            return usage
        return usage.evolve(micro_usd=cost, source=UsageSource.PRICED)

    def _own_rate(self, model: str) -> Rate | None:
        """What the user's table says of a model, by its whole name or by the provider's name."""
        name = _named(model)
        names = (model, *((name.model,) if name else ()))
        for line in self._prices:
            if any(fnmatchcase(one, line.model) for one in names):
                return line.rate
        return None


def _named(model: str) -> ModelName | None:
    try:
        return parse_model(model)
    except UsageError:
        return None


def _listed_name(model: str) -> ModelName | None:
    """The name to look up; a server of the user's own has prices of its own."""
    name = _named(model)
    return None if name is None or name.base_url else name


def _ask_list(question: Callable[..., Any], *arguments: object) -> Any:
    """The answer of the installed list; ``None`` when it does not know the model."""
    try:
        return question(*arguments)
    except LookupError:
        return None


def _listed_cost(name: ModelName, usage: Usage) -> int:
    from genai_prices import Usage as ListedUsage  # noqa: PLC0415 - 100 ms
    from genai_prices import calc_price  # noqa: PLC0415

    cached = usage.cache_read_tokens + usage.cache_write_tokens
    counted = ListedUsage(
        input_tokens=(usage.input_tokens or 0) + cached,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=(usage.output_tokens or 0) + usage.reasoning_tokens,
    )
    found = calc_price(counted, name.model, provider_id=_provider(name))
    return int((found.total_price * MICRO).to_integral_value(ROUND_CEILING))


def _listed_rate(name: ModelName) -> Rate | None:
    from genai_prices.data_snapshot import get_snapshot  # noqa: PLC0415 - 100 ms

    _, model = get_snapshot().find_provider_model(name.model, None, _provider(name), None)
    price = model.get_prices(datetime.now(UTC))
    sent, made = _short(price.input_mtok), _short(price.output_mtok)
    if sent is None or made is None:
        return None
    return Rate(
        input=sent,
        output=made,
        cache_read=_short(price.cache_read_mtok),
        cache_write=_short(price.cache_write_mtok),
    )


def _short(price: Any) -> float | None:
    """A price, where it rises with the length that of short requests."""
    base = getattr(price, "base", price)
    return None if base is None else float(base)


def _provider(name: ModelName) -> str:
    return _LISTED_AS.get(name.provider, name.provider)
