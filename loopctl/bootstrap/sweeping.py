"""Use case: remove the worktrees of ended loops, which take the most room and hold nothing new.

Branches, rounds and snapshots stay, and a restart builds the worktree again. Invariant: a worktree
goes only when its loop has ended, its last tree is a commit on the loop's branch, and it has
nothing that this tree does not hold, but for files that git ignores.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.bootstrap.place import (
    Store,
    held_lease,
    loop_workspace,
    open_project,
    open_store,
    refuse_running,
)
from loopctl.errors import LoopctlError
from loopctl.git.repository import UserRepository, discover
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import list_loops
from loopctl.workspace.project import project_id


@dataclass(frozen=True)
class Sweepable:
    """The worktree of one loop.

    Attributes:
        id: of the loop.
        loop: its name.
        worktree: the folder.
        size: what its files take on the disk, in bytes.
        kept: why it is not to be removed; ``""`` when it is.
    """

    id: str
    loop: str
    worktree: Path
    size: int
    kept: str


Found = tuple[Sweepable, ...]


def sweep(folder: Path, environment: Mapping[str, str], agree: Callable[[Found], bool]) -> Found:
    """Remove the worktrees of this project that may go; return what was removed.

    Args:
        folder: where the command was typed.
        environment: says where the state folder is.
        agree: is told of every worktree, and asks the user.

    Raises:
        RepositoryError: there is no repository.
        GitError: git could not do it; what was removed before stays removed.
        LeaseError: somebody continues one of the loops.
    """
    user = discover(folder)
    with open_store(environment) as store:
        found = tuple(_look(store, user))
        wanted = tuple(each for each in found if not each.kept)
        if not agree(found):
            return ()
        return tuple(each for each in wanted if _remove(store, user, each.id))


def _look(store: Store, user: UserRepository) -> list[Sweepable]:
    found = []
    for loop in list_loops(store.database, project_id(user)):
        if loop.worktree and Path(loop.worktree).is_dir():
            try:
                refuse_running(store, loop)
                with held_lease(store, loop.id):
                    kept = _reason(store, user, loop.id)
            except (LoopctlError, OSError) as error:
                kept = str(error)
            size = _disk_use(Path(loop.worktree))
            found.append(Sweepable(loop.id, loop.name, Path(loop.worktree), size, kept))
    return found


def _reason(store: Store, user: UserRepository, loop_id: str) -> str:
    """Why a worktree has to stay; the caller holds the lease of its loop."""
    state = load_state(store.database, loop_id)
    if not state.is_over:
        return "the loop has not ended"
    if state.snapshot is None or state.published is None or not state.published.commit:
        return "its work is not on its branch"
    with open_project(store, user) as project:
        workspace = loop_workspace(store, user, project, state.spec, loop_id)
        return asyncio.run(workspace.only_here(state.snapshot))


def _remove(store: Store, user: UserRepository, loop_id: str) -> bool:
    with held_lease(store, loop_id), open_project(store, user) as project:
        if _reason(store, user, loop_id):  # it has changed while the user was asked
            return False
        spec = load_state(store.database, loop_id).spec
        workspace = loop_workspace(store, user, project, spec, loop_id)
        asyncio.run(workspace.retire())
    return True


def _disk_use(folder: Path) -> int:
    """Bytes that the files below a folder take; what cannot be read counts nothing."""
    total, waiting = 0, [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        total += entry.stat(follow_symlinks=False).st_blocks * 512
        except OSError:
            continue
    return total
