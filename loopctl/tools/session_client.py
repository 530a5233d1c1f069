"""Reaches the session server from an agent's own processes: a command in a shell, or an MCP server.

It waits in the calling thread and imports little: the commands that agents type start fast.
"""

import json
import socket
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from loopctl.errors import LoopctlError, UsageError
from loopctl.tools.wire import ANSWER_S, MOST_BYTES, SOCKET, TOKEN

_CONNECT_S = 10.0
_WAIT_S = ANSWER_S + 30.0
_CHUNK = 65536
_MOST_REPLY_BYTES = 4 * MOST_BYTES


class OutsideSessionError(UsageError):
    """Nothing says where the tools of an agent session are."""


class LoopGoneError(LoopctlError):
    """The loop that this agent session belonged to cannot be reached."""


class Offer(NamedTuple):
    """One tool of the session: its name, its description, and the JSON schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


class Said(NamedTuple):
    """The answer to a call; ``refused``: it changed nothing."""

    text: str
    refused: bool


class SessionClient:
    """The tools of one agent session, from outside of the driver's process.

    Args:
        path: of the socket.
        token: of the session.
    """

    def __init__(self, path: str, token: str) -> None:
        self._path = path
        self._token = token

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """The client of the session whose variables these are.

        Raises:
            OutsideSessionError: they are not set.
        """
        missing = [name for name in (SOCKET, TOKEN) if not environment.get(name)]
        if missing:
            raise OutsideSessionError(
                "this is not an agent session of a loop",
                why=f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not set",
                next_step="only an agent that loopctl has started can use its tools",
            )
        return cls(environment[SOCKET], environment[TOKEN])

    def tools(self) -> tuple[Offer, ...]:
        """The tools of the session.

        Raises:
            LoopGoneError: the loop cannot be reached, or the session is over.
        """
        reply = self._exchange({"op": "list"})
        try:
            return tuple(Offer(**tool) for tool in reply["tools"])
        except (KeyError, TypeError) as error:
            raise _gone(str(reply.get("text", "its answer cannot be read"))) from error

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Said:
        """Call a tool.

        Raises:
            UsageError: the arguments are too long.
            LoopGoneError: the loop cannot be reached.
        """
        reply = self._exchange({"op": "call", "tool": tool, "arguments": arguments})
        try:
            return Said(str(reply["text"]), bool(reply["refused"]))
        except KeyError as error:
            raise _gone("its answer cannot be read") from error

    def _exchange(self, request: dict[str, Any]) -> dict[str, Any]:
        line = f"{self._token} {json.dumps(request)}\n".encode(errors="replace")
        if len(line) > MOST_BYTES:
            raise UsageError(
                "the arguments are too long",
                why=f"{len(line)} bytes, and {MOST_BYTES} are the most",
                next_step="say it in fewer words",
            )
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
                link.settimeout(_CONNECT_S)
                link.connect(self._path)
                link.settimeout(_WAIT_S)
                link.sendall(line)
                reply = json.loads(_line(link))
        except TimeoutError as error:
            raise _gone("it does not answer") from error
        except (OSError, ValueError) as error:
            raise _gone(str(error)) from error
        if not isinstance(reply, dict):
            raise _gone("its answer cannot be read")
        return reply


def _line(link: socket.socket) -> bytes:
    """What the server says until it ends the connection."""
    received = b""
    while len(received) <= _MOST_REPLY_BYTES:
        chunk = link.recv(_CHUNK)
        if not chunk:
            break
        received += chunk
    if not received.endswith(b"\n"):
        raise ConnectionError("it ended the connection without an answer")
    return received


def _gone(why: str) -> LoopGoneError:
    return LoopGoneError(
        "the loop of this agent session cannot be reached",
        why=why,
        next_step="end your turn; what you have changed in the files is kept",
    )
