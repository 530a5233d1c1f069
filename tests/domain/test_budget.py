"""Which cap ends a loop first, and what spending adds up to."""

import pytest
from loops import cost

from loopctl.domain.budget import (
    MARKS,
    Budget,
    Reservation,
    Spent,
    approached,
    exhausted,
    half_used,
)
from loopctl.domain.stop import BudgetCap, CapScope
from loopctl.domain.usage import Usage, UsageSource, to_micro, to_usd

CAPS = Budget(max_rounds=2, max_tokens=20, max_micro_usd=2_000_000, max_time_s=20.0)


@pytest.mark.parametrize(
    ("spent", "scope"),
    [
        (Spent(rounds=2, tokens=20, micro_usd=2_000_000, worked_s=20.0), CapScope.USD),
        (Spent(rounds=2, tokens=20, worked_s=20.0), CapScope.TOKENS),
        (Spent(rounds=2, worked_s=20.0), CapScope.TIME),
        (Spent(rounds=2), CapScope.ROUNDS),
        (Spent(rounds=1, tokens=19, micro_usd=1_999_999, worked_s=19.9, waited_s=99.0), None),
    ],
)
def test_the_first_cap_that_is_used_up(spent, scope):
    cap = exhausted(CAPS, spent)
    assert (cap and cap.scope) == scope


def test_a_cap_shows_observed_and_maximum_in_its_unit():
    cap = exhausted(CAPS, Spent(micro_usd=2_400_000))
    assert cap == BudgetCap(scope=CapScope.USD, observed=2.4, maximum=2.0)


def test_no_cap_limits_nothing():
    assert exhausted(Budget(), Spent(rounds=10**6, tokens=10**9, micro_usd=10**12)) is None


def test_usage_adds_up_over_models():
    spent = Spent().plus((cost(40, 3), cost(60, 4)))
    assert (spent.micro_usd, spent.tokens, spent.unknown_turns) == (100, 7, 0)


@pytest.mark.parametrize("usages", [(), (Usage(),), (cost(), Usage(micro_usd=5))])
def test_a_figure_that_nobody_vouches_for_is_unknown(usages):
    assert Spent().plus(usages).unknown_turns == 1


def test_a_reservation_counts_as_an_unknown_figure():
    usage = Reservation(micro_usd=70, tokens=7).as_usage()
    assert (usage.micro_usd, usage.tokens, usage.source) == (70, 7, UsageSource.UNKNOWN)
    assert Reservation().as_usage() == Usage(output_tokens=0)


def test_tokens_are_known_only_when_both_sides_are():
    assert Usage(input_tokens=1).tokens is None
    assert Usage(output_tokens=1).tokens is None
    full = Usage(
        input_tokens=1,
        output_tokens=2,
        reasoning_tokens=4,
        cache_read_tokens=8,
        cache_write_tokens=16,
    )
    assert full.tokens == 31


@pytest.mark.parametrize("cents", range(1, 2000, 7))
def test_typed_cents_are_exact(cents):
    assert to_micro(cents / 100) == cents * 10_000
    assert to_usd(cents * 10_000) == cents / 100


@pytest.mark.parametrize(("usd", "micro"), [(1e-7, 1), (0.0000011, 2), (1, 1_000_000), (0, 0)])
def test_less_than_a_millionth_is_rounded_up(usd, micro):
    assert to_micro(usd) == micro


def marks(then, now, budget=CAPS):
    return [(cap.scope, percent) for cap, percent in approached(then, now, budget)]


@pytest.mark.parametrize(
    ("then", "now", "percent"),
    [(0, 9, None), (9, 10, 50), (10, 14, None), (10, 15, 75), (0, 18, 90), (18, 90, None)],
)
def test_a_mark_is_said_when_it_is_passed_and_the_highest_alone(then, now, percent):
    found = marks(Spent(tokens=then), Spent(tokens=now))
    assert found == ([] if percent is None else [(CapScope.TOKENS, percent)])


def test_every_cap_has_its_own_marks():
    now = Spent(rounds=1, tokens=10, micro_usd=1_500_000, worked_s=18.0)
    assert marks(Spent(), now) == [
        (CapScope.USD, 75),
        (CapScope.TOKENS, 50),
        (CapScope.TIME, 90),
        (CapScope.ROUNDS, 50),
    ]
    assert marks(Spent(), now, Budget()) == []


@pytest.mark.parametrize("cap", range(100, 200_000, 1_900))
def test_a_mark_is_passed_to_the_millionth(cap):
    budget = Budget(max_micro_usd=cap)
    for mark in MARKS:
        now = Spent(micro_usd=cap * mark // 100)
        assert marks(Spent(micro_usd=now.micro_usd - 1), now, budget) == [(CapScope.USD, mark)]


def test_a_mark_shows_dollars():
    budget = Budget(max_micro_usd=2_000_000)
    ((cap, _),) = approached(Spent(), Spent(micro_usd=1_000_000), budget)
    assert cap == BudgetCap(scope=CapScope.USD, observed=1.0, maximum=2.0)


@pytest.mark.parametrize(
    ("spent", "scope"),
    [
        (Spent(tokens=9), None),
        (Spent(tokens=10), CapScope.TOKENS),
        (Spent(tokens=20), None),
        (Spent(rounds=1), CapScope.ROUNDS),
        (Spent(micro_usd=1_000_000, tokens=10), CapScope.USD),
    ],
)
def test_the_first_cap_of_which_half_is_used(spent, scope):
    cap = half_used(CAPS, spent)
    assert (cap and cap.scope) == scope
