"""Characters that do not show, as text that does: what hides in a file is seen by its reader.

Invariant: the result holds no control, format or private character but newline and tab, and no
character that is drawn as nothing.
"""

import re
import unicodedata

_SUSPECT = re.compile(r"[^\t\n\x20-\x7e]")
_HIDING = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_DRAWN_AS_NOTHING = frozenset(
    {"\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u2800", "\u3164", "\uffa0"}
)
_VARIATIONS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0), range(0x180B, 0x1810))


def revealed(text: str) -> str:
    """The text with ``<U+200B>`` for a zero-width space, and alike; line ends are newlines."""
    return _SUSPECT.sub(_reveal, text.replace("\r\n", "\n"))


def _reveal(found: re.Match[str]) -> str:
    character = found[0]
    hides = (
        unicodedata.category(character) in _HIDING
        or character in _DRAWN_AS_NOTHING
        or any(ord(character) in variations for variations in _VARIATIONS)
    )
    return f"<U+{ord(character):04X}>" if hides else character
