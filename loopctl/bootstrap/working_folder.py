"""The folder in which an agent and the commands that judge it run, as it is frozen at start."""

import os
from pathlib import Path

from loopctl.bootstrap.request import StartRequest, has_surrogates
from loopctl.errors import UsageError
from loopctl.git.repository import UserRepository


def working_folder(request: StartRequest, user: UserRepository) -> str:
    """The folder relative to the root of the checkout; ``""`` is the root.

    Raises:
        UsageError: it lies outside the checkout, or the base commit does not have it.
    """
    if request.cwd is None:
        return ""
    top = Path(os.path.realpath(user.top_level))
    folder = Path(os.path.realpath(request.cwd))
    if not folder.is_relative_to(top):
        raise UsageError(
            f"agent and commands cannot run in {folder}",
            why=f"it lies outside the repository {top}",
            next_step=f"name a folder of the repository, such as --cwd {top}",
        )
    inside = folder.relative_to(top)
    if not inside.parts:
        return ""
    if has_surrogates(str(inside)) or not user.is_folder_in_commit(user.head, str(inside)):
        raise UsageError(
            f"agent and commands cannot run in {inside}: the base commit has no such folder",
            why="a loop works on what is committed, by default where its stop commands are",
            next_step=f"commit the folder, or run them at the root: --cwd {top}",
        )
    return str(inside)
