"""The built-in agent with a scripted model behind real HTTP, a worktree, a guard and a loop."""

import asyncio
import os
from dataclasses import dataclass, field
from pathlib import Path

from loopctl.agents.builtin.runner import BuiltinAgent
from loopctl.domain.agent_session import Role
from loopctl.domain.decision import Reply
from loopctl.llm.patient_model import Patience
from loopctl.ports import SessionRequest, StopSignal
from loopctl.process.guard_client import Guard
from loopctl.process.masking import Masker
from loopctl.process.toolbox import Toolbox
from loopctl.testing.memory_meter import MemoryMeter
from loopctl.tools.session_tools import SessionTools

MODEL = "scripted-1"
HANDOFF = {
    "changes": [{"summary": "repaired the sum", "reason": "it was wrong"}],
    "verification": [{"command": "true", "cwd": ".", "outcome": "pass", "changedAfter": False}],
}


@dataclass
class World:
    """Everything that a session of the built-in agent needs.

    Attributes:
        events: what the loop was told through its tools.
        refuse: why the loop refuses what it is told.
        keep: where the conversation is kept instead.
        waits: the seconds between two attempts of a request; none of them is waited.
        shown: what was seen on the screen, with the tokens so far.
    """

    root: Path
    variables: dict[str, str]
    masker: Masker = field(default_factory=lambda: Masker({}))
    meter: MemoryMeter = field(default_factory=MemoryMeter)
    events: list = field(default_factory=list)
    shown: list = field(default_factory=list)
    refuse: str = ""
    keep: Path | None = None
    waits: list = field(default_factory=list)
    most_requests: int = 200
    provider: str = "anthropic"

    @property
    def tree(self):
        return self.root / "worktree"

    @property
    def log(self):
        return self.root / "round-0001.agent.log"

    @property
    def history(self):
        return self.root / "session.json"

    async def answer(self, event):
        self.events.append(event)
        return Reply(event.call, text="Recorded.", refused=self.refuse)

    async def told(self, event):
        return await self.answer(event)

    async def no_sleep(self, seconds):
        self.waits.append(seconds)

    def request(self, *, role=Role.CODER, with_tools=True, environment=None):
        return SessionRequest(
            session_id="s1",
            loop="a",
            round=1,
            role=role,
            workspace=self.tree,
            log=self.log,
            environment={"PATH": os.defpath} if environment is None else environment,
            model=f"{self.provider}:{MODEL}",
            history=self.keep or self.history,
            tools=SessionTools("s1", role, self.told, lambda: ()) if with_tools else None,
            meter=self.meter,
            activity=lambda activity: self.shown.append((activity.text, activity.tokens)),
        )

    def agent(self, tools):
        return BuiltinAgent(
            argument=MODEL,
            folder=self.root,
            tools=tools,
            provider=self.provider,
            environment=self.variables,
            most_requests=self.most_requests,
            patience=Patience(sleep=self.no_sleep),
        )

    def turn(self, prompt="do it", **options):
        """One turn of a new session."""
        return self.turns(prompt, **options)[0]

    def turns(self, *prompts, **options):
        """Turns of one session, one after the other."""

        async def play(tools):
            session = await self.agent(tools).open_session(self.request(**options))
            return [await session.run_turn(prompt, StopSignal()) for prompt in prompts]

        return self.with_tools(play)

    def with_tools(self, play):
        async def main():
            guard = await Guard.start()
            try:
                return await asyncio.wait_for(play(Toolbox(guard, self.masker)), 60)
            finally:
                guard.close()

        return asyncio.run(main())
