"""A repository with a loop's worktree, and the sentinel that watches it."""

import os
from pathlib import Path

from git_world import git, make_repository

from loopctl.domain.alert import Alert, Harm
from loopctl.git.repository import discover
from loopctl.git.sentinel.watch import Sentinel
from loopctl.git.worktree import add_worktree


class Watched:
    """One watched loop; `agent` and `user` run plain git where each of them works."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.top = make_repository(folder / "user", *options)
        self.git_dir = self.top / ".git"
        self.user_repository = discover(self.top)
        self.worktree = folder / "state" / "worktrees" / "demo"
        add_worktree(self.user_repository, self.worktree, "loopctl/demo", self.user_repository.head)
        self.state = folder / "state" / "loop"
        self.state.mkdir()
        self.sentinel = self.restarted()

    def restarted(self) -> Sentinel:
        return Sentinel(
            self.user_repository,
            self.worktree,
            "loopctl/demo",
            file=self.state / "index.sentinel",
            kept=self.state / "put-back",
        )

    def agent(self, *argv: str) -> str:
        return git(self.worktree, *argv)

    def user(self, *argv: str) -> str:
        return git(self.top, *argv)

    def compare(self) -> tuple[Alert, ...]:
        return self.sentinel.compare()

    def acting(self) -> dict[str, Alert]:
        """What acts, by kind and name; what is put back is found once and never again."""
        found = self.compare()
        again = [each for each in self.compare() if each.harm is Harm.ACTS]
        assert again == []
        return {f"{each.kind} {each.what}": each for each in found if each.harm is Harm.ACTS}

    def told(self) -> dict[str, str]:
        found = self.compare()
        assert all(each.harm is Harm.TOLD and not each.reverted for each in found), found
        return {f"{each.kind} {each.what}": each.detail for each in found}

    def state_of_git(self) -> dict[str, bytes]:
        """Everything in the git folder that could act: bytes, permissions and links."""
        found = {}
        for path in sorted(self.git_dir.rglob("*")):
            name = str(path.relative_to(self.git_dir))
            if name.startswith(("objects/", "logs/")) and not name.startswith("objects/info"):
                continue
            if path.is_symlink():
                found[name] = b"link " + os.fsencode(path.readlink())
            elif path.is_file():
                found[name] = path.read_bytes() + oct(path.stat().st_mode).encode()
            elif not path.is_dir():
                found[name] = b"special"
        found[".git"] = (self.worktree / ".git").read_bytes()
        return found
