"""Use case: remove the worktree and the branch of a loop that nobody needs any more.

Rows, logs and snapshots stay, so that ``show`` and ``diff`` still work and a restart can build the
worktree again. Invariant: a branch that somebody else has moved or uses is kept.
"""

import asyncio
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.bootstrap.continuing import choose
from loopctl.bootstrap.place import (
    Store,
    held_lease,
    loop_workspace,
    open_project,
    open_store,
    refuse_running,
)
from loopctl.domain.loop import LoopState
from loopctl.errors import UsageError
from loopctl.git.repository import UserRepository, discover
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import StoredLoop
from loopctl.workspace.removal import remove_folder


@dataclass(frozen=True)
class Discarded:
    """What was done.

    Attributes:
        loop: name of the loop.
        removed: there was something to remove.
        worktree: folder of the worktree; ``""`` for a loop that never had one.
        branch: short name of the loop's branch.
        kept: the branch is still there: it is not where loopctl left it, or is checked out.
        aside: what stood in the worktree's place and was not git's: kept under these names.
    """

    loop: str
    removed: bool
    worktree: str
    branch: str
    kept: bool
    aside: tuple[Path, ...]


def discard(
    name: str, folder: Path, environment: Mapping[str, str], agree: Callable[[LoopState], bool]
) -> Discarded | None:
    """Discard a loop; ``None`` when the user does not agree. Twice is harmless.

    Args:
        name: name or id of the loop.
        folder: where the command was typed.
        environment: says where the state folder is.
        agree: asks the user.

    Raises:
        LeaseError: the loop is running.
        UsageError: its driver is gone, and its last tree is not put away.
        RepositoryError: its repository is gone.
        GitError: git could not do it, or the folder is not one that may be removed.
    """
    with open_store(environment) as store:
        loop = choose(store.database, folder, name, running=False)
        _check(store, loop)
        user = discover(Path(loop.repository))
        if not agree(load_state(store.database, loop.id)):
            return None
        with held_lease(store, loop.id):
            state = _check(store, loop)
            removed = _remove(store, user, state, loop.id)
        worktree = Path(loop.worktree)
        return Discarded(
            loop=loop.name,
            removed=removed,
            worktree=loop.worktree,
            branch=loop.branch,
            kept=user.branch_exists(loop.branch),
            aside=tuple(sorted(worktree.parent.glob(f"{worktree.name}.aside-*"))),
        )


def _check(store: Store, loop: StoredLoop) -> LoopState:
    state = load_state(store.database, loop.id)
    if not state.is_over:
        refuse_running(store, loop)
        raise UsageError(
            f"the loop {loop.name} was left by its driver",
            why="what its last turn did may not be in a snapshot yet",
            next_step=f"loopctl cancel {shlex.quote(loop.name)} puts it away; then discard again",
        )
    return state


def _remove(store: Store, user: UserRepository, state: LoopState, loop_id: str) -> bool:
    with open_project(store, user) as project:
        workspace = loop_workspace(store, user, project, state.spec, loop_id)
        removed = asyncio.run(workspace.discard(state.branch_tip))
    remove_folder(store.home.loop_folder(loop_id) / "checkouts")
    return removed
