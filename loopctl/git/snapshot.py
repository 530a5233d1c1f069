"""A snapshot: the exact tree after a turn, as a commit in loopctl's own repository.

Invariant: a ref is set once, by compare-and-swap, after the commit that it names is stored.
Taking the same snapshot again, after a crash, adopts what is there; another tree under the
same ref is a conflict, never overwritten.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from loopctl.errors import GitError
from loopctl.git.change import Change
from loopctl.git.project_repository import ProjectRepository, RefMoved
from loopctl.git.staging import LeftOut, Staged, Staging


class SnapshotConflict(GitError):
    """The ref already holds another tree."""


class WorktreeMissing(GitError):
    """The loop's worktree is not a folder any more."""


@dataclass(frozen=True, slots=True)
class TakenSnapshot:
    """A stored snapshot.

    Attributes:
        commit: commit id in the project repository.
        tree: its tree id, which verdicts are bound to.
        since_base: what differs from the loop's base commit.
        since_parent: what differs from the parent snapshot.
        left_out: visible paths that it does not contain, and why.
        notes: what else the user should know.
    """

    commit: str
    tree: str
    since_base: tuple[Change, ...]
    since_parent: tuple[Change, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


class Snapshotter:
    """Takes the snapshots of one loop. One caller at a time."""

    def __init__(
        self, project: ProjectRepository, worktree: Path, index: Path, base_commit: str
    ) -> None:
        self._project = project
        self._worktree = worktree
        self._base = base_commit
        self._staging = Staging(project, worktree, index, base_commit)

    def prepare(self) -> None:
        """Seed the private index; call it once, after the worktree is made, before the agent."""
        self._staging.seed()

    def staged(self) -> Staged:
        """The files as they are now, and what a snapshot of them would not hold; sets no ref."""
        self._check()
        return self._staging.stage()

    def take(
        self, parent: str, message: str, ref: str, expected_old: str | None = None
    ) -> TakenSnapshot:
        """Store the worktree's files as a commit and point the ref at it.

        Args:
            parent: commit id of the snapshot before, or the base commit.
            message: the commit's message.
            ref: full ref name in the project repository.
            expected_old: what the ref holds now; None when it must not exist.

        Raises:
            SnapshotConflict: the ref holds another tree.
            WorktreeMissing: there is no worktree to read.
            GitError: git could not store it.
        """
        self._check()
        staged = self._staging.stage()
        project = self._project
        commit = self._adopted(ref, staged.tree, expected_old)
        if commit is None:
            now = int(time.time())
            commit = project.write_commit(staged.tree, (parent,), message, now)
            try:
                project.swap_ref(ref, commit, expected_old)
            except RefMoved as moved:
                raise _conflict(ref) from moved
        return TakenSnapshot(
            commit,
            staged.tree,
            project.diff(self._base, staged.tree),
            project.diff(parent, staged.tree),
            staged.left_out,
            staged.notes,
        )

    def _adopted(self, ref: str, tree: str, expected_old: str | None) -> str | None:
        """The commit that an interrupted `take` left under the ref, if it is this snapshot."""
        held = self._project.resolve(ref)
        if held == expected_old:
            return None
        if held is None or self._project.tree_of(held) != tree:
            raise _conflict(ref)
        return held

    def _check(self) -> None:
        if self._worktree.is_symlink() or not self._worktree.is_dir():
            raise WorktreeMissing(f"the worktree {self._worktree} is gone")


def _conflict(ref: str) -> SnapshotConflict:
    return SnapshotConflict(f"{ref} already holds another snapshot")
