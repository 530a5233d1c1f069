"""A loop's worktree: a linked worktree of the user's repository, on the loop's own branch.

Invariant: only worktrees under loopctl's own root are ever made, rebuilt or removed; the user's
checkout, index, stash and other branches are not touched, and no hook runs. The first checkout
applies the user's content filters but LFS, because no agent exists yet; a rebuilt one runs none.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tenacity import retry, retry_if_exception, stop_after_attempt, wait_random_exponential

from loopctl.errors import GitError
from loopctl.git.change import Entry, index_lines
from loopctl.git.filtered_paths import LFS
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import CommandFailed, Git, text

_NO_LFS = tuple(
    word
    for setting in ("smudge=", "process=", "required=false")
    for word in ("-c", f"filter.{LFS}.{setting}")
)
_USAGE = 129
_ATTEMPTS = 12
_LONGEST_WAIT = 1.0  # seconds
# The last one: git looked at a worktree that somebody else was just making.
_CONTENTION = ("could not lock", "cannot lock", "File exists", "Unable to create", "failed to read")


class BranchTaken(GitError):
    """A branch of that name exists already."""


class WorktreeRefused(GitError):
    """The folder is not one that loopctl may remove or rebuild."""


@dataclass(frozen=True, slots=True)
class RegisteredWorktree:
    """A worktree that the user's repository knows.

    Attributes:
        path: its folder, which may be missing.
        branch: short name of the branch that is checked out; None when detached or bare.
    """

    path: Path
    branch: str | None


def _is_contention(error: BaseException) -> bool:
    return isinstance(error, CommandFailed) and any(sign in error.stderr for sign in _CONTENTION)


_patiently = retry(
    retry=retry_if_exception(_is_contention),
    stop=stop_after_attempt(_ATTEMPTS),
    wait=wait_random_exponential(multiplier=0.02, max=_LONGEST_WAIT),
    reraise=True,
)


def add_worktree(user: UserRepository, path: Path, branch: str, base: str) -> None:
    """Make a new branch at `base` and a worktree on it. Safe to call many at once.

    Raises:
        BranchTaken: the branch exists; nothing was changed.
        GitError: git could not do it; the new branch is removed again.
    """
    create_branch(user, branch, base)
    try:
        _add(user, path, branch, files=True)
    except BaseException:
        with contextlib.suppress(CommandFailed):
            user.sealed.run("update-ref", "--no-deref", "-d", f"refs/heads/{branch}", base)
        raise


@_patiently
def create_branch(user: UserRepository, branch: str, commit: str) -> None:
    """Make a branch that does not exist yet.

    Raises:
        BranchTaken: it exists.
    """
    try:
        user.sealed.run(
            "update-ref", "--no-deref", f"refs/heads/{branch}", commit, "0" * len(commit)
        )
    except CommandFailed as failed:
        if user.branch_exists(branch):
            raise BranchTaken(f"the branch {branch} exists", why=failed.stderr) from failed
        raise


@_patiently
def list_worktrees(user: UserRepository) -> tuple[RegisteredWorktree, ...]:
    """Every worktree of the user's repository, the main one first."""
    found: list[RegisteredWorktree] = []
    asked = ("worktree", "list", "--porcelain")
    status, raw = user.sealed.answer(*asked, "-z", expect=(0, _USAGE))
    rows = text(raw).split("\0")
    if status:  # git before 2.36 cannot tell of paths with a newline in them
        rows = text(user.sealed.run(*asked)).split("\n")
    for row in rows:
        key, _, value = row.partition(" ")
        if key == "worktree":
            found.append(RegisteredWorktree(Path(value), None))
        elif key == "branch":
            branch = value.removeprefix("refs/heads/")
            found[-1] = RegisteredWorktree(found[-1].path, branch)
    return tuple(found)


def is_registered(user: UserRepository, path: Path) -> bool:
    """Whether the user's repository knows a linked worktree at this path."""
    linked = list_worktrees(user)[1:]
    return any(each.path.resolve() == path.resolve() for each in linked)


def prune_missing(user: UserRepository, root: Path) -> tuple[Path, ...]:
    """Forget worktrees under our root whose folder is gone; the user's own are not ours."""
    gone = [
        each.path
        for each in list_worktrees(user)[1:]
        if each.path.resolve().is_relative_to(root.resolve()) and not each.path.exists()
    ]
    for path in gone:
        _forget(user, path)
    return tuple(gone)


