"""The name of a loop: made from its goal when the user gives none, safe as a file and a branch."""

import re
import unicodedata

from loopctl.errors import UsageError

LONGEST = 40
LONGEST_GIVEN = 100
_GIVEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def name_from_goal(goal: str) -> str:
    """A short name of the first words of ``goal``; ``loop`` when there are none."""
    plain = unicodedata.normalize("NFKD", goal).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain)
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word[:LONGEST]
        if len(longer) > LONGEST:
            break
        name = longer
    return name or "loop"


def check_name(name: str) -> str:
    """A name that the user chose.

    Raises:
        UsageError: it cannot be a file name and a part of a branch name on every system.
    """
    fits = _GIVEN.fullmatch(name) and len(name) <= LONGEST_GIVEN
    if not fits or ".." in name or name.endswith((".lock", ".")):
        raise UsageError(
            f"the name {name[:60]!r} cannot be used",
            why="a name has up to 100 letters, digits, dots, dashes and underscores, "
            "begins with a letter or digit, and does not end in .lock",
            next_step="choose another --name",
        )
    return name
