"""Checks of budget policies and of prices: figures that show why, and no zero for the unknown."""

import asyncio
from collections.abc import Callable

from loopctl.domain.budget import Budget, Spent
from loopctl.domain.loop import Assumption
from loopctl.domain.usage import Usage, UsageSource
from loopctl.ports import Admission, BudgetPolicy, PricingProvider, Refusal, RoundForecast
from loopctl.testing.conformance.promise import promise


def check_budget_policy(factory: Callable[[], BudgetPolicy]) -> None:
    """A policy admits what is far from every cap, and refuses with figures that show why.

    Raises:
        AssertionError: a promise is broken.
    """
    policy = factory()
    free = _forecast(Budget(), Assumption())
    answer = asyncio.run(policy.admit(free))
    promise(isinstance(answer, Admission), f"a round without caps is admitted: {answer}")
    for assumed in (Assumption(), Assumption(micro_usd=2_000_000, tokens=5)):
        tight = _forecast(Budget(per_round_micro_usd=1_000_000), assumed)
        answer = asyncio.run(policy.admit(tight))
        promise(answer == asyncio.run(policy.admit(tight)), "the same question, the same answer")
        if isinstance(answer, Refusal):
            shown = answer.observed > answer.maximum
            promise(shown, f"a refusal shows that the maximum is exceeded: {answer}")


def check_pricing(factory: Callable[[Assumption], PricingProvider]) -> None:
    """Prices never turn the unknown into zero, and never change what an agent reported.

    Raises:
        AssertionError: a promise is broken.
    """
    pricing = factory(Assumption())
    unheard_of = Usage(model="no-such-model-was-ever-made", input_tokens=1000, output_tokens=10)
    for usage in ((), (Usage(),), (unheard_of,)):
        priced = pricing.price(usage)
        no_zero = all(row.micro_usd is None for row in priced)
        promise(no_zero, f"what nobody knows stays unknown: {priced}")
    reported = Usage(
        input_tokens=7, output_tokens=3, micro_usd=1234, source=UsageSource.AGENT_REPORTED
    )
    for assumed in (Assumption(), Assumption(micro_usd=99, tokens=99)):
        priced = factory(assumed).price((reported,))
        promise(priced == (reported,), f"a reported cost stays as it is: {priced}")


def _forecast(budget: Budget, assumed: Assumption) -> RoundForecast:
    return RoundForecast(loop="conformance", round=1, budget=budget, spent=Spent(), assumed=assumed)
