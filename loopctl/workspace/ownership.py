"""Whose a folder is: as root, what a sandboxed agent works in belongs to the agent's user id.

Invariant: links are given and never followed, and what belongs to the right one already is not
touched, because a change of owner makes git look at the file again.
"""

import errno
import os
from pathlib import Path

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def give(owner: int, *paths: Path) -> None:
    """Give files and folders of our own, with all that they hold, to a user id.

    Call it when nobody else is at work there. Nothing is done unless we are root.

    Raises:
        OSError: one cannot be given.
    """
    if os.geteuid() != 0:
        return
    for path in paths:
        if path.lstat().st_uid != owner:
            os.lchown(path, owner, owner)
        if path.is_dir() and not path.is_symlink():
            _give_content(owner, path)


def _give_content(owner: int, folder: Path) -> None:
    """Give what is in a folder, however deep: a path as a whole may be too long for the system."""
    here = os.open(folder, _FOLDER)
    try:
        way = [(_who(here), _given(owner, here))]
        while way:
            identity, names = way[-1]
            if names:
                here = _entered(names.pop(), here)
                way.append((_who(here), _given(owner, here)))
                continue
            if _who(here) != identity:
                raise OSError(errno.ESTALE, "it was moved while it was given", str(folder))
            way.pop()
            here = _entered("..", here) if way else here
    finally:
        os.close(here)


def _given(owner: int, folder: int) -> list[str]:
    """Give the entries of an open folder; the names of the folders among them."""
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.stat(follow_symlinks=False).st_uid != owner:
                os.chown(entry.name, owner, owner, dir_fd=folder, follow_symlinks=False)
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
    return folders


def _who(folder: int) -> tuple[int, int]:
    found = os.fstat(folder)
    return found.st_dev, found.st_ino


def _entered(name: str, folder: int) -> int:
    """A folder beside or below an open one, which is closed."""
    entered = os.open(name, _FOLDER, dir_fd=folder)
    os.close(folder)
    return entered
