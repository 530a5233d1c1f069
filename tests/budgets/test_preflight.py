"""The estimate before a round."""

import asyncio
from dataclasses import replace

import pytest

from loopctl.budgets.preflight import PreflightPolicy
from loopctl.domain.budget import Budget, Reservation, Spent
from loopctl.domain.loop import Assumption
from loopctl.domain.pricing import Rate
from loopctl.domain.stop import CapScope
from loopctl.ports import Admission, Refusal, RoundForecast


def admit(assumed, cap=None, spent=0):
    forecast = RoundForecast(
        loop="a",
        round=3,
        budget=Budget(per_round_micro_usd=cap),
        spent=Spent(rounds=2, micro_usd=spent),
        assumed=assumed,
    )
    return asyncio.run(PreflightPolicy().admit(forecast))


@pytest.mark.parametrize("cap", [None, 2_000_000, 1_500_000])
def test_what_is_assumed_is_reserved(cap):
    answer = admit(Assumption(micro_usd=1_500_000, tokens=70), cap, spent=9_000_000)
    assert answer == Admission(Reservation(micro_usd=1_500_000, tokens=70))


def test_a_round_that_would_cost_more_than_a_round_may_is_refused():
    answer = admit(Assumption(micro_usd=1_500_001), 1_500_000)
    assert answer == Refusal(scope=CapScope.USD, observed=1.500001, maximum=1.5)


@pytest.mark.parametrize("cap", [None, 1])
def test_without_an_assumption_nothing_is_expected(cap):
    assert admit(Assumption(), cap) == Admission(Reservation())


def test_a_round_is_estimated_at_the_price_of_its_model():
    forecast = RoundForecast(
        loop="a",
        round=1,
        budget=Budget(per_round_micro_usd=70_999),
        spent=Spent(),
        assumed=Assumption(),
        model="anthropic:m",
        prompt_tokens=1_000,
        rate=Rate(input=3, output=15),
    )
    answer = asyncio.run(PreflightPolicy().admit(forecast))
    # (1,000 + 3,000) x 3 + 4,000 x 15, in millionths of a dollar
    assert answer == Refusal(scope=CapScope.USD, observed=0.072, maximum=0.070999)
    allowed = replace(forecast, budget=Budget(per_round_micro_usd=72_000))
    answer = asyncio.run(PreflightPolicy().admit(allowed))
    assert answer == Admission(Reservation(micro_usd=72_000, tokens=8_000))
    assumed = replace(allowed, assumed=Assumption(micro_usd=80_000, tokens=5))
    answer = asyncio.run(PreflightPolicy().admit(assumed))
    assert answer == Refusal(scope=CapScope.USD, observed=0.08, maximum=0.072)
