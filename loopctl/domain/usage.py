"""What work cost: token buckets, money, and where the figure came from.

An unknown figure is ``None``, never zero. Money is kept in whole millionths of a US dollar, so
that sums over restarts are exact.
"""

from decimal import ROUND_CEILING, Decimal
from enum import StrEnum

from pydantic import NonNegativeInt

from loopctl.domain.value import Value

MICRO = 1_000_000


class UsageSource(StrEnum):
    """Who says so."""

    AGENT_REPORTED = "agent-reported"
    PRICED = "priced"
    ASSUMED = "assumed"
    UNKNOWN = "unknown"


class Usage(Value):
    """What one turn of one model used.

    Attributes:
        model: the model's name, ``""`` when the agent does not say.
        input_tokens: prompt tokens without the cached ones; ``None`` when unknown.
        output_tokens: answer tokens without reasoning; ``None`` when unknown.
        reasoning_tokens: hidden reasoning tokens.
        cache_read_tokens: prompt tokens read from a cache.
        cache_write_tokens: prompt tokens written to a cache.
        micro_usd: cost in millionths of a US dollar; ``None`` when unknown.
        source: where the cost came from.
        requests: how many requests to the model it adds up; ``None`` when the agent sends them
            without being asked.
    """

    model: str = ""
    input_tokens: NonNegativeInt | None = None
    output_tokens: NonNegativeInt | None = None
    reasoning_tokens: NonNegativeInt = 0
    cache_read_tokens: NonNegativeInt = 0
    cache_write_tokens: NonNegativeInt = 0
    micro_usd: NonNegativeInt | None = None
    source: UsageSource = UsageSource.UNKNOWN
    requests: NonNegativeInt | None = None

    @property
    def tokens(self) -> int | None:
        """All buckets together; ``None`` when either main bucket is unknown."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return (
            self.input_tokens
            + self.output_tokens
            + self.reasoning_tokens
            + self.cache_read_tokens
            + self.cache_write_tokens
        )


def to_micro(usd: float) -> int:
    """Millionths of a dollar, rounded up: an estimate must not fall below what was said.

    What was said is the decimal number that was typed, not its nearest binary fraction.
    """
    return int((Decimal(str(usd)) * MICRO).to_integral_value(ROUND_CEILING))


def to_usd(micro: int) -> float:
    """Dollars as a float, for showing."""
    return micro / MICRO
