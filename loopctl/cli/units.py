"""Numbers with a unit, as users write them in options, variables and files.

Invariant: a number that means nothing (NaN, infinity, a negative one, a word) is refused with a
sentence. The errors are ``ValueError``; whoever knows where the text came from adds that.
"""

import math
import re
from decimal import Decimal

from loopctl.domain.usage import to_micro

_NUMBER = re.compile(r"\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
_DURATION = re.compile(
    r"(?:([\d.]+)d)?(?:([\d.]+)h)?(?:([\d.]+)m)?(?:([\d.]+)s)?", re.ASCII | re.IGNORECASE
)
_SIZES = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_SECONDS = (86400, 3600, 60, 1)
MOST = 10**12
"""More than this is a slip of the pen, and would not fit into the database."""


def count(value: object) -> int:
    """A whole number, at least 1."""
    return int(_positive(_whole(value), value))


def count_or_none(value: object) -> int:
    """A whole number, at least 0; 0 stands for no cap."""
    return int(_whole(value))


def micro_dollars(value: object) -> int:
    """An amount in US dollars, more than 0, as millionths."""
    text = str(value).strip().removeprefix("$")
    return to_micro(float(_positive(_number(text, "an amount in US dollars"), value)))


def seconds(value: object) -> float:
    """A duration, more than 0: ``90`` (seconds), ``45s``, ``30m``, ``2h``, ``1h30m``, ``1d``."""
    text = str(value).strip()
    parts = _DURATION.fullmatch(text)
    if parts is None or not text:
        return float(_positive(_number(text, "a duration such as 90, 45s, 30m or 1h30m"), value))
    total = sum(
        (
            _number(part, "a duration such as 90, 45s, 30m or 1h30m") * unit
            for part, unit in zip(parts.groups(), _SECONDS, strict=True)
            if part is not None
        ),
        Decimal(0),
    )
    return float(_positive(total, value))


def byte_count(value: object) -> int:
    """A size, more than 0: ``4096`` (bytes), ``64K``, ``512M``, ``2G``; a unit is 1024 times."""
    text = str(value).strip().upper().removesuffix("B").removesuffix("I")
    scale = _SIZES.get(text[-1:], 1)
    number = _number(text[:-1] if scale > 1 else text, "a size such as 4096, 512M or 2G")
    return int(_positive(number * scale, value))


def _whole(value: object) -> Decimal:
    number = _number(str(value).strip(), "a whole number")
    if number != math.floor(number):
        raise ValueError(f"{value!r} is not a whole number")
    return number


def _number(text: str, what: str) -> Decimal:
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{text!r} is not {what}")
    number = Decimal(text)
    if number > MOST:
        raise ValueError(f"{text!r} is too large")
    return number


def _positive(number: Decimal, value: object) -> Decimal:
    if number <= 0:
        raise ValueError(f"{value!r} would allow nothing; it has to be more than 0")
    return number
