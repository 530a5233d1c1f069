"""Answers agent sessions on a Unix socket: one request and one reply for each connection.

Whoever runs as the user can connect, and agents run anything. Invariant: no connection disturbs
the loop or another connection. A line has a bounded length and has to arrive in a bounded time;
of too many connections the oldest that has not said what it wants goes first; and without the
token of an open session a line is not even read as JSON.
"""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, JsonValue, ValidationError

from loopctl.domain.value import Value
from loopctl.ports import ToolAnswer
from loopctl.tools.desk import LoopTools
from loopctl.tools.session_tools import OVER, SessionTools
from loopctl.tools.socket_place import socket_place
from loopctl.tools.wire import MOST_BYTES

MOST_CONNECTIONS = 32
REQUEST_S = 10.0
REPLY_S = 10.0
"""How long a request may take to arrive, and a reply to be read."""


class Request(Value):
    """What a client wants, after its token."""

    op: Literal["list", "call"]
    tool: str = ""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)


@asynccontextmanager
async def open_desk(owner: Path, environment: Mapping[str, str]) -> AsyncIterator[LoopTools]:
    """The tools of one driver for as long as it runs, with a server that answers for them.

    Args:
        owner: the loop's folder.
        environment: loopctl's own.

    Raises:
        SocketPlaceError: there is no place for the socket.
    """
    with socket_place(owner, environment) as path:
        desk = LoopTools(path)
        async with SessionServer(desk).listening(path):
            yield desk


class SessionServer:
    """Answers for a desk.

    Args:
        desk: where the sessions have their places.
        request_s: how long a request may take to arrive, seconds.
        reply_s: how long a reply may take to be read, seconds.
    """

    def __init__(
        self, desk: LoopTools, request_s: float = REQUEST_S, reply_s: float = REPLY_S
    ) -> None:
        self._desk = desk
        self._request_s = request_s
        self._reply_s = reply_s
        self._connections: set[asyncio.Task[None]] = set()
        self._silent: dict[asyncio.Task[None], None] = {}
        self._reading = asyncio.Lock()

    @asynccontextmanager
    async def listening(self, path: Path) -> AsyncIterator[None]:
        """Answer on a socket at ``path``, which is in a folder of the user's alone."""
        with _listener(path) as listener:
            server = await asyncio.start_unix_server(
                self._connected, sock=listener, limit=MOST_BYTES
            )
            try:
                yield
            finally:
                server.close()
                await self._end_all()

    async def _end_all(self) -> None:
        tasks = tuple(self._connections)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= MOST_CONNECTIONS and not self._make_room():
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        self._silent[task] = None
        task.add_done_callback(self._forget)

    def _make_room(self) -> bool:
        """End the oldest connection that has not sent its request, if there is one."""
        oldest = next(iter(self._silent), None)
        if oldest is None:
            return False
        oldest.cancel()
        self._forget(oldest)
        return True

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._connections.discard(task)
        self._silent.pop(task, None)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            reply = await self._answer(reader)
            async with asyncio.timeout(self._reply_s):
                writer.write(json.dumps(reply).encode() + b"\n")
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # the client has gone away, or is not one
        finally:
            writer.transport.abort()

    async def _read(self, line: bytes) -> Request:
        """Understand a line. The loop goes on between two of them: long ones take their time."""
        async with self._reading:
            await asyncio.sleep(0)
            return Request.model_validate_json(line, strict=True)

    async def _answer(self, reader: asyncio.StreamReader) -> dict[str, Any]:
        try:
            async with asyncio.timeout(self._request_s):
                line = await reader.readuntil(b"\n")
        except asyncio.LimitOverrunError:
            return _said(ToolAnswer(f"Refused: more than {MOST_BYTES} bytes.", refused=True))
        current = asyncio.current_task()
        if current is not None:
            self._silent.pop(current, None)
        token, _, wish = line.partition(b" ")
        place = self._desk.place_of(token)
        if place is None:
            return _said(ToolAnswer(OVER, refused=True))
        try:
            return await self._obey(await self._read(wish), place)
        except ValidationError:
            return _said(ToolAnswer("Refused: this is not a request.", refused=True))
        except Exception as error:  # noqa: BLE001 - whatever went wrong, the caller is told
            failed = f"The call failed: {type(error).__name__}: {error}"
            return _said(ToolAnswer(failed, refused=True))

    async def _obey(self, request: Request, place: SessionTools) -> dict[str, Any]:
        if request.op == "call":
            return _said(await place.call(request.tool, request.arguments))
        return {
            "tools": [
                {"name": tool.name, "description": tool.description, "schema": tool.schema}
                for tool in place.tools
            ]
        }


def _listener(path: Path) -> socket.socket:
    """A socket at ``path`` that the user alone can connect to."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    path.chmod(0o600)
    return listener


def _said(answer: ToolAnswer) -> dict[str, Any]:
    return {"text": answer.text, "refused": answer.refused}
