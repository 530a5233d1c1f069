"""The commits that a sandboxed agent has made, brought out of its clone after a turn.

A bundle of them is made in the sandbox; what is in it is checked and stored in loopctl's own
repository, under ``refs/loopctl/<loop>/agent/<round>``. Invariant: a turn is never lost over its
commits: whatever is wrong with them is a note, and the tree is what counts.
"""

import asyncio
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.confinement import Confinement
from loopctl.errors import LoopctlError
from loopctl.git.agent_bundle import LARGEST, bundle_command, take_in
from loopctl.git.project_repository import ProjectRepository
from loopctl.process.spec import ProcessSpec
from loopctl.process.toolbox import Toolbox, exit_state
from loopctl.workspace.ownership import give
from loopctl.workspace.path_text import path_text
from loopctl.workspace.removal import remove_folder

_LONGEST_S = 120.0
_NAME = "commits.bundle"


def agent_ref(loop_id: str, round_number: int) -> str:
    """The ref that holds the agent's HEAD as it was after a round."""
    return f"refs/loopctl/{loop_id}/agent/{round_number}"


@dataclass(frozen=True)
class AgentCommits:
    """Brings out the commits of one loop's agent.

    Attributes:
        project: where they are stored.
        clone: the agent's git folder.
        outbox: a folder for the bundle; it is the agent's while the bundle is made.
        tools: what starts programs.
        owner: the user id of programs in a sandbox.
    """

    project: ProjectRepository
    clone: Path
    outbox: Path
    tools: Toolbox
    owner: int

    async def bring_out(
        self, tip: str, ref: str, view: Confinement, environment: Mapping[str, str]
    ) -> str:
        """Store the commits that HEAD has and ``tip`` has not.

        Args:
            tip: commit id that the clone was made at.
            ref: is set to HEAD, if there are any.
            view: what git sees: the clone, the outbox and nothing that is judged.
            environment: says where git is.

        Returns:
            What people should know of it; ``""`` when all is well.

        Raises:
            OSError: there is no place for the bundle.
        """
        remove_folder(self.outbox)
        self.outbox.mkdir(mode=stat.S_IRWXU)
        give(self.owner, self.outbox)
        bundle = self.outbox / _NAME
        try:
            problem = await self._make(tip, bundle, view, environment)
            if problem:
                return problem
            await asyncio.to_thread(self._take_in, bundle, ref)
        except LoopctlError as error:
            return _told(f"{error.message}: {error.why}" if error.why else error.message)
        finally:
            remove_folder(self.outbox)
        return ""

    def _take_in(self, bundle: Path, ref: str) -> None:
        if os.path.lexists(bundle):  # else there are no commits
            take_in(self.project, bundle, ref)

    async def _make(
        self, tip: str, bundle: Path, view: Confinement, environment: Mapping[str, str]
    ) -> str:
        limits = view.limits.evolve(file_bytes=LARGEST)
        variables = {
            "PATH": environment.get("PATH", ""),
            "GIT_DIR": str(self.clone),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C",
        }
        result = await self.tools.run(
            ProcessSpec(
                argv=bundle_command(tip, bundle),
                cwd=self.outbox,
                env=variables,
                confinement=view.evolve(limits=limits),
            ),
            deadline_s=_LONGEST_S,
            interrupt_grace_s=0,
            stop=asyncio.Event(),
        )
        state = exit_state(result)
        if state is not None and state.code == 0 and not state.timed_out:
            return ""
        said = result.output.tail.strip().splitlines()
        how = state or "its end was not seen"
        return _told(f"git could not bundle them ({said[-1] if said else how})")


def _told(problem: str) -> str:
    return path_text(f"commits that the agent made were not brought out of its sandbox: {problem}")
