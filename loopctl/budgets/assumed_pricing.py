"""The price of a turn of which the agent does not say what it cost: what the user assumes.

Invariant: what an agent reported stays as it is, and what nobody knows stays unknown, never zero.
"""

from loopctl.domain.loop import Assumption
from loopctl.domain.pricing import ModelPrice, Rate
from loopctl.domain.usage import Usage, UsageSource


class AssumedPricing:
    """Implements ``ports.PricingProvider``.

    Args:
        assumed: what one turn costs, as far as the user says.
        prices: the user's table of models, which says nothing of a turn.
    """

    def __init__(self, assumed: Assumption, prices: tuple[ModelPrice, ...] = ()) -> None:
        del prices
        self._assumed = assumed

    def rate(self, model: str) -> Rate | None:
        """Nothing is known of any model."""
        del model
        return None

    def price(self, usage: tuple[Usage, ...]) -> tuple[Usage, ...]:
        """Give a turn without a known cost, or without known tokens, the assumed ones.

        An assumption is for the whole turn, so that one row carries it, the first.
        """
        first, *others = usage or (Usage(),)
        cost, tokens = self._assumed.micro_usd, self._assumed.tokens
        if tokens is not None and not any(_counts_tokens(row) for row in usage):
            first = first.evolve(input_tokens=tokens, output_tokens=0)
            if first.micro_usd is None:
                first = first.evolve(source=UsageSource.ASSUMED)
        if cost is not None and all(row.micro_usd is None for row in usage):
            first = first.evolve(micro_usd=cost, source=UsageSource.ASSUMED)
        return (first, *others)


def _counts_tokens(usage: Usage) -> bool:
    return usage.input_tokens is not None or usage.output_tokens is not None
