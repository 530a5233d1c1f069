"""The goal as the user gives it: an argument, a file (``@FILE``), or standard input (``-``).

Invariant: the text reaches the loop byte for byte.
"""

import sys
from pathlib import Path

from loopctl.errors import UsageError


def read_goal(argument: str) -> str:
    """The text of the goal.

    Raises:
        UsageError: it cannot be read, or is not UTF-8.
    """
    if argument != "-" and not argument.startswith("@"):
        return argument
    source = "standard input" if argument == "-" else argument[1:]
    try:
        data = sys.stdin.buffer.read() if argument == "-" else Path(source).read_bytes()
        return data.decode()
    except OSError as error:
        raise UsageError(
            f"the goal cannot be read from {source}",
            why=error.strerror or str(error),
            next_step='loopctl run @FILE, or loopctl run "the goal itself"',
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the goal in {source} is not valid UTF-8", why=str(error)) from error
