"""What an agent finds in its fresh worktree beside the files of the base commit.

Copies of the user's shared paths, then what the setup command makes. Invariant: a note beside the
private index says that both were done to their end; without it they are done (again), so that a
driver that died half-way leaves no half-supplied worktree.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.supplies import WorkspaceSupplies
from loopctl.errors import SupplyError
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, records
from loopctl.ports import AgentSandbox
from loopctl.workspace.path_text import path_text
from loopctl.workspace.setup_command import SetupCommand
from loopctl.workspace.shared_paths import copy_shares


@dataclass(frozen=True)
class WorktreeSupplies:
    """The supplies of one loop's worktree.

    Attributes:
        project: loopctl's own repository of the project.
        supplies: what the configuration says.
        source: root of the user's checkout.
        folder: the worktree.
        note: the file that says that it was supplied.
        setup: the command to run; None is nothing.
        environment: the agent's variables.
        log: the file for the command's output.
        sandbox: the agent's, in which the command runs as well; None runs it as it is.
    """

    project: ProjectRepository
    supplies: WorkspaceSupplies
    source: Path
    folder: Path
    note: Path
    setup: SetupCommand | None
    environment: Mapping[str, str]
    log: Path
    sandbox: AgentSandbox | None = None

    def forget(self) -> None:
        """Say that the worktree is not supplied; call it before a new one is made."""
        self.note.unlink(missing_ok=True)

    async def provide(self) -> None:
        """Supply the worktree, unless that was done.

        Raises:
            SupplyError: a path could not be copied or is not ignored, or the setup failed.
        """
        if self.supplies == WorkspaceSupplies() or self.note.exists():
            return
        await asyncio.to_thread(self._copy)
        if self.setup is not None:
            environment, confinement = self.environment, None
            if self.sandbox is not None:
                place = await self.sandbox.enter(0, environment)
                environment, confinement = place.environment, place.confinement
            await self.setup.run(self.folder, environment, self.log, confinement)
        self.note.touch(mode=0o600)

    def _copy(self) -> None:
        """Copy the shared paths.

        That they are ignored in the user's checkout was seen at start. A ``.gitignore`` that was
        not committed is not in the worktree.
        """
        shared = self.supplies.share
        if not shared:
            return
        copy_shares(self.source, self.folder, shared)
        asked = ("ls-files", "-z", "--others", "--exclude-standard", "--")
        git = Git(self.project.path, self.folder)
        with self.project.scratch_index() as index:
            found = records(git.run(*asked, *(f":(top,literal){p}" for p in shared), index=index))
        if found:
            raise SupplyError(
                f"{path_text(found[0])} is not ignored in the commit that the loop starts from",
                why="what is shared must stay out of the loop's snapshots",
                next_step="commit your .gitignore, then start the loop again",
            )
