"""Who is believed about what a turn cost."""

import pytest

from loopctl.budgets.assumed_pricing import AssumedPricing
from loopctl.domain.budget import Spent
from loopctl.domain.loop import Assumption
from loopctl.domain.usage import Usage, UsageSource

BOTH = Assumption(micro_usd=250_000, tokens=9_000)
REPORTED = Usage(
    model="m",
    input_tokens=10,
    output_tokens=5,
    micro_usd=7,
    source=UsageSource.AGENT_REPORTED,
)
FREE = REPORTED.evolve(micro_usd=0)
COUNTED = Usage(model="m", input_tokens=10, output_tokens=5)
HALF = Usage(output_tokens=5)
COST = Usage(micro_usd=7, source=UsageSource.AGENT_REPORTED)
ASSUMED = UsageSource.ASSUMED


@pytest.mark.parametrize(
    ("assumed", "usage", "priced"),
    [
        (
            BOTH,
            (),
            (Usage(input_tokens=9_000, output_tokens=0, micro_usd=250_000, source=ASSUMED),),
        ),
        (Assumption(micro_usd=5), (), (Usage(micro_usd=5, source=ASSUMED),)),
        (Assumption(tokens=5), (), (Usage(input_tokens=5, output_tokens=0, source=ASSUMED),)),
        (Assumption(), (), (Usage(source=UsageSource.UNKNOWN),)),
        (Assumption(), (COUNTED,), (COUNTED,)),
        (BOTH, (REPORTED,), (REPORTED,)),
        (BOTH, (FREE,), (FREE,)),
        (BOTH, (COUNTED, REPORTED), (COUNTED, REPORTED)),
        (BOTH, (COUNTED,), (COUNTED.evolve(micro_usd=250_000, source=ASSUMED),)),
        (BOTH, (HALF,), (HALF.evolve(micro_usd=250_000, source=ASSUMED),)),
        (BOTH, (COST,), (COST.evolve(input_tokens=9_000, output_tokens=0),)),
        (
            BOTH,
            (COUNTED, COUNTED),
            (COUNTED.evolve(micro_usd=250_000, source=ASSUMED), COUNTED),
        ),
    ],
)
def test_only_what_nobody_reported_is_assumed(assumed, usage, priced):
    assert AssumedPricing(assumed).price(usage) == priced


def test_an_unknown_turn_is_counted_as_unknown_and_not_as_free():
    unknown = AssumedPricing(Assumption()).price(())
    assert Spent().plus(unknown) == Spent(unknown_turns=1)
    assumed = AssumedPricing(BOTH).price(())
    assert Spent().plus(assumed) == Spent(tokens=9_000, micro_usd=250_000)
