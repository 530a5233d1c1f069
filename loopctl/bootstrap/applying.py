"""Use case: put a loop's work onto the user's checkout, as changes that are not committed.

What is applied is what the verdict is about; protected paths that the agent has changed are left
out and named. Invariant: everything or nothing, and only the files: index, HEAD and branches stay.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loopctl.bootstrap.continuing import choose
from loopctl.bootstrap.place import Store, open_project, open_store, refuse_running
from loopctl.bootstrap.work import doubt, seen_tree
from loopctl.domain.loop import LoopState
from loopctl.domain.stop import Status
from loopctl.errors import LeaseError, RepositoryError, UsageError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository, discover
from loopctl.git.squash import Squash, carry_out, plan_squash
from loopctl.store.file_lock import FileLock
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import StoredLoop
from loopctl.workspace.path_text import path_text

_NAMED = 10


@dataclass(frozen=True)
class Applied:
    """What was done.

    Attributes:
        loop: name of the loop.
        folder: top of the checkout.
        changes: (``A``, ``M`` or ``D``, path) of every file that was changed.
        left_out: protected paths that the agent has changed and that were not applied.
        doubt: what must be said of work that is not proved; ``""`` when it is.
    """

    loop: str
    folder: Path
    changes: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()
    doubt: str = ""


def apply(name: str, folder: Path, environment: Mapping[str, str], *, force: bool) -> Applied:
    """Apply the work of a loop onto the checkout around ``folder``, else onto its own.

    Args:
        name: name or id of the loop.
        folder: where the command was typed.
        environment: says where the state folder is.
        force: accept work that is not proved.

    Raises:
        UsageError: the loop is not completed.
        LeaseError: it is running.
        RepositoryError: files that would change are not as in HEAD, or the user's commits
            exclude the change. Nothing was changed.
        StoreError: the database failed.
    """
    with open_store(environment) as store:
        loop = choose(store.database, folder, name, running=False)
        refuse_running(store, loop)
        state = load_state(store.database, loop.id)
        if state.status is not Status.COMPLETED and not force:
            raise _not_proved(state)
        user = _checkout(loop, folder)
        if state.snapshot is None:
            return Applied(loop.name, user.top_level, doubt=doubt(state))
        tree = seen_tree(state, state.snapshot)
        with _alone(store, loop), open_project(store, user) as project:
            undone = project.diff(tree, state.snapshot.tree)
            squash = _apply(project, user, state, tree)
        return Applied(
            loop=loop.name,
            folder=user.top_level,
            changes=tuple((_kind(squash, path), path_text(path)) for path in sorted(squash.after)),
            left_out=tuple(path_text(change.path) for change in undone),
            doubt=doubt(state),
        )


def _apply(project: ProjectRepository, user: UserRepository, state: LoopState, tree: str) -> Squash:
    try:
        squash = plan_squash(project, user, state.spec.base_commit, tree)
        _refuse_overlap(project, user, state, squash)
        carry_out(project, user, squash)
    except OSError as error:
        raise RepositoryError(
            f"the files of {user.top_level} could not be read or written; they are as before",
            why=str(error),
        ) from error
    return squash


def _refuse_overlap(
    project: ProjectRepository, user: UserRepository, state: LoopState, squash: Squash
) -> None:
    if squash.conflicts:
        raise RepositoryError(
            f"commits since the loop began exclude its changes: {_listed(squash.conflicts)}",
            why="both changed the same lines, or one changed what the other removed",
            next_step=_merge_command(project, user, state),
        )
    if squash.dirty:
        raise RepositoryError(
            f"these paths would be written over: {_listed(squash.dirty)}",
            why=f"in {user.top_level} they are not as in HEAD (changed, staged or untracked)",
            next_step="commit them or put them away (git stash -u), then apply again",
        )


def _not_proved(state: LoopState) -> UsageError:
    name = shlex.quote(state.spec.name)
    status = "left by its driver" if state.status is Status.RUNNING else state.status
    return UsageError(
        f"the loop {state.spec.name} is {status}, not completed",
        why=doubt(state),
        next_step=f"loopctl status {name} --restart, or loopctl apply {name} --force",
    )


def _checkout(loop: StoredLoop, folder: Path) -> UserRepository:
    """The checkout in which the command was typed; outside of any, the one of the loop."""
    try:
        return discover(folder)
    except RepositoryError:
        return discover(Path(loop.repository))


@contextmanager
def _alone(store: Store, loop: StoredLoop) -> Iterator[None]:
    """One application in a project at a time."""
    lock = FileLock.try_acquire(store.home.locks / f"{loop.project}.apply.lock")
    if lock is None:
        raise LeaseError("another loopctl apply is at work in this project", next_step="wait")
    try:
        yield
    finally:
        lock.release()


def _kind(squash: Squash, path: str) -> str:
    if squash.before[path] is None:
        return "A"
    return "D" if squash.after[path] is None else "M"


def _merge_command(project: ProjectRepository, user: UserRepository, state: LoopState) -> str:
    """What merges with git, conflicts and all; from the snapshot when the branch is gone."""
    if user.branch_exists(state.spec.branch):
        return f"git merge {shlex.quote(state.spec.branch)}"
    commit = state.snapshot.commit if state.snapshot else ""
    return f"git fetch {shlex.quote(str(project.path))} {commit} && git merge FETCH_HEAD"


def _listed(paths: tuple[str, ...]) -> str:
    shown = ", ".join(path_text(path) for path in paths[:_NAMED])
    more = len(paths) - _NAMED
    return f"{shown} and {more} more" if more > 0 else shown
