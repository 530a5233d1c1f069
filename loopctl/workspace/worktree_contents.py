"""What a fresh worktree needs beside the files that git has written into it.

Submodules at their pins. Invariant: a note beside the private index says that it was done to its
end; without it it is done (again), so that a driver that died half-way leaves nothing half-filled.
What the user's checkout does not have is named, and keeps no loop from starting.
"""

from dataclasses import dataclass
from pathlib import Path

from loopctl.git.populate import populate
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.submodule import carry_submodules
from loopctl.workspace.path_text import path_text

NAMED = 10


@dataclass(frozen=True)
class WorktreeContents:
    """The contents of one loop's worktree.

    Attributes:
        user: the user's repository.
        project: loopctl's own repository of the project.
        folder: the worktree.
        index: the private index.
        base_commit: commit id that the loop started from.
    """

    user: UserRepository
    project: ProjectRepository
    folder: Path
    index: Path
    base_commit: str

    def complete(self, *, made: bool) -> tuple[str, ...]:
        """Complete the worktree, unless that was done; return what the user should know.

        Args:
            made: it was just made, so nothing in it can be done already.

        Raises:
            GitError: git could not do it.
        """
        if made:
            self._note.unlink(missing_ok=True)
        elif self._note.exists():
            return ()
        notes = self._submodules()
        self._note.touch(mode=0o600)
        return notes

    @property
    def _note(self) -> Path:
        return self.index.with_name(f"{self.index.name}.complete")

    def _submodules(self) -> tuple[str, ...]:
        carry_submodules(self.user, self.project, self.base_commit)
        missing = populate(self.project, self.base_commit, self.folder, private_index=self.index)
        if not missing:
            return ()
        lack = f"neither the agent nor a stop command has submodule {listed(missing)}"
        way_out = "git submodule update --init --recursive, then start the loop again"
        return (f"{lack}: not checked out here ({way_out})",)


def listed(paths: tuple[str, ...]) -> str:
    """The first of these paths in one line; says how many more there are."""
    shown = ", ".join(path_text(path) for path in paths[:NAMED])
    more = len(paths) - NAMED
    return f"{shown} and {more} more" if more > 0 else shown
