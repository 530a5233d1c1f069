"""Text from evaluators, programs and file names, made fit for a prompt.

Invariant: the result is bounded, and holds no character that could hide or rearrange the rest.
"""

import re

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # controls, but not newline and tab
    "\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"  # and what does not show
)
_HEAD_SHARE = 4
"""Of a text that is cut, a quarter is its head: the end of an output says what went wrong."""


def excerpt(text: str, limit: int) -> str:
    """The text without invisible characters, cut in its middle when it is too long.

    Args:
        text: anything.
        limit: characters that are kept; the line that tells of the cut is not counted.
    """
    visible = _visible(text.replace("\r\n", "\n"))
    if len(visible) <= limit:
        return visible
    head = limit // _HEAD_SHARE
    left_out = len(visible) - limit
    tail = visible[head + left_out :]
    return f"{visible[:head]}\n[... {left_out} characters left out ...]\n{tail}"


def one_line(text: str, limit: int) -> str:
    """The text on a line of its own; cut at its end when it is too long."""
    line = " ".join(_visible(text).split())
    return line if len(line) <= limit else f"{line[:limit]}..."


def _visible(text: str) -> str:
    return _INVISIBLE.sub("\N{REPLACEMENT CHARACTER}", text)
