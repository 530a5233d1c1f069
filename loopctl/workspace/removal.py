"""Removing a folder that a stranger has filled.

Invariant: symlinks are removed, never followed, and what cannot be removed is no error: the
folder is ours to forget, not worth a round.
"""

import contextlib
import os
import shutil
import stat
from pathlib import Path


def remove_folder(folder: Path) -> None:
    """Remove a folder with all it holds, also where permissions were taken away."""
    try:
        shutil.rmtree(folder)
    except OSError:
        _permit(folder)
        shutil.rmtree(folder, ignore_errors=True)


def _permit(folder: Path) -> None:
    """Let us into every folder below; each is opened before it is entered."""
    if folder.is_symlink():
        return
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)
    for parent, names, _ in os.walk(folder):
        for name in names:
            below = Path(parent) / name
            if not below.is_symlink():
                with contextlib.suppress(OSError):
                    below.chmod(stat.S_IRWXU)
