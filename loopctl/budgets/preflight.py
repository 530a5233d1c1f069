"""The estimate before a round: one that would cost more than a round may is never started.

The cumulative caps are the machine's. Invariant: what is reserved is what was compared.
"""

from loopctl.domain.budget import Reservation
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import Usage, to_usd
from loopctl.ports import Admission, Refusal, RoundForecast

OVERHEAD_TOKENS = 3_000
"""The system prompt and the descriptions of the tools."""

OUTPUT_TOKENS = 4_000
"""What an agent is expected to write in a round."""


class PreflightPolicy:
    """Implements ``ports.BudgetPolicy``.

    A round is expected to send its prompt and the overhead once and to write what an agent
    writes, at the price of its model; and to cost at least what the user assumes.
    """

    async def admit(self, forecast: RoundForecast) -> Admission | Refusal:
        """Refuse a round whose estimate exceeds the cap on one round, in US dollars."""
        estimate = _estimate(forecast)
        cap = forecast.budget.per_round_micro_usd
        if cap is not None and estimate.micro_usd > cap:
            return Refusal(
                scope=CapScope.USD, observed=to_usd(estimate.micro_usd), maximum=to_usd(cap)
            )
        return Admission(estimate)


def _estimate(forecast: RoundForecast) -> Reservation:
    assumed = forecast.assumed
    expected = Usage(
        input_tokens=forecast.prompt_tokens + OVERHEAD_TOKENS, output_tokens=OUTPUT_TOKENS
    )
    priced = None if forecast.rate is None else forecast.rate.micro_usd(expected)
    counted = 0 if priced is None else expected.tokens or 0
    return Reservation(
        micro_usd=max(priced or 0, assumed.micro_usd or 0),
        tokens=max(counted, assumed.tokens or 0),
    )
