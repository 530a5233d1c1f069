"""A desk with its server, and a loop that answers events: what a driver is to the tools."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from loopctl.domain.agent_session import Role
from loopctl.domain.decision import Reply
from loopctl.domain.events import ConcernFlagged, HandoffCalled, SpendRequested
from loopctl.ports import ToolSeat
from loopctl.tools.desk import LoopTools
from loopctl.tools.session_server import open_desk
from loopctl.tools.wire import SOCKET, TOKEN

HANDOFF = {
    "changes": [{"summary": "fixed the sum", "reason": "it was off by one"}],
    "verification": [
        {"command": "pytest", "cwd": ".", "outcome": "pass", "changedAfter": False},
    ],
}
CONCERN = {"concern": "the library is gone", "severity": "high"}
REPORT = {"outcome": "completed", "steps": [{"name": "open a request", "status": "done"}]}


class Loop:
    """Takes every event, or refuses it with ``refusal``."""

    def __init__(self) -> None:
        self.events: list[HandoffCalled | ConcernFlagged | SpendRequested] = []
        self.reached = asyncio.Event()
        self.refusal = ""
        self.busy: tuple[str, ...] | None = ()
        self.before_reply: Callable[[], Awaitable[object]] = lambda: asyncio.sleep(0)

    async def ask(self, event: HandoffCalled | ConcernFlagged | SpendRequested) -> Reply:
        assert not isinstance(event, SpendRequested)
        self.events.append(event)
        self.reached.set()
        await self.before_reply()
        return Reply(event.call, refused=self.refusal, text="" if self.refusal else "On record.")


class World:
    """A loop, its desk, and the place of one session of it."""

    def __init__(self, loop: Loop, desk: LoopTools, seat: ToolSeat) -> None:
        self.loop = loop
        self.desk = desk
        self.seat = seat
        self.socket = seat.environment[SOCKET]
        self.token = seat.environment[TOKEN]

    async def say(self, line: bytes) -> dict[str, object]:
        """The reply to one line."""
        reader, writer = await asyncio.open_unix_connection(self.socket)
        writer.write(line)
        reply = await asyncio.wait_for(reader.read(), 20)
        writer.close()
        parsed = json.loads(reply)
        assert isinstance(parsed, dict)
        return parsed

    async def begin(self, tool: str, arguments: object) -> asyncio.StreamWriter:
        """Call a tool through the socket until the loop has heard of it."""
        _, writer = await asyncio.open_unix_connection(self.socket)
        writer.write(self.line(tool, arguments, self.token))
        await self.loop.reached.wait()
        return writer

    async def call(self, tool: str, arguments: object, token: str = "") -> dict[str, object]:
        """Call a tool through the socket."""
        return await self.say(self.line(tool, arguments, token or self.token))

    def line(self, tool: str, arguments: object, token: str) -> bytes:
        request = {"op": "call", "tool": tool, "arguments": arguments}
        return f"{token} {json.dumps(request)}\n".encode()

    async def run(
        self, *arguments: str, stdin: bytes = b"", program: tuple[str, ...] = ("-m", "loopctl")
    ) -> tuple[int | None, str, str]:
        """Start the real program as an agent of this session would; all that came of it."""
        started = await asyncio.create_subprocess_exec(
            sys.executable,
            *program,
            *arguments,
            env=self.variables(),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await asyncio.wait_for(started.communicate(stdin), 30)
        return started.returncode, out.decode(), err.decode()

    def variables(self) -> dict[str, str]:
        """What the environment of an agent has."""
        return {
            **self.seat.environment,
            "LOOPCTL_LOOP": "fix-sum",
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }


@asynccontextmanager
async def open_world(folder: Path, role: Role = Role.CODER) -> AsyncIterator[World]:
    loop = Loop()
    async with open_desk(folder, {}) as desk:
        yield World(loop, desk, desk.open("session-1", role, loop.ask, lambda: loop.busy))
