"""The sandbox of one loop's agent, from the first session of a driver to the driver's end.

Each driver makes it anew: HOME, the folder for temporary files and the agent's git folder. What a
driver that was killed has left is looked through for commits first. Invariant: as root, what the
agent works in is its user id's while it works and root's again afterwards; nothing else changes
hands.
"""

import asyncio
import contextlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.errors import GitError
from loopctl.git.agent_clone import AgentClone, git_file
from loopctl.git.branch import built_upon
from loopctl.git.judged_objects import JudgedObjects
from loopctl.git.object_folders import object_folders
from loopctl.git.repository import UserRepository
from loopctl.git.runner import CommandFailed
from loopctl.git.submodule import is_carried, pinned_submodules
from loopctl.ports import SandboxedSession
from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder
from loopctl.workspace.agent_commits import AgentCommits, agent_ref
from loopctl.workspace.agent_home import AgentHome
from loopctl.workspace.agent_variables import sandbox_variables
from loopctl.workspace.agent_view import AgentView
from loopctl.workspace.ownership import give
from loopctl.workspace.removal import remove_folder

SOCKET = "LOOPCTL_SOCKET"
_NOTE = "made-at"
_LONGEST_REF = 4096
_READABLE_BY_ALL = stat.S_IROTH | stat.S_IXOTH


@dataclass
class LoopSandbox:
    """Implements ``ports.AgentSandbox``.

    Attributes:
        loop_id: part of the refs of the agent's commits.
        branch: short name of the loop's branch.
        user: the repository that the branch is in.
        view: what the agent sees.
        home: its HOME.
        commits: brings its commits out.
        keys: names of the secret-like variables that it receives.
        owner: the user id of programs in a sandbox; it matters as root only.
        environment: loopctl's own variables: where git is.
    """

    loop_id: str
    branch: str
    user: UserRepository
    view: AgentView
    home: AgentHome
    commits: AgentCommits
    keys: frozenset[str]
    owner: int
    environment: Mapping[str, str]
    _made: bool = False
    _tip: str = ""
    _head: str | None = None
    _notes: list[str] = field(default_factory=list)

    async def enter(self, round_number: int, environment: Mapping[str, str]) -> SandboxedSession:
        """A session's place; nothing of the agent is alive.

        Raises:
            GitError: the agent's git folder could not be made.
            OSError: a folder could not be made, or given to the agent.
        """
        if not self._made:
            self._notes += await self._leftovers()
            await asyncio.to_thread(self._make)
            self._made = True
        confinement = await asyncio.to_thread(
            self._prepare, round_number, environment.get(SOCKET, "")
        )
        variables = sandbox_variables(environment, self.keys, self.view.home)
        return SandboxedSession(confinement, variables)

    async def collect(self, round_number: int) -> tuple[str, ...]:
        """Bring out the agent's commits and renewed logins; return what people should know."""
        notes, self._notes = self._notes, []
        if not self._made:
            return tuple(notes)
        if not await asyncio.to_thread(self._has_no_commits):
            notes += await self._leftovers(round_number)
        notes += await asyncio.to_thread(self.home.return_logins)
        return tuple(notes)

    def close(self) -> None:
        """Take back what was given and remove the rest; twice is harmless, and so is never.

        How the loop has ended does not depend on it: what cannot be done now the next driver does.
        """
        with contextlib.suppress(OSError):
            give(os.geteuid(), self.view.worktree)
        remove_folder(self.view.folders.root)
        self._made = False

    def _make(self) -> None:
        folders = self.view.folders
        folders.root.mkdir(exist_ok=True, mode=stat.S_IRWXU)
        remove_folder(folders.temporary)
        folders.temporary.mkdir(mode=stat.S_IRWXU)
        self._notes += self.home.make()
        self._tip = tip = self._branch_tip()
        users = object_folders(self.user.common_dir / "objects")
        borrow = os.geteuid() != 0 or _all_may_read(users)
        head = built_upon(self.commits.project, tip, self._head)
        remove_folder(folders.clone)  # an agent may have left it deeper than rmtree can go
        clone = AgentClone(folders.clone, self.branch, tip)
        clone.make(self.user, borrow=borrow)
        if head != tip:
            clone.go_on(self.commits.project, head)
        self._head = head
        self._pin(tip)
        folders.git_file.write_bytes(git_file(folders.clone))
        give(self.owner, self.view.worktree, folders.clone, folders.git_file)

    def _pin(self, tip: str) -> None:
        """Have what git needs to show the submodules at their pins, and nothing else."""
        project, folder = self.commits.project, self.view.folders.pinned
        remove_folder(folder)
        pinned = dict.fromkeys(pinned_submodules(project, tip).values())
        carried = [commit for commit in pinned if is_carried(project, commit)]
        if carried:
            JudgedObjects(project, folder).hold(carried[0], carried[1:])

    def _prepare(self, round_number: int, socket: str) -> Confinement:
        folders = self.view.folders
        self.home.bring_logins()
        confinement = self.view.confinement(socket)
        copies = (source for _, source in self.view.copies)
        give(self.owner, folders.home, folders.temporary, *copies)
        if socket:
            give(self.owner, Path(socket))
        (folders.root / _NOTE).write_text(f"{self._tip} {round_number}")
        return confinement

    def _has_no_commits(self) -> bool:
        """Whether HEAD is where it was, as far as that can be seen without running git there."""
        start = self._head if self._head == self._tip else None
        folder = Folder(self.view.folders.clone)
        try:
            with folder.reading("HEAD") as head, folder.reading(f"refs/heads/{self.branch}") as ref:
                is_on_branch = (
                    head.read(_LONGEST_REF) == f"ref: refs/heads/{self.branch}\n".encode()
                )
                return is_on_branch and ref.read(_LONGEST_REF).decode() == f"{start}\n"
        except (FileToolError, ValueError):
            return False

    async def _leftovers(self, round_number: int | None = None) -> list[str]:
        """Bring out the commits of the clone that is there; of a killed driver's, its own round."""
        folders = self.view.folders
        try:
            tip, last = (folders.root / _NOTE).read_text().split()
        except (OSError, ValueError):
            return []
        ref = agent_ref(self.loop_id, int(last) if round_number is None else round_number)
        try:
            note = await self.commits.bring_out(tip, ref, self.view.bundling(), self.environment)
            self._head = self.commits.project.resolve(ref)
        except OSError as error:
            note = f"commits that the agent made were not brought out of its sandbox: {error}"
        return [note] if note else []

    def _branch_tip(self) -> str:
        asked = ("rev-parse", "--verify", f"refs/heads/{self.branch}^{{commit}}")
        try:
            return self.user.sealed.run(*asked).decode().strip()
        except CommandFailed as failed:
            raise GitError(
                f"the loop's branch {self.branch} cannot be read",
                why=failed.stderr,
                next_step="git fsck",
            ) from failed


def _all_may_read(folders: tuple[Path, ...]) -> bool:
    """Whether a user id without rights can read git's objects where they are."""
    inside = (each for folder in folders for each in (folder, folder / "pack"))
    return all(
        each.stat().st_mode & _READABLE_BY_ALL == _READABLE_BY_ALL
        for each in inside
        if each.is_dir()
    )
