"""Copies of files and folders that know where they are.

A virtual environment holds the path of its own place: in the first line of its scripts, in
``.pth`` files, in the finders of editable installs. A copy that still named the old place would
run, and change, the original. Invariant: nothing in a copy leads back to the original's root; no
link is made to it, and pipes, sockets and devices are left out.
"""

import fcntl
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_FICLONE = 0x40049409  # Linux: share the blocks until one side is written to
_LARGEST_TEXT = 1_000_000  # bytes
_SCRIPTS = frozenset({"bin", ".bin", "Scripts"})
_PLACED = re.compile(r".*\.pth|.*\.egg-link|pyvenv\.cfg|(?:__editable__|_editable_impl_).*\.py")


@dataclass(frozen=True, slots=True)
class Move:
    """From which root to which other one a copy goes; both absolute."""

    old: Path
    new: Path

    def path(self, path: str) -> str:
        """The path with the new root when it lies under the old one."""
        old = os.fspath(self.old)
        is_below = path == old or path.startswith(old + os.sep)
        return os.fspath(self.new) + path[len(old) :] if is_below else path

    def content(self, content: bytes) -> bytes:
        """The content of a text file with every mention of the old root replaced."""
        old, new = os.fsencode(self.old), os.fsencode(self.new)
        mention = rb"(?<![\w.-])" + re.escape(old) + rb"(?![\w.-])"
        return re.sub(mention, lambda _: new, content)


# From where, to where, and between which roots.
Copy = Callable[[Path, Path, Move], None]


def copy_moved(source: Path, destination: Path, move: Move) -> None:
    """Copy a file or a folder with all it holds.

    Args:
        source: what to copy; a link is copied as a link.
        destination: where it is to be; whatever stands there is removed, and so is a file or a
            link in the place of one of its parents below the new root.
        move: the roots.

    Raises:
        OSError: something could not be read or written.
    """
    _make_room(destination, move.new)
    _copy(source, destination, move)


def _make_room(destination: Path, root: Path) -> None:
    """Real folders down to the destination, and nothing in its place."""
    folders = [parent for parent in destination.parents if root in parent.parents]
    for folder in reversed(folders):
        if folder.is_symlink() or not folder.is_dir():
            folder.unlink(missing_ok=True)
            folder.mkdir(mode=0o700)
    if destination.is_dir() and not destination.is_symlink():
        shutil.rmtree(destination)
    else:
        destination.unlink(missing_ok=True)


def _copy(source: Path, destination: Path, move: Move) -> None:
    if source.is_symlink():
        destination.symlink_to(_link_target(source, move))
    elif source.is_dir():
        destination.mkdir(mode=0o700)
        for name in os.listdir(source):  # noqa: PTH208 - only the names
            _copy(source / name, destination / name, move)
        _keep_attributes(source, destination, stat.S_IRWXU)
    elif source.is_file():
        _copy_file(source, destination, move)


def _link_target(source: Path, move: Move) -> str:
    """Where the copy of a link leads: to the counterpart in the new root, else where it led.

    A chain of links may leave the old root and come back to it (``npm link``), and a relative
    link may leave it for good (``file:../sibling``).
    """
    target = source.readlink()
    absolute = os.path.normpath(source.parent / target)
    if move.path(absolute) != absolute:
        return move.path(absolute) if target.is_absolute() else os.fspath(target)
    if not source.is_relative_to(move.old) or not source.exists():
        return os.fspath(target)
    real = os.path.realpath(source)
    return absolute if move.path(real) == real else move.path(real)


def _copy_file(source: Path, destination: Path, move: Move) -> None:
    if not _names_its_place(source):
        _copy_content(source, destination)
        _keep_attributes(source, destination)
        return
    content = source.read_bytes()
    moved = content if b"\0" in content else move.content(content)
    destination.write_bytes(moved)
    # A changed file gets a new time: compiled Python beside it is then out of date.
    _keep_attributes(source, destination, times=moved == content)


def _names_its_place(file: Path) -> bool:
    is_kind = file.parent.name in _SCRIPTS or _PLACED.fullmatch(file.name) is not None
    return is_kind and file.stat().st_size <= _LARGEST_TEXT


def _copy_content(source: Path, destination: Path) -> None:
    if sys.platform != "linux":  # where the standard library shares blocks by itself
        shutil.copyfile(source, destination)
        return
    with source.open("rb") as old, destination.open("xb") as new:
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
        except OSError:  # another file system, or one that cannot
            shutil.copyfileobj(old, new)


def _keep_attributes(source: Path, destination: Path, more: int = 0, *, times: bool = True) -> None:
    """Permissions without set-id bits, and the time of the last change."""
    found = source.stat()
    destination.chmod(found.st_mode & 0o777 | more)
    if times:
        os.utime(destination, ns=(found.st_atime_ns, found.st_mtime_ns))
