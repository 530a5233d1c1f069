"""The folder and the branch of one loop: made once, adopted after a crash, rebuilt when lost.

Invariants
* Only a folder and a branch that the marker names are ever removed: of a loop in which nothing
  was done, or of one that the user discards.
* What stands at the folder's place and is no folder (a file, a symlink) is never followed,
  overwritten or deleted: it is renamed to ``<folder>.aside-<n>``, and the worktree is rebuilt.
* A folder with anything in it is the loop's work, even if git has forgotten it: it is adopted as
  it is, because a rebuilt one would lack the edits of an interrupted turn.
"""

from dataclasses import replace
from itertools import count
from pathlib import Path

from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import CommandFailed
from loopctl.git.worktree import (
    BranchTaken,
    WorktreeRefused,
    add_worktree,
    create_branch,
    is_registered,
    list_worktrees,
    rebuild_worktree,
    remove_worktree,
)
from loopctl.workspace.marker import Marker, read_marker, write_marker


class WorktreeFolder:
    """The worktree of one loop as a thing on the disk. One caller at a time."""

    def __init__(
        self, user: UserRepository, project: ProjectRepository, marker: Marker, marker_file: Path
    ) -> None:
        self._user = user
        self._project = project
        self._made = replace(marker, complete=True)
        self._marker_file = marker_file
        self._folder = Path(marker.path)

    @property
    def is_standing(self) -> bool:
        """Whether the worktree is there: a folder with something in it, made to its end."""
        marker = read_marker(self._marker_file)
        return (marker is None or marker.complete) and self._has_content

    def create_or_adopt(self) -> str:
        """Make folder and branch for a loop in which no agent has run; return the origin.

        What an interrupted attempt has left is adopted when it was complete and made again when
        it was not.

        Raises:
            BranchTaken: a branch of that name exists and is not this loop's.
            GitError: the folder is not empty, or git could not do it.
        """
        if self._is_ours():
            if read_marker(self._marker_file) == self._made and self.is_standing:
                return "adopted"
            self.remove()
        self._refuse_what_is_there()
        write_marker(self._marker_file, replace(self._made, complete=False))
        try:
            add_worktree(self._user, self._folder, self._made.branch, self._made.base)
        except BranchTaken:  # somebody was faster: it is theirs
            self._marker_file.unlink()
            raise
        write_marker(self._marker_file, self._made)
        return "created"

    def rebuild(self, snapshot: str | None, branch_tip: str) -> str | None:
        """Make a lost worktree again; return the origin, ``None`` when there is nothing left.

        Args:
            snapshot: commit id of the newest snapshot.
            branch_tip: where the branch is made again when it is gone.

        Raises:
            GitError: git could not do it.
        """
        user, branch = self._user, self._made.branch
        kept = snapshot if snapshot and self._project.read(snapshot) else None
        if not user.branch_exists(branch):
            if kept is None:
                return None
            create_branch(user, branch, branch_tip)
        write_marker(self._marker_file, replace(self._made, complete=False))
        self._clear()
        files = kept or self.tip
        rebuild_worktree(user, self._project, self._folder, branch, files)
        write_marker(self._marker_file, self._made)
        return "rebuilt-from-snapshot" if kept else "rebuilt-from-branch"

    def remove(self, tip: str | None = None) -> bool:
        """Remove folder, branch and marker; return whether there was anything of ours.

        A branch that is not where it was left any more, or that another worktree has checked
        out, stays. Twice is harmless.

        Args:
            tip: commit id where loopctl has left the branch; None for its base.

        Raises:
            GitError: git could not do it, or the folder is not one that may be removed.
        """
        if not self._is_ours():
            return False
        self._clear()
        branch = self._made.branch
        held = any(each.branch == branch for each in list_worktrees(self._user))
        if not held and self._user.branch_exists(branch):
            self._delete_branch(f"refs/heads/{branch}", tip or self._made.base)
        self._marker_file.unlink()
        return True

    def retire(self) -> None:
        """Remove the folder alone; twice is harmless.

        Raises:
            GitError: git could not do it, or the folder is not one that may be removed.
        """
        if self._is_ours():
            self._clear()

    @property
    def tip(self) -> str:
        """Commit id of the branch."""
        return self._tip(f"refs/heads/{self._made.branch}")

    def _refuse_what_is_there(self) -> None:
        """A branch or a folder that is there before ours is made belongs to somebody else."""
        if self._user.branch_exists(self._made.branch):
            raise BranchTaken(
                f"the branch {self._made.branch} exists already",
                why="it is not this loop's to take",
                next_step="choose another name with --name",
            )
        if self._folder.is_symlink() or self._folder.is_file() or self._has_content:
            raise WorktreeRefused(
                f"cannot make a worktree at {self._folder}",
                why="something is there that this loop has not made",
                next_step=f"mv {self._folder} {self._folder}.old",
            )

    def _is_ours(self) -> bool:
        marker = read_marker(self._marker_file)
        return marker is not None and replace(marker, complete=True) == self._made

    def _delete_branch(self, ref: str, tip: str) -> None:
        try:
            self._user.sealed.run("update-ref", "--no-deref", "-d", ref, tip)
        except CommandFailed:
            if self._tip(ref) == tip:
                raise

    def _tip(self, ref: str) -> str:
        return self._user.sealed.run("rev-parse", "--verify", f"{ref}^{{commit}}").decode().strip()

    @property
    def _is_folder(self) -> bool:
        return self._folder.is_dir() and not self._folder.is_symlink()

    @property
    def _has_content(self) -> bool:
        return self._is_folder and any(self._folder.iterdir())

    def _clear(self) -> None:
        """Make place for a worktree: remove what was not made to its end, move aside the rest."""
        known = is_registered(self._user, self._folder)
        if not known or not self._is_folder:
            self._set_aside()
        if known:
            remove_worktree(self._user, self._folder, self._made.branch, self._folder.parent)

    def _set_aside(self) -> None:
        """Rename what stands at the folder's place; an empty folder is removed."""
        folder = self._folder
        if self._is_folder and not self._has_content:
            folder.rmdir()
        elif folder.is_symlink() or folder.exists():
            free = (folder.with_name(f"{folder.name}.aside-{n}") for n in count(1))
            folder.rename(next(path for path in free if not (path.is_symlink() or path.exists())))
