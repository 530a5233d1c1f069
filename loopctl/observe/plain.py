"""Values as plain text that is safe to print.

Invariant: text from outside can neither move nor hide anything on the screen: what a terminal
would obey, control characters and those that turn the direction of writing, is shown as its
escape. Nothing is left out without a word.
"""

import math
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from loopctl.domain.usage import to_usd

_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_MINUTE = 60
_HOUR = 60 * _MINUTE
_KILOBYTE = 1_000
_MEGABYTE = 1_000_000
_GIGABYTE = 1_000_000_000
_LISTED = 5
_SHORT = 12


def one_line(text: str) -> str:
    """The text on one line: newlines and tabs are escaped as well."""
    return _UNSAFE.sub(_escaped, text)


def block(text: str) -> str:
    """The text with its lines and tabs as they are."""
    lines = text.removesuffix("\n").split("\n")
    return "\n".join("\t".join(one_line(part) for part in line.split("\t")) for line in lines)


def duration(seconds: float) -> str:
    """A duration, such as ``0.4 s``, ``12m 05s`` or ``1h 02m``."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE}m {whole % _MINUTE:02}s"
    return f"{whole // _HOUR}h {whole % _HOUR // _MINUTE:02}m"


def dollars(micro: int) -> str:
    """An amount, with cents and as many digits more as it has."""
    cents, rest = f"{to_usd(micro):,.6f}"[:-4], f"{to_usd(micro):.6f}"[-4:]
    return f"${cents}{rest.rstrip('0')}"


def byte_size(number: int) -> str:
    """A number of bytes in the unit that suits it: ``0 kB``, ``12 kB``, ``3.4 MB``, ``1.2 GB``."""
    if number < _MEGABYTE:
        return f"{math.ceil(number / _KILOBYTE)} kB"
    if number < _GIGABYTE:
        return f"{number / _MEGABYTE:.1f} MB"
    return f"{number / _GIGABYTE:,.1f} GB"


def iso_time(at: float) -> str:
    """Unix time as ISO 8601 in UTC, with milliseconds."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def wall_clock(at: float) -> str:
    """Unix time as a clock on the wall shows it, with its day when that is not the one of now."""
    shown, now = time.localtime(at), time.localtime()
    is_today = shown[:3] == now[:3]
    return time.strftime("%H:%M:%S" if is_today else "%Y-%m-%d %H:%M:%S", shown)


def count(number: int, noun: str) -> str:
    """A number with its noun, such as ``1 file`` or ``3 files``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listing(items: Sequence[str]) -> str:
    """The first items in one line; says how many more there are."""
    shown = ", ".join(map(one_line, items[:_LISTED]))
    more = len(items) - _LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def short(object_id: str) -> str:
    """The first digits of a git object id, enough for git to find it."""
    return object_id[:_SHORT]


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape", errors="surrogatepass").decode()