def rebuild_worktree(
    user: UserRepository, project: ProjectRepository, path: Path, branch: str, tree: str
) -> None:
    """Make a lost worktree again, on its existing branch, with the files of a commit or tree.

    Raises:
        WorktreeRefused: something stands at the path.
        GitError: git could not do it.
    """
    if path.is_symlink() or path.exists():
        raise WorktreeRefused(f"cannot rebuild {path}", why="something is there")
    if is_registered(user, path):
        _forget(user, path)
    _add(user, path, branch, files=False)
    materialise(project, tree, path)
    # The worktree's own index, for the agent's git: as the branch, without touching a file.
    name = (path / ".git").read_text().removeprefix("gitdir:").strip()
    Git(Path(name), path).run("read-tree", f"refs/heads/{branch}")


def materialise(project: ProjectRepository, tree: str, worktree: Path) -> None:
    """Write the files of a commit or tree into a worktree; files of other names stay.

    Runs no filter: a file under one (LFS) comes back as the repository stores it.
    """
    with project.scratch_index() as index:
        git = Git(project.path, worktree)
        git.run("read-tree", "--reset", "-u", project.tree_of(tree), index=index)


def remove_worktree(user: UserRepository, path: Path, branch: str, root: Path) -> None:
    """Remove a loop's worktree; its branch stays.

    Raises:
        WorktreeRefused: the path is not under our root, is a symlink, or is not registered as a
            linked worktree, or the branch is checked out in another one. Nothing was removed.
    """
    if path.is_symlink() or not path.resolve().is_relative_to(root.resolve()):
        raise WorktreeRefused(f"will not remove {path}", why=f"it is not a folder under {root}")
    if path.resolve() in {root.resolve(), user.top_level.resolve()}:
        raise WorktreeRefused(f"will not remove {path}", why="it is not a loop's worktree")
    linked = {each.path.resolve(): each.branch for each in list_worktrees(user)[1:]}
    if path.resolve() not in linked:
        raise WorktreeRefused(f"will not remove {path}", why="git does not know it as a worktree")
    # An agent may have switched branches in it, so the branch may be checked out nowhere.
    holders = [folder for folder, on in linked.items() if on == branch]
    if holders and path.resolve() not in holders:
        raise WorktreeRefused(f"will not remove {path}", why=f"{branch} is at {holders[0]}")
    if path.exists():
        _remove_tree(path)
    _forget(user, path)


@_patiently
def _add(user: UserRepository, path: Path, branch: str, *, files: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    git = user.checkout if files else user.sealed
    how = ["--quiet", "--no-guess-remote", *([] if files else ["--no-checkout"])]
    # The program of LFS would download what is not here; its files are filled in afterwards.
    lfs = _NO_LFS if LFS in user.configuration.filters else ()
    # A sparse checkout of the user would look like deleted files. Two processes write faster.
    settings = ("-c", "core.sparseCheckout=false", "-c", "checkout.workers=2")
    git.run(*lfs, *settings, "worktree", "add", *how, str(path), branch)


def forget_times(worktree: Path, entries: Mapping[str, Entry]) -> None:
    """Let the agent's git look again at files that were written beside it.

    Args:
        worktree: a fresh one.
        entries: what its index holds at their paths.
    """
    name = (worktree / ".git").read_text().removeprefix("gitdir:").strip()
    lines = index_lines(entries)
    Git(Path(name), worktree).run("update-index", "-z", "--index-info", stdin=lines)


@_patiently
def _forget(user: UserRepository, path: Path) -> None:
    """Remove the registration of a worktree whose folder is gone."""
    user.sealed.run("worktree", "remove", "--force", "--force", str(path))


def _remove_tree(path: Path) -> None:
    """Remove a folder, also one in which folders were made unreadable."""
    path.chmod(stat.S_IRWXU)
    for parent, folders, _ in os.walk(path):
        for name in folders:
            folder = Path(parent) / name
            if not folder.is_symlink():
                folder.chmod(stat.S_IRWXU)
    shutil.rmtree(path)
