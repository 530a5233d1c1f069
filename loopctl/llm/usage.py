"""What a request used, in loopctl's buckets.

The library counts cached tokens as input and reasoning as output; here each token is in one
bucket.
"""

from pydantic_ai.usage import RequestUsage

from loopctl.domain.usage import Usage


def usage_of(used: RequestUsage, model: str) -> Usage | None:
    """The buckets of one request; ``None`` when the provider said nothing."""
    if not used.input_tokens and not used.output_tokens:
        return None
    cached = used.cache_read_tokens + used.cache_write_tokens
    reasoning = used.output_reasoning_tokens or 0
    return Usage(
        model=model,
        input_tokens=max(used.input_tokens - cached, 0),
        output_tokens=max(used.output_tokens - reasoning, 0),
        reasoning_tokens=reasoning,
        cache_read_tokens=used.cache_read_tokens,
        cache_write_tokens=used.cache_write_tokens,
    )
