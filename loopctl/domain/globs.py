"""Globs over whole paths with ``/`` as separator.

``*`` stays inside a folder, ``**`` crosses folders, ``**/`` at the beginning of a name is any
folders or none, a trailing ``/`` means everything below. Letters are compared without regard to
case and to how their accents are written, so that a twin in other letters does not slip through.

Invariant: no glob keeps a comparison busy, however many signs it has. Of everything between two
``**``, and between two ``*``, the first place where it fits is as good as any later one, so that
no other is tried.
"""

import re
from functools import lru_cache
from unicodedata import normalize

_SIGNS = re.compile(r"((?<![^/])\*\*/|\*\*+|\*)")


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether any of ``patterns`` matches the whole of ``path``."""
    return bool(patterns) and _compiled(patterns).fullmatch(_plain_letters(path)) is not None


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    spelled = (as_regex(_plain_letters(pattern)) for pattern in patterns)
    return re.compile("|".join(spelled), re.DOTALL)


def _plain_letters(text: str) -> str:
    """The text in the one spelling that stands for all that a file system may take for it."""
    folded = text.casefold()
    return folded if folded.isascii() else normalize("NFC", folded)


def as_regex(pattern: str) -> str:
    """A glob as a regular expression; a trailing ``/`` means everything below."""
    if pattern.endswith("/"):
        pattern += "**"
    first, *rest = _SIGNS.split(pattern.removeprefix("./").removeprefix("/"))
    lead, pieces, parts = "", [first], []
    for sign, piece in zip(rest[::2], rest[1::2], strict=True):
        if sign == "*":
            pieces.append(piece)
            continue
        parts.append(f"(?>{lead}{_in_folder(pieces)})")
        lead, pieces = ("(?:.*?/)??" if sign == "**/" else ".*?"), [piece]
    *inner, last = pieces
    end = f"[^/]*{_plain(last)}" if inner else _plain(last)
    return "".join((*parts, lead, _in_folder(inner), end))


def _in_folder(pieces: list[str]) -> str:
    """The pieces with anything of one folder between them, each where it first fits."""
    first, *others = pieces or [""]
    return "".join((_plain(first), *(f"(?>[^/]*?{_plain(piece)})" for piece in others)))


def _plain(text: str) -> str:
    """Text in which only the question mark stands for something else."""
    return "[^/]".join(map(re.escape, text.split("?")))
