"""What a request cost: by the user's table, by the installed list, or not known."""

import pytest

from loopctl.budgets.prices import PriceTable
from loopctl.domain.loop import Assumption
from loopctl.domain.pricing import ModelPrice, Rate
from loopctl.domain.usage import Usage, UsageSource

OWN = (
    ModelPrice(model="openai:exact", rate=Rate(input=1, output=2)),
    ModelPrice(model="my-*", rate=Rate(input=10, output=20, cache_read=1, cache_write=12.5)),
    ModelPrice(model="claude-sonnet-4-5", rate=Rate(input=100, output=100)),
)


def used(model, **buckets):
    return Usage(model=model, **{"input_tokens": 1000, "output_tokens": 100, **buckets})


@pytest.mark.parametrize(
    ("usage", "micro_usd"),
    [
        # by hand, dollars for a million tokens
        (used("anthropic:claude-sonnet-4-5"), 1000 * 3 + 100 * 15),
        (used("openai:gpt-5-mini", reasoning_tokens=50), 250 + 2 * 150),
        (used("openai-chat:gpt-5-mini", cache_read_tokens=1000), 250 + 25 + 200),
        (used("google:gemini-2.5-pro"), 1250 + 1000),
        (used("anthropic:claude-sonnet-4-5", cache_write_tokens=1000), 3000 + 3750 + 1500),
    ],
)
def test_the_installed_list(usage, micro_usd):
    (priced,) = PriceTable(Assumption()).price((usage,))
    assert (priced.micro_usd, priced.source) == (micro_usd, UsageSource.PRICED)


@pytest.mark.parametrize(
    ("usage", "micro_usd"),
    [
        (used("openai:exact"), 1000 + 200),
        (used("openai:my-model@http://box/v1", cache_read_tokens=10), 10_000 + 10 + 2000),
        (used("anthropic:my-model", cache_write_tokens=10), 10_000 + 125 + 2000),
        (used("anthropic:claude-sonnet-4-5"), 100_000 + 10_000),
        (used("openai:exact", input_tokens=1, output_tokens=0), 1),
    ],
)
def test_the_users_table_goes_before_it(usage, micro_usd):
    (priced,) = PriceTable(Assumption(), OWN).price((usage,))
    assert (priced.micro_usd, priced.source) == (micro_usd, UsageSource.PRICED)


@pytest.mark.parametrize(
    "model", ["openai:no-such-model-at-all", "openai:gpt-5-mini@http://box/v1"]
)
def test_what_nobody_knows_is_unknown_and_never_nothing(model):
    table = PriceTable(Assumption(micro_usd=5))  # of a turn, not of each request
    assert table.rate(model) is None
    assert table.price((used(model),)) == (used(model),)


def test_what_an_agent_reported_stays():
    reported = used("openai:exact", micro_usd=7, source=UsageSource.AGENT_REPORTED)
    assert PriceTable(Assumption(), OWN).price((reported,)) == (reported,)


def test_an_agent_that_says_nothing_costs_what_is_assumed():
    (row,) = PriceTable(Assumption(micro_usd=5, tokens=9)).price(())
    assert (row.micro_usd, row.tokens, row.source) == (5, 9, UsageSource.ASSUMED)


def test_unknown_tokens_have_no_price():
    usage = Usage(model="openai:exact", input_tokens=3)
    assert PriceTable(Assumption(), OWN).price((usage,)) == (usage,)


def test_the_rate_of_a_model():
    table = PriceTable(Assumption(), OWN)
    assert table.rate("openai:exact") == Rate(input=1, output=2)
    listed = table.rate("google:gemini-2.5-pro")
    assert (listed.input, listed.output, listed.cache_read) == (1.25, 10, 0.125)
    assert table.rate("claude") is None
