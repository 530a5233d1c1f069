"""The estimate before a round: one that would cost more than a round may is never started.

The cumulative caps are the machine's. Invariant: what is reserved is what was compared.
"""

from loopctl.domain.budget import Reservation
from loopctl.domain.stop import CapScope
from loopctl.domain.usage import to_usd
from loopctl.ports import Admission, Refusal, RoundForecast


class PreflightPolicy:
    """Implements ``ports.BudgetPolicy``: a round is expected to cost what the user assumes."""

    async def admit(self, forecast: RoundForecast) -> Admission | Refusal:
        """Refuse a round whose estimate exceeds the cap on one round, in US dollars."""
        estimate = Reservation(
            micro_usd=forecast.assumed.micro_usd or 0, tokens=forecast.assumed.tokens or 0
        )
        cap = forecast.budget.per_round_micro_usd
        if cap is not None and estimate.micro_usd > cap:
            return Refusal(
                scope=CapScope.USD, observed=to_usd(estimate.micro_usd), maximum=to_usd(cap)
            )
        return Admission(estimate)
