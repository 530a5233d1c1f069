"""The git folder of a sandboxed agent: a clone of its own, in place of the user's repository.

It borrows the user's objects, has the loop's branch checked out, and knows what the user's git
knows of contents. The agent may write all of it: settings and hooks act in its sandbox alone.
Invariant: once it was handed over, no command of ours runs in it.
"""

import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.environment import ATTRIBUTES_FILE
from loopctl.git.filtered_paths import LFS
from loopctl.git.object_folders import object_folders
from loopctl.git.project_folder import alternates_line
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import Git, line

_LFS = """\
[filter "lfs"]
\tclean = git-lfs clean -- %f
\tsmudge = git-lfs smudge -- %f
\tprocess = git-lfs filter-process
\trequired = true
"""
_IDENTITY = (("user.name", "loopctl agent"), ("user.email", "agent@localhost"))


@dataclass(frozen=True, slots=True)
class AgentClone:
    """Where a clone is to be, and what it is to have checked out.

    Attributes:
        folder: the git folder; it is at the same path wherever it is seen.
        branch: short name of the loop's branch.
        tip: commit id of the branch.
    """

    folder: Path
    branch: str
    tip: str

    def make(self, user: UserRepository, *, borrow: bool = True) -> None:
        """Make it, in place of what is there.

        Args:
            user: the repository that it is a clone of.
            borrow: use the user's objects where they are; else copy those of the branch.

        Raises:
            GitError: git could not do it.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, mode=stat.S_IRWXU)
        git = Git(self.folder)
        form = f"--object-format={user.object_format}"
        plain = Git(cwd=self.folder)
        plain.run("init", "--quiet", "--bare", "--template=", form, str(self.folder))
        self._configure(user)
        if borrow:
            (self.folder / "objects/info").mkdir(exist_ok=True)
            alternates = self.folder / "objects/info/alternates"
            alternates.write_bytes(
                b"".join(map(alternates_line, object_folders(user.common_dir / "objects")))
            )
        else:
            _copy_objects(user.sealed, f"{self.tip}\n", git)
        git.run("symbolic-ref", "HEAD", self._ref)
        self._start_at(self.tip)

    def go_on(self, project: ProjectRepository, head: str) -> None:
        """Let the agent go on at a commit that it has made before, in a clone that is gone.

        Args:
            project: loopctl's own repository, which holds it.
            head: commit id; it descends from the branch.

        Raises:
            GitError: git could not do it.
        """
        _copy_objects(project.git, f"{head}\n^{self.tip}\n", Git(self.folder))
        self._start_at(head)

    @property
    def _ref(self) -> str:
        return f"refs/heads/{self.branch}"

    def _start_at(self, commit: str) -> None:
        git = Git(self.folder)
        git.run("update-ref", self._ref, commit)
        git.run("read-tree", commit)

    def _configure(self, user: UserRepository) -> None:
        """Let the agent's git take contents as the user's does, and know who commits."""
        known, folder = user.configuration, self.folder
        own = alternates_line(folder / ATTRIBUTES_FILE).decode(errors="surrogateescape")
        settings = ["[core]\n\tbare = false\n", f"\tattributesFile = {own}", known.as_file()]
        if LFS in known.filters:
            settings.append(_LFS)
        with (folder / "config").open("a", errors="surrogateescape") as config:
            config.writelines(settings)
        for name, fallback in _IDENTITY:
            status, answer = user.checkout.answer("config", name)
            chosen = "" if status else line(answer)
            Git(folder).run("config", name, chosen or fallback)
        (folder / "info").mkdir(exist_ok=True)
        (folder / "info/exclude").write_bytes(known.excludes)
        (folder / "info/attributes").write_bytes(known.attributes)
        (folder / ATTRIBUTES_FILE).write_bytes(known.own_attributes)
        shallow = user.common_dir / "shallow"
        if shallow.exists():
            (folder / "shallow").write_bytes(shallow.read_bytes())


def _copy_objects(source: Git, wanted: str, target: Git) -> None:
    """Copy commits, with all that they need, from one repository to another."""
    with tempfile.TemporaryFile() as pack:
        source.run("pack-objects", "--revs", "--stdout", "-q", stdin=wanted.encode(), stdout=pack)
        pack.seek(0)
        target.run("index-pack", "--stdin", stdin=pack)


def git_file(folder: Path) -> bytes:
    """The content of the ``.git`` file of a worktree whose git folder is ``folder``."""
    return b"gitdir: " + os.fsencode(folder) + b"\n"
