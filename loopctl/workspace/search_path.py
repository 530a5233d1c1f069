"""The PATH of evaluators: the user's, without folders in which an agent could put a program.

Invariant: no entry lies in a worktree of loopctl. One in a checkout of the project or among the
temporary files stays only where it is an environment, is shared with checkouts, or holds a program
that a command names: then the user means it.
"""

import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_ENVIRONMENT = "pyvenv.cfg"
_NODE_PROGRAMS = ("node_modules", ".bin")


@dataclass(frozen=True, slots=True)
class SearchPath:
    """The entries that are left.

    Attributes:
        value: as in PATH.
        left_out: the others, for people.
    """

    value: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Places:
    """Folders that others write to.

    Attributes:
        ours: loopctl's own, with the worktrees of all loops.
        loose: checkouts of the project, and the folder for temporary files.
        shared: folders of the user's checkout of which evaluators get copies.
    """

    ours: Path
    loose: tuple[Path, ...]
    shared: tuple[Path, ...] = ()


def search_path(path: str, names: Iterable[str], places: Places) -> SearchPath:
    """What of ``path`` evaluators get.

    Args:
        path: the user's PATH.
        names: the programs that commands name without a path.
        places: folders that others write to.
    """
    entries = [entry for entry in path.split(os.pathsep) if entry.startswith("/")]
    found = (shutil.which(name, path=os.pathsep.join(entries)) for name in names)
    used = {os.path.dirname(program) for program in found if program}  # noqa: PTH120 - as in PATH
    kept = [entry for entry in entries if _stays(entry, entry.rstrip("/") in used, places)]
    left_out = dict.fromkeys(entry for entry in entries if entry not in kept)
    return SearchPath(os.pathsep.join(kept), tuple(left_out))


def _stays(entry: str, is_used: bool, places: Places) -> bool:
    real = Path(os.path.realpath(entry))
    if real.is_relative_to(os.path.realpath(places.ours)):
        return False
    if not any(real.is_relative_to(os.path.realpath(folder)) for folder in places.loose):
        return True
    named = Path(entry)
    return (
        is_used
        or (named.parent / _ENVIRONMENT).is_file()
        or named.parts[-2:] == _NODE_PROGRAMS
        or any(named.is_relative_to(folder) for folder in places.shared)
    )
