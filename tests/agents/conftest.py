"""Real commands as agents: a folder where they are typed, a workspace, a guard."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import pytest

from loopctl.agents.command import CommandAgent
from loopctl.domain.agent_session import Role
from loopctl.ports import SessionRequest, StopSignal
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox


@dataclass
class Field:
    """Where a command agent works."""

    folder: Path
    workspace: Path
    log: Path
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.defpath})
    masker: Masker = field(default_factory=lambda: Masker({}))

    def agent(self, command, tools, **options):
        return CommandAgent(argument=command, folder=self.folder, tools=tools, **options)

    async def session(self, command, tools, **options):
        request = SessionRequest(
            loop="a",
            round=1,
            session_id=uuid4().hex,
            role=Role.CODER,
            workspace=self.workspace,
            log=self.log,
            environment=self.environment,
        )
        return await self.agent(command, tools, **options).open_session(request)

    def turn(self, command, prompt="do it", **options):
        """One turn of a new session with a guard of its own."""

        async def play(tools):
            session = await self.session(command, tools, **options)
            return await session.run_turn(prompt, StopSignal())

        return self.with_tools(play)

    def with_tools(self, play):
        async def main():
            guard = await Guard.start()
            try:
                return await asyncio.wait_for(play(Toolbox(guard, self.masker)), 60)
            finally:
                guard.close()

        return asyncio.run(main())


@pytest.fixture
def place(tmp_path):
    folders = [tmp_path / name for name in ("typed", "worktree", "logs")]
    for folder in folders:
        folder.mkdir()
    return Field(folders[0], folders[1], folders[2] / "round-0001.agent.log")
