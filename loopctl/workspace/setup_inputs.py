"""What a setup command has read of its checkout: files, and folders that it listed.

The file system is asked: access times are set back before the command runs; those that have
moved when it has ended tell what was read. Invariant: a file that was touched in any way counts as
read, so that a command cannot hide what it reads by setting the times itself; everything counts on
a file system that does not record reads. A path that was looked for and not there is seen only when
its folder was listed.
"""

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.change import GITLINK, Entry

_NEVER = 0  # an access time, in nanoseconds
_GONE = (-1, -1)
_PROBE = "recorded"


@dataclass(frozen=True, slots=True)
class SetupInputs:
    """Paths of a checkout; None in their place is all of them.

    Attributes:
        files: what was read, sorted.
        folders: what was listed, sorted; ``""`` is the root.
    """

    files: tuple[str, ...] | None = None
    folders: tuple[str, ...] | None = None

    def state(self, entries: Mapping[str, Entry]) -> str:
        """A digest of what these paths hold in a tree: another one when an input has changed."""
        files = sorted(entries) if self.files is None else self.files
        digest = hashlib.sha256()
        for path in files:
            entry = entries.get(path)
            held = f"{entry.mode} {entry.blob}" if entry else ""
            digest.update(os.fsencode(f"{path}\0{held}\0"))
        children = _children(entries) if self.folders else {}
        for folder in self.folders or ():
            names = "\0".join(sorted(children.get(folder, ())))
            digest.update(os.fsencode(f"{folder}\0{names}\0\0"))
        return digest.hexdigest()


def records_reads(folder: Path) -> bool:
    """Whether the file system of this folder moves access times; mount options may forbid it."""
    probe = folder / _PROBE
    probe.write_bytes(b"x")
    os.utime(probe, ns=(_NEVER, probe.stat().st_mtime_ns))
    probe.read_bytes()
    is_recorded = probe.stat().st_atime_ns != _NEVER
    probe.unlink()
    return is_recorded


class ReadWatch:
    """Watches the files and folders of one checkout.

    Args:
        folder: the checkout, filled.
        entries: the tree that it was filled with.
        is_recorded: what ``records_reads`` says.
    """

    def __init__(self, folder: Path, entries: Mapping[str, Entry], *, is_recorded: bool) -> None:
        self._folder = folder
        self._is_recorded = is_recorded
        self._gitlinks = {path for path, each in entries.items() if each.mode == GITLINK}
        self._files = self._set_back(sorted(entries))
        self._folders = self._set_back(sorted(_children(entries)))

    def inputs(self) -> SetupInputs:
        """What was read so far. The next look into the checkout adds to it: ask once."""
        if not self._is_recorded:
            return SetupInputs()
        files = (
            path
            for path, times in self._files.items()
            # The files below a gitlink are not the tree's: its pin stands for them.
            if path in self._gitlinks or self._times(path) != times
        )
        # What a command makes in a folder changes the inode too: that is no look into it.
        folders = (path for path in self._folders if self._times(path)[0] != _NEVER)
        return SetupInputs(tuple(files), tuple(folders))

    def _set_back(self, paths: Iterable[str]) -> dict[str, tuple[int, int]]:
        """The times of those paths that there are: a checkout may be limited to some."""
        times = {}
        for path in paths:
            if self._times(path) != _GONE:
                place = self._folder / path
                status = place.lstat()
                os.utime(place, ns=(_NEVER, status.st_mtime_ns), follow_symlinks=False)
                times[path] = self._times(path)
        return times

    def _times(self, path: str) -> tuple[int, int]:
        """Of the last read, and of the last change of the inode, which nobody can set."""
        try:
            status = (self._folder / path).lstat()
        except OSError:
            return _GONE
        return status.st_atime_ns, status.st_ctime_ns


def _children(entries: Mapping[str, Entry]) -> dict[str, set[str]]:
    """Every folder of a tree with the names in it."""
    children: dict[str, set[str]] = {"": set()}
    for path in entries:
        folder, _, name = path.rpartition("/")
        while name not in children.setdefault(folder, set()):
            children[folder].add(name)
            folder, _, name = folder.rpartition("/")
            if not name:
                break
    return children
