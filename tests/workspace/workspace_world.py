"""A user's repository with a small Python project, and a loop on it."""

import asyncio
import subprocess
from pathlib import Path

from loopctl.domain.loop import LoopSpec
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import discover
from loopctl.workspace.loop_workspace import LoopWorkspace
from loopctl.workspace.protection import build_protection

FILES = {
    "app.py": "def add(a, b):\n    return a - b\n",
    "check.sh": "#!/bin/sh\nexit 1\n",
    "pyproject.toml": '[project]\nname = "app"\n\n[tool.pytest.ini_options]\ntestpaths = "tests"\n',
    "setup.cfg": "[metadata]\nname = app\n\n[tool:pytest]\naddopts = -q\n",
    "tox.ini": "[pytest]\naddopts = -q\n",
    "Makefile": "test:\n\tpytest\n",
    "tests/test_app.py": "from app import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "tests/golden/out.txt": "3\n",
    ".gitignore": "ignored/\n",
}


def git(cwd: Path, *argv: str) -> str:
    """Plain git, as the user or the agent types it."""
    done = subprocess.run(["git", *argv], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def make_repository(path: Path) -> Path:
    for name, content in FILES.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(content)
    (path / "check.sh").chmod(0o755)
    git(path, "init", "-q", "-b", "main")
    git(path, "add", "-A")
    git(path, "commit", "-q", "-m", "first")
    return path


class World:
    """One loop as bootstrap sets it up; several on one repository share its project."""

    def __init__(self, top: Path, state: Path, name: str = "demo", **protection) -> None:
        self.top = top
        self.state = state
        self.user = discover(top)
        self.project = ProjectRepository.open_or_create(state / "project.git", self.user)
        self.branch = f"loopctl/{name}"
        self.base = self.user.head
        self.folder = state / "loops" / name / "worktree"
        self.index = state / "loops" / name / "index"
        spec = LoopSpec(
            name=name,
            goal="make the tests pass",
            project="p",
            repository=str(top),
            base_commit=self.base,
            base_tree=self.project.tree_of(self.base),
            branch=self.branch,
            agent="cmd:./agent.sh",
            evaluators=(),
            protection=build_protection(self.project, self.base, **protection),
        )
        self.spec = spec
        self.workspace = self.restarted()

    def restarted(self) -> LoopWorkspace:
        """The workspace as another driver opens it."""
        return LoopWorkspace(
            self.spec,
            self.user,
            self.project,
            folder=self.folder,
            index=self.index,
            loop_id=self.spec.name,
        )

    def prepare(self, snapshot=None, *, first_time=False, branch_tip=""):
        work = self.restarted().prepare(
            snapshot, first_time=first_time, branch_tip=branch_tip or self.base
        )
        return asyncio.run(work)

    def start(self):
        return self.prepare(first_time=True)

    def take(self, round_number=1, previous=None, *, partial=False):
        return asyncio.run(self.workspace.snapshot(round_number, previous, partial=partial))

    def publish(self, snapshot, branch_tip=""):
        return asyncio.run(self.workspace.publish(snapshot, branch_tip or self.base))

    def release(self):
        asyncio.run(self.restarted().release())

    def write(self, name: str, content: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def files(self, tree: str) -> dict[str, bytes]:
        """What a tree holds; a symlink's content is its target."""
        entries = self.project.entries(tree).items()
        return {path: self.project.read(entry.blob)[2] for path, entry in entries}

    def branches(self) -> str:
        return git(self.top, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")


def everything(top: Path) -> dict[str, bytes]:
    """Every file of the user's checkout, and every file of its git folder but loopctl's own."""
    found = {
        str(path.relative_to(top)): path.read_bytes()
        for path in top.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    ours = (
        ".git/objects/",
        ".git/worktrees/",
        ".git/refs/heads/loopctl/",
        ".git/logs/refs/heads/loopctl/",
    )
    return {name: content for name, content in found.items() if not name.startswith(ours)}
