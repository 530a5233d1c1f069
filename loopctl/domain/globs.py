"""Globs over whole paths with ``/`` as separator.

``*`` stays inside a folder, ``**`` crosses folders, a trailing ``/`` means everything below.
Letters are compared without regard to case, so that a twin in other letters does not slip
through.
"""

import re
from functools import lru_cache


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
    parts: list[str] = []
    for token in re.split(r"(\*\*/|\*\*|\*|\?)", pattern.removeprefix("./").removeprefix("/")):
        match token:
            case "**/":
                parts.append("(?:.*/)?")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case _:
                parts.append(re.escape(token))
    return "".join(parts)
