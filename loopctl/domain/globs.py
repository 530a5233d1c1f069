"""Globs over whole paths with ``/`` as separator.

``*`` stays inside a folder, ``**`` crosses folders, ``**/`` at the beginning of a name is any
folders or none, a trailing ``/`` means everything below. Letters are compared without regard to
case, so that a twin in other letters does not slip through.

Invariant: no glob keeps a comparison busy, however many signs it has. Of everything between two
``**``, and between two ``*``, the first place where it fits is as good as any later one, so that
no other is tried.
"""

import re
from functools import lru_cache

_SIGNS = re.compile(r"((?<![^/])\*\*/|\*\*+|\*)")


def matches_any(path: str, patterns: tuple[str, ...]) -> bool:
    """Whether any of ``patterns`` matches the whole of ``path``."""
    return bool(patterns) and _compiled(patterns).fullmatch(path.casefold()) is not None


@lru_cache(maxsize=64)
def _compiled(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(as_regex(pattern.casefold()) for pattern in patterns), re.DOTALL)


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
