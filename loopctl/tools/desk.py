"""Where agent sessions reach loopctl's tools: each has a place, and a token that leads to it.

Invariant: a token leads to one session in one role, cannot be guessed, and leads nowhere once the
session is closed.
"""

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.domain.agent_session import Role
from loopctl.ports import Ask, ToolCaller, ToolSeat
from loopctl.tools.session_tools import SessionTools
from loopctl.tools.wire import SOCKET, TOKEN

_TOKEN_BYTES = 32


@dataclass
class Seat:
    """Implements ``ports.ToolSeat``."""

    caller: ToolCaller
    environment: Mapping[str, str]


class LoopTools:
    """Implements ``ports.ToolDesk``.

    Args:
        socket: where a session server answers for this desk.
    """

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._places: dict[str, tuple[bytes, SessionTools]] = {}

    def open(
        self,
        session_id: str,
        role: Role,
        ask: Ask,
        busy: Callable[[], tuple[str, ...] | None],
    ) -> ToolSeat:
        """A place for a session; see ``ports.ToolDesk``."""
        self.close(session_id)
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        tools = SessionTools(session_id, role, ask, busy)
        self._places[session_id] = (token.encode(), tools)
        return Seat(tools, {SOCKET: str(self._socket), TOKEN: token})

    def close(self, session_id: str) -> None:
        """Take the place away; one that is not there is no error."""
        _, tools = self._places.pop(session_id, (b"", None))
        if tools is not None:
            tools.close()

    def place_of(self, token: bytes) -> SessionTools | None:
        """The tools of the session that ``token`` belongs to.

        It takes as long for a token that is nearly right as for any other.
        """
        found = None
        for kept, tools in self._places.values():
            if hmac.compare_digest(kept, token):
                found = tools
        return found
