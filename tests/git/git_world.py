"""Real repositories, and a loop on one as the driver sets it up."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository, discover
from loopctl.git.snapshot import Snapshotter
from loopctl.git.worktree import add_worktree


def git(cwd: Path, *argv: str, **how) -> str:
    """Plain git, as the user or the agent types it."""
    done = subprocess.run(
        ["git", *argv], cwd=cwd, check=True, capture_output=True, text=True, **how
    )
    return done.stdout.strip()


def make_repository(path: Path, *options: str) -> Path:
    path.mkdir(parents=True)
    git(path, "init", "-q", "-b", "main", *options)
    (path / "a.txt").write_text("one\n")
    (path / "src").mkdir()
    (path / "src" / "b.py").write_text("b = 1\n")
    (path / ".gitignore").write_text("ignored/\n*.log\n")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "first")
    return path


@dataclass
class Loop:
    """One loop as the driver sets it up."""

    user: UserRepository
    project: ProjectRepository
    worktree: Path
    snapshotter: Snapshotter
    index: Path
    taken: int = 0

    def take(self, parent: str | None = None):
        self.taken += 1
        ref = f"refs/loops/{self.worktree.parent.name}/rounds/{self.taken}"
        return self.snapshotter.take(parent or self.user.head, "round", ref)

    def names(self, tree: str) -> set[str]:
        return set(self.project.entries(tree))

    def content(self, tree: str, path: str) -> bytes:
        return self.project.read(self.project.entries(tree)[path].blob)[2]


def make_loop(top: Path, state: Path, name: str = "demo") -> Loop:
    user = discover(top)
    project = ProjectRepository.open_or_create(state / "project.git", user)
    worktree = state / "loops" / name / "worktree"
    add_worktree(user, worktree, f"loopctl/{name}", user.head)
    index = state / "loops" / name / "index"
    snapshotter = Snapshotter(project, worktree, index, user.head)
    snapshotter.prepare()
    return Loop(user, project, worktree, snapshotter, index)


def plant(path: Path, marker: Path) -> Path:
    """A program that tells that it ran."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho \"$0\" >> '{marker}'\ncat\n")
    path.chmod(0o755)
    return path
