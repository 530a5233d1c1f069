"""What a model costs, as far as anybody says: dollars for a million tokens of each kind."""

from decimal import ROUND_CEILING, Decimal
from typing import Annotated

from pydantic import Field

from loopctl.domain.usage import Usage
from loopctl.domain.value import Value

Price = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Rate(Value):
    """The price of a million tokens of each bucket, in US dollars.

    ``None`` for a cache bucket means the price of input; reasoning costs what output does.
    """

    input: Price
    output: Price
    cache_read: Price | None = None
    cache_write: Price | None = None

    def micro_usd(self, usage: Usage) -> int | None:
        """What ``usage`` costs, rounded up; ``None`` when a main bucket is unknown."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cache_read = self.input if self.cache_read is None else self.cache_read
        cache_write = self.input if self.cache_write is None else self.cache_write
        # dollars for a million tokens are millionths of a dollar for one
        parts = (
            (usage.input_tokens, self.input),
            (usage.output_tokens + usage.reasoning_tokens, self.output),
            (usage.cache_read_tokens, cache_read),
            (usage.cache_write_tokens, cache_write),
        )
        total = sum((tokens * Decimal(str(price)) for tokens, price in parts), Decimal(0))
        return int(total.to_integral_value(ROUND_CEILING))


class ModelPrice(Value):
    """A line of the user's own price table: a model's name, or a glob, and its rate."""

    model: str
    rate: Rate
