"""Special files: fifos, sockets and devices, which git passes over in silence.

Invariant: found by looking at directory entries alone; nothing is opened.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from loopctl.errors import GitError

_READ_BY_GIT = (".gitignore", ".gitattributes")


def special_files(root: Path, folders: Iterable[str]) -> list[str]:
    """Paths of special files that lie directly in these folders; missing folders have none.

    Raises:
        GitError: one stands where git reads its rules: git would wait for its writer for ever.
    """
    found = []
    for folder in folders:
        try:
            with os.scandir(root / folder) as entries:
                names = [entry.name for entry in entries if _is_special(entry)]
        except OSError:
            continue
        found += [f"{folder}/{name}" if folder else name for name in names]
    for path in found:
        if path.rpartition("/")[2] in _READ_BY_GIT:
            raise GitError(
                f"{path} in the worktree is not a file",
                why="it is a fifo, a socket or a device, and git would wait for it",
                next_step=f"rm {root / path}",
            )
    return found


def _is_special(entry: os.DirEntry[str]) -> bool:
    return not (
        entry.is_file(follow_symlinks=False)
        or entry.is_dir(follow_symlinks=False)
        or entry.is_symlink()
    )
