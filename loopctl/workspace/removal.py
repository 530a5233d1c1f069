"""Removing a folder that a stranger has filled.

Invariant: symlinks are removed, never followed, and what cannot be removed is no error: the
folder is ours to forget, not worth a round.
"""

import contextlib
import os
import shutil
import stat
from itertools import count
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Remove a folder with all it holds, also where permissions were taken away."""
    try:
        shutil.rmtree(folder)
    except (OSError, RecursionError):
        _permit(folder)
        with contextlib.suppress(RecursionError):
            shutil.rmtree(folder, ignore_errors=True)
    if folder.is_dir() and not folder.is_symlink():
        _remove_deep(folder)


def _remove_deep(root: Path) -> None:
    """Remove a folder that is nested deeper than paths can be long.

    What is two levels below is moved up to the first one, so that no path is ever long.
    """
    free = (root / f"up-{number}" for number in count())
    waiting = _emptied(root)
    for folder in waiting:  # grows while it is walked
        for inner in _emptied(folder):
            above = next(path for path in free if not os.path.lexists(path))
            with contextlib.suppress(OSError):
                inner.rename(above)
                waiting.append(above)
        with contextlib.suppress(OSError):
            folder.rmdir()
    with contextlib.suppress(OSError):
        root.rmdir()


def _emptied(folder: Path) -> list[Path]:
    """The folders in a folder, of which all else is removed; all of them may be entered."""
    folders = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in list(entries):
            path = Path(entry.path)
            with contextlib.suppress(OSError):
                if entry.is_dir(follow_symlinks=False):
                    path.chmod(stat.S_IRWXU)
                    folders.append(path)
                else:
                    path.unlink()
    return folders


def _permit(folder: Path) -> None:
    """Let us into every folder below; each is opened before it is entered."""
    if folder.is_symlink():
        return
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)
    for parent, names, _ in os.walk(folder):
        for name in names:
            below = Path(parent) / name
            with contextlib.suppress(OSError):  # deeper than paths can be long
                if not below.is_symlink():
                    below.chmod(stat.S_IRWXU)
