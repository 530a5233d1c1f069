"""A swept folder: one in which nothing is left but the files that were put there, untouched.

Invariants
* A file stays only if its stamp is the one that was taken when it was written. Whatever is done
  to a file changes its change time, which only a clock can set. Everything else is removed.
* An expected folder has the permissions that a new one would get. Nothing is entered before it is
  known to be a folder that is expected; no link is followed.
"""

import os
import stat
import tempfile
import time
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from loopctl.errors import GitError

# Change time (ns), inode, mode, size (bytes), modification time (ns).
Stamp = tuple[int, int, int, int, int]
# Of files and links their stamps, of folders their modes.
Survey = tuple[dict[str, Stamp], dict[str, int]]

_HAS_ATTRIBUTES = hasattr(os, "listxattr")
_LONGEST_TICK = 3.0  # seconds; the coarsest file systems count two at a time


@dataclass(frozen=True, slots=True)
class _Nature:
    """What a folder has beside its entries, so that two can be compared."""

    device: int
    owner: int
    group: int
    mode: int
    attributes: dict[str, bytes]


def stamps_of(root: Path, paths: Iterable[str]) -> dict[str, Stamp]:
    """The stamps of those of these files and links that are there."""
    found = {}
    for path in paths:
        try:
            found[path] = _stamp(os.lstat(f"{root}/{path}"))
        except OSError:
            continue
    return found


def survey(root: Path) -> Survey:
    """The stamps of all files and links below a folder, and the modes of it ("") and its folders.

    Raises:
        OSError: a folder cannot be read.
    """
    stamps: dict[str, Stamp] = {}
    modes = {"": stat.S_IMODE(root.lstat().st_mode)}
    pending = [""]
    for here in pending:  # grows while it is walked
        with _listed(root / here) as entries:
            for entry in entries:
                found = entry.stat(follow_symlinks=False)
                path = here + entry.name
                if stat.S_ISDIR(found.st_mode):
                    modes[path] = stat.S_IMODE(found.st_mode)
                    pending.append(f"{path}/")
                else:
                    stamps[path] = _stamp(found)
    return stamps, modes


def outlast(stamps: Mapping[str, Stamp], probe: Path) -> bool:
    """Wait until a file that is changed now gets a later time than all of these have.

    The clock of a file system ticks every few milliseconds, rarely every two seconds.

    Args:
        stamps: what was written last.
        probe: a name for a file on the same file system.

    Returns:
        Whether that came to pass.
    """
    newest = max((stamp[0] for stamp in stamps.values()), default=0)
    give_up = time.monotonic() + _LONGEST_TICK
    while time.monotonic() < give_up:
        probe.write_bytes(b"")
        os.utime(probe)
        if probe.stat().st_ctime_ns > newest:
            return True
        time.sleep(0.001)
    return False


def sweep(
    root: Path,
    stamps: Mapping[str, Stamp],
    folders: Mapping[str, int | None],
    trash: Path,
    spared: Container[str] = (),
) -> frozenset[str]:
    """Remove everything below a folder that was not put there or is not as it was then.

    Args:
        root: the folder; ours, and nobody else is at work in it.
        stamps: expected files and links, relative to the root.
        folders: expected folders with their modes, the root ("") among them; None is the mode that
            a new folder gets.
        trash: a folder of the same file system, to which unexpected folders are moved. Beside it
            a new folder is made to see what one is like.
        spared: folders that are neither entered nor removed.

    Returns:
        The expected files and folders that are not there any more.

    Raises:
        OSError: something cannot be removed.
        GitError: a folder belongs to somebody else or carries foreign attributes.
    """
    usual = _usual(trash.parent)
    _tidy(root, usual, folders[""])
    kept: list[str] = []
    pending = [""]
    for here in pending:  # grows while it is walked
        with _listed(root / here) as entries:
            for entry in entries:
                path = here + entry.name
                if not entry.is_dir(follow_symlinks=False):
                    if stamps.get(path) == _stamp(entry.stat(follow_symlinks=False)):
                        kept.append(path)
                    else:
                        (root / path).unlink()
                elif path in folders:
                    _tidy(root / path, usual, folders[path])
                    pending.append(f"{path}/")
                elif path not in spared:
                    throw_away(root / path, trash)
    if len(kept) == len(stamps) and len(pending) == len(folders):
        return frozenset()
    entered = (each.removesuffix("/") for each in pending)
    return frozenset((stamps.keys() | folders) - {*kept, *entered})


@contextmanager
def _listed(folder: Path) -> Iterator[Iterator["os.DirEntry[str]"]]:
    """The entries of a folder; relative to it they are looked at faster than by their paths."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        with os.scandir(handle) as entries:
            yield entries
    finally:
        os.close(handle)


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ctime_ns, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns


def _usual(place: Path) -> _Nature:
    """What a folder is like that was just made: the process's umask and the place decide."""
    with tempfile.TemporaryDirectory(dir=place) as made:
        (Path(made) / "new").mkdir()
        return _nature(Path(made) / "new")


def _nature(folder: Path) -> _Nature:
    found = folder.lstat()
    mode = stat.S_IMODE(found.st_mode)
    return _Nature(found.st_dev, found.st_uid, found.st_gid, mode, _attributes(folder))


def _attributes(folder: Path) -> dict[str, bytes]:
    """Extended attributes, access lists included; none where the file system has none."""
    if not _HAS_ATTRIBUTES:
        return {}
    try:
        names = os.listxattr(folder, follow_symlinks=False)
        return {each: os.getxattr(folder, each, follow_symlinks=False) for each in names}
    except OSError:
        return {}


def _tidy(folder: Path, usual: _Nature, mode: int | None) -> None:
    """Give the folder its permissions back; what else it has must be as usual."""
    found = _nature(folder)
    wanted = usual.mode if mode is None else mode
    if found.mode != wanted:
        folder.chmod(wanted)
    kept = (found.device, found.owner, found.group, found.attributes)
    if kept != (usual.device, usual.owner, usual.group, usual.attributes):
        raise GitError(
            f"{folder} cannot be used again", why="its owner or its attributes were changed"
        )


def throw_away(folder: Path, trash: Path) -> None:
    """Move a folder out of sight: that takes no time, however much it holds."""
    try:
        folder.rename(trash / uuid4().hex)
    except PermissionError:  # to move a folder, one must be allowed to write to it
        folder.chmod(stat.S_IRWXU)
        folder.rename(trash / uuid4().hex)
