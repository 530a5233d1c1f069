"""What a setup command has read of its checkout: files, and folders that it listed.

The file system is asked: access times are set back before the command runs; those that have
moved when it has ended tell what was read. Invariant: what was moved, linked or replaced counts as
read, and everything does on a file system that does not record reads. A path that was looked for
and not there is seen only when its folder was listed.
"""

import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.change import Entry

_NEVER = 0  # an access time, in nanoseconds
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
        # A checkout may be limited to some paths; what it never had was not read.
        self._files = [path for path in sorted(entries) if self._set_back(path)]
        self._folders = [path for path in sorted(_children(entries)) if self._set_back(path)]

    def inputs(self) -> SetupInputs:
        """What was read so far. The next look into the checkout adds to it: ask once."""
        if not self._is_recorded:
            return SetupInputs()
        return SetupInputs(
            tuple(path for path in self._files if self._was_read(path)),
            tuple(path for path in self._folders if self._was_read(path)),
        )

    def _set_back(self, path: str) -> bool:
        status = _status(self._folder / path)
        if status is not None:
            times = (_NEVER, status.st_mtime_ns)
            os.utime(self._folder / path, ns=times, follow_symlinks=False)
        return status is not None

    def _was_read(self, path: str) -> bool:
        """Whether it was read, or moved, linked or replaced: its content may be elsewhere."""
        status = _status(self._folder / path)
        if status is None:
            return True
        is_linked = stat.S_ISREG(status.st_mode) and status.st_nlink > 1
        return is_linked or status.st_atime_ns != _NEVER


def _status(place: Path) -> os.stat_result | None:
    try:
        return place.lstat()
    except OSError:
        return None


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
