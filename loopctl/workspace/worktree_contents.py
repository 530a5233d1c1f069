"""What a fresh worktree needs beside the files that git has written into it.

Submodules at their pins, and what filters make of files. Invariant: a note beside the private
index says that it was done to its end; without it it is done (again), so that a driver that died
half-way leaves nothing half-filled. What the user's checkout does not have is named, and keeps no
loop from starting.
"""

from dataclasses import dataclass
from pathlib import Path

from loopctl.git.filtered_paths import LFS, FilteredPaths
from loopctl.git.populate import populate
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.smudge import Smudged, keep_outputs, smudge
from loopctl.git.submodule import carry_submodules
from loopctl.git.worktree import forget_times
from loopctl.workspace.path_text import listed


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
        """Complete the worktree before an agent exists, unless that was done.

        Args:
            made: it was just made, so nothing in it can be done already.

        Returns:
            What the user should know.

        Raises:
            GitError: git could not do it.
            OSError: a file could not be written.
        """
        if made:
            self._note.unlink(missing_ok=True)
        elif self._note.exists():
            return ()
        keep_outputs(self.project, self._filters, self.base_commit, self.folder)
        notes = self._fill(self.base_commit)
        self._note.touch(mode=0o600)
        return notes

    def complete_again(self, tree: str) -> tuple[str, ...]:
        """Complete a worktree that was made again with the files of a commit or tree."""
        return self._fill(tree)

    @property
    def _note(self) -> Path:
        return self.index.with_name(f"{self.index.name}.complete")

    @property
    def _filters(self) -> FilteredPaths:
        return FilteredPaths(self.project, self.base_commit)

    def _fill(self, tree: str) -> tuple[str, ...]:
        project, filters, checkout = self.project, self._filters, self.user.top_level
        carry_submodules(self.user, project, self.base_commit)
        missing = populate(project, tree, self.folder, private_index=self.index, checkout=checkout)
        done = smudge(project, filters, tree, self.folder, checkout)
        entries = project.entries(tree)
        forget_times(self.folder, {path: entries[path] for path in done.filled})
        return (
            *_about_submodules(missing),
            *_about_lfs(project, done),
            *_about_others(project, filters),
        )


def _about_submodules(missing: tuple[str, ...]) -> tuple[str, ...]:
    if not missing:
        return ()
    lack = f"neither the agent nor a stop command has submodule {listed(missing)}"
    way_out = "git submodule update --init --recursive, then start the loop again"
    return (f"{lack}: not checked out here ({way_out})",)


def _about_lfs(project: ProjectRepository, done: Smudged) -> tuple[str, ...]:
    if not done.pointers:
        return ()
    way_out = "git lfs pull, then start the loop again"
    if LFS not in project.filters:
        way_out = f"install git-lfs, then git lfs install and {way_out}"
    what = (
        f"{listed(done.pointers)}: of Git LFS only the pointer is here, and nothing is downloaded"
    )
    return (f"{what} ({way_out})",)


def _about_others(project: ProjectRepository, filters: FilteredPaths) -> tuple[str, ...]:
    unknown: dict[str, list[str]] = {}
    for path, name in filters.own.items():
        if name not in {LFS, *project.filters}:
            unknown.setdefault(name, []).append(path)
    return tuple(
        f"{listed(paths)}: as git stores it, because the filter {name} is not set up here"
        for name, paths in unknown.items()
    )
