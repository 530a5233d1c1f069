"""How long a provider asks to wait, by the headers of its refusal.

``Retry-After`` comes first. Anthropic also says when each of its allowances is full again: of
those that are used up, the last one counts. Invariant: the wait is one that can be waited, not
before now and not beyond a month; a header that cannot be read says nothing.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from pydantic_ai.exceptions import ModelAPIError, ModelHTTPError

LONGEST_RESET_S = 30 * 24 * 3600.0
_PREFIX = "anthropic-ratelimit-"
_ALLOWANCES = ("requests", "tokens", "input-tokens", "output-tokens")


def asked_wait(error: Exception, now: datetime | None = None) -> float | None:
    """Seconds to wait; ``None`` when the provider asks for nothing.

    Args:
        error: what the library raised.
        now: the time, with its zone; ``None`` takes the clock's.
    """
    seconds = error.retry_after if isinstance(error, ModelAPIError) else None
    if seconds is None and isinstance(error, ModelHTTPError):
        seconds = _until_full(error.headers or {}, now or datetime.now(UTC))
    if seconds is None or math.isnan(seconds):
        return None
    return min(max(seconds, 0.0), LONGEST_RESET_S)


def _until_full(headers: Mapping[str, str], now: datetime) -> float | None:
    resets = [
        _until(headers.get(f"{_PREFIX}{allowance}-reset", ""), now)
        for allowance in _ALLOWANCES
        if headers.get(f"{_PREFIX}{allowance}-remaining") == "0"
    ]
    return max((wait for wait in resets if wait is not None), default=None)


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if moment.tzinfo is None else (moment - now).total_seconds()
