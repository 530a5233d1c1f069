"""The programs that PATH offers, beside those that commands name: tests and recipes call others.

Invariant: a program that was there at the start is not hidden unnoticed by another that came into
a folder before its own. What appears under a new name, or is replaced in a folder of the user's,
may be an honest installation: it is told.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path

Stamp = tuple[int, int, int, int]

_OF_THE_SYSTEM = ("/usr", "/bin", "/sbin", "/lib")


@dataclass(frozen=True, slots=True)
class Offered:
    """What PATH leads to.

    Attributes:
        first: the first path of each name.
        stamps: of the programs in folders that are not the system's, by path.
    """

    first: dict[str, str] = field(default_factory=dict)
    stamps: dict[str, Stamp] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seen:
    """What has become of it.

    Attributes:
        hidden: the program that was there -> the one that hides it.
        others: paths that are new or were replaced.
    """

    hidden: dict[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()


class PathWatch:
    """Watches the folders of PATH. Make it before an agent is at work.

    Args:
        path: PATH of the evaluators.
    """

    def __init__(self, path: str) -> None:
        self._folders = tuple(dict.fromkeys(path.split(os.pathsep))) if path else ()
        self._listed: dict[str, tuple[tuple[int, int], list[str]]] = {}
        self._known = self._now()

    def accept(self) -> tuple[str, ...]:
        """Take everything as it is now; return the paths that are new or another."""
        seen = self.look()
        self._known = self._now()
        return (*seen.hidden.values(), *seen.others)

    def look(self) -> Seen:
        """What differs from what was there at first."""
        now = self._now()
        known = self._known
        hidden = {}
        others = []
        for name, path in now.first.items():
            before = known.first.get(name)
            if before is None:
                others.append(path)
            elif before != path and os.path.lexists(before):
                hidden[before] = path
        for path, stamp in now.stamps.items():
            if known.stamps.get(path, stamp) != stamp:
                others.append(path)
        return Seen(hidden, tuple(sorted(set(others))))

    def _now(self) -> Offered:
        offered = Offered()
        for folder in self._folders:
            is_system = f"{folder}/".startswith(tuple(f"{top}/" for top in _OF_THE_SYSTEM))
            for name in self._names(folder):
                path = f"{folder}/{name}"
                offered.first.setdefault(name, path)
                if not is_system and (stamp := _stamp(path)) is not None:
                    offered.stamps[path] = stamp
        return offered

    def _names(self, folder: str) -> list[str]:
        """The programs in a folder; listed again only when something in it came or went."""
        try:
            seen = Path(folder).stat()
            times = (seen.st_mtime_ns, seen.st_ctime_ns)
            if folder not in self._listed or self._listed[folder][0] != times:
                with os.scandir(folder) as entries:
                    names = [entry.name for entry in entries if _can_run(entry)]
                self._listed[folder] = (times, names)
            return self._listed[folder][1]
        except OSError:
            return []


def _can_run(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file() and os.access(entry.path, os.X_OK)
    except OSError:
        return False


def _stamp(path: str) -> Stamp | None:
    try:
        seen = os.stat(path)  # noqa: PTH116 - asked often
    except OSError:
        return None
    return seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns
