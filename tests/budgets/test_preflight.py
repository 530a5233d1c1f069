"""The estimate before a round."""

import asyncio

import pytest

from loopctl.budgets.preflight import PreflightPolicy
from loopctl.domain.budget import Budget, Reservation, Spent
from loopctl.domain.loop import Assumption
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
