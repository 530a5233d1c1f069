"""A folder inside a worktree or checkout, in which something is to run.

Invariant: it is one of the root's own folders. What an agent has put in its place (a file, a link
that leads out) is not followed.
"""

from pathlib import Path

from loopctl.errors import WorkGoneError


def folder_inside(root: Path, folder: str) -> Path:
    """The folder below ``root``; ``root`` itself when it is ``""``.

    Raises:
        WorkGoneError: there is no such folder.
    """
    found = root / folder
    if folder and not (found.is_dir() and found.resolve().is_relative_to(root.resolve())):
        raise WorkGoneError(
            f"there is no folder {folder} any more",
            why="the commands that judge the work run there, and the work has removed it",
        )
    return found
