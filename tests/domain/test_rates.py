"""What tokens cost at a rate: to the millionth, rounded up, and never a guess."""

import pytest

from loopctl.domain.pricing import Rate
from loopctl.domain.usage import Usage

RATE = Rate(input=3.0, output=15.0, cache_read=0.3, cache_write=3.75)
USAGE = Usage(
    input_tokens=1000,
    output_tokens=100,
    reasoning_tokens=10,
    cache_read_tokens=2000,
    cache_write_tokens=400,
)


def test_each_bucket_has_its_price_and_reasoning_that_of_output():
    assert RATE.micro_usd(USAGE) == 3000 + 1650 + 600 + 1500


def test_a_cache_without_a_price_costs_what_input_does():
    assert Rate(input=3.0, output=15.0).micro_usd(USAGE) == 3000 + 1650 + 6000 + 1200


def test_a_part_of_a_millionth_is_rounded_up_once():
    usage = Usage(input_tokens=1, output_tokens=1)
    assert Rate(input=0.1, output=0.2).micro_usd(usage) == 1
    assert Rate(input=0.0, output=0.0).micro_usd(usage) == 0


@pytest.mark.parametrize("usage", [Usage(input_tokens=1), Usage(output_tokens=1), Usage()])
def test_an_unknown_bucket_has_no_price(usage):
    assert RATE.micro_usd(usage) is None
