"""Which cap ends a loop first, and what spending adds up to."""

import pytest
from loops import cost

from loopctl.domain.budget import Budget, Reservation, Spent, exhausted
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
