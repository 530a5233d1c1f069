"""Files that an agent has added look older than all others in a checkout.

Build tools take a file that is newer than what it is made of for up to date, and do nothing: a
stamp in the tree would be an order not to test. A fresh clone promises no order of times, so that
nothing honest depends on one. Invariant: no file that is new since the base commit is newer than
one that is not.
"""

import contextlib
import os
from collections.abc import Container, Iterable
from pathlib import Path

_LONG_AGO = 10**9  # seconds: 2001, since which every file of git's is newer


def age(root: Path, paths: Iterable[str], known: Container[str]) -> bool:
    """Give the files among ``paths`` that are not ``known`` an old time.

    Args:
        root: a folder that nobody else is at work in.
        paths: relative to it.
        known: the paths of the base commit.

    Returns:
        Whether there were any, so that an index has to be told.
    """
    new = [path for path in paths if path not in known]
    for path in new:
        with contextlib.suppress(OSError):  # left out, or a folder for a submodule
            os.utime(root / path, (_LONG_AGO, _LONG_AGO), follow_symlinks=False)
    return bool(new)
