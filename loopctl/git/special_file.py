"""Special files: fifos, sockets and devices, which git passes over in silence.

Git waits for ever for the writer of a fifo that stands where it reads its rules, or where it
looks whether a folder is a repository. Invariant: found by looking at directory entries alone;
nothing that an agent could have put in a file's place is opened in a way that waits.
"""

import os
import stat
from pathlib import Path

from loopctl.errors import GitError

_RULES = (".gitignore", ".gitattributes")
_OPENED = ("HEAD", "commondir")  # what git opens in a folder to see whether it is a repository
_HEAD_BYTES = 4096


def special_files(root: Path) -> list[str]:
    """Paths of the special files below a worktree, those in ignored folders included.

    Raises:
        GitError: one stands where git would wait for its writer.
    """
    found: list[str] = []
    folders = [""]
    for folder in folders:  # grows while it is walked
        try:
            with os.scandir(root / folder) as entries:
                listed = list(entries)
        except OSError:
            continue
        for entry in listed:
            name = entry.name
            is_git = name.lower() == ".git"
            if not is_git and (entry.is_file(follow_symlinks=False) or entry.is_symlink()):
                continue  # nearly all
            path = f"{folder}/{name}" if folder else name
            if is_git:
                if folder:
                    _refuse_trap(root, path)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(path)
            elif name in _RULES:
                raise _refusal(root, path)
            else:
                found.append(path)
    return found


def read_start(path: Path) -> str:
    """The beginning of a regular file, empty for any other kind; a planted fifo must not block.

    Raises:
        OSError: it cannot be opened.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return ""
        return os.fsdecode(os.read(handle, _HEAD_BYTES))
    finally:
        os.close(handle)


def _refuse_trap(root: Path, path: str) -> None:
    """See that git can tell whether the folder of this ``.git`` is a repository."""
    git = root / path
    try:
        if git.is_file():
            git = git.parent / read_start(git).removeprefix("gitdir:").strip()
        modes = [(git / name).stat().st_mode for name in _OPENED if (git / name).exists()]
    except (OSError, ValueError):  # git cannot follow it either
        return
    if not all(stat.S_ISREG(mode) or stat.S_ISDIR(mode) for mode in modes):
        raise _refusal(root, path)


def _refusal(root: Path, path: str) -> GitError:
    return GitError(
        f"{path} in the worktree cannot be read",
        why="a fifo, a socket or a device is in a file's place, and git would wait for it",
        next_step=f"rm -r {root / path}",
    )
