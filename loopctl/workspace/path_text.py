"""A path as text: git's names are bytes, what is stored and shown is Unicode."""

import os
from collections.abc import Sequence

NAMED = 10


def path_text(path: str) -> str:
    """The path with every byte that is not UTF-8 as an escape."""
    return os.fsencode(path).decode(errors="backslashreplace")


def listed(paths: Sequence[str]) -> str:
    """The first of these paths in one line; says how many more there are."""
    shown = ", ".join(path_text(path) for path in paths[:NAMED])
    more = len(paths) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown
