"""loopctl's tools as agent sessions reach them, and what a session is seen to do."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from loopctl.domain.agent_session import Role
from loopctl.domain.decision import Reply
from loopctl.domain.events import ConcernFlagged, HandoffCalled, SpendRequested

Asked = HandoffCalled | ConcernFlagged | SpendRequested
Ask = Callable[[Asked], Awaitable[Reply]]
"""Hands the event of a session to the loop; the reply is the machine's."""


@dataclass(frozen=True)
class ToolAnswer:
    """What a model-facing tool says. ``refused``: the call changed nothing."""

    text: str
    refused: bool = False


class ToolCaller(Protocol):
    """loopctl's tools, as one agent session sees them."""

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a tool by its name. Whatever is wrong with the call is said in the answer."""
        ...


@dataclass(frozen=True)
class Activity:
    """What an agent session does just now, for the screen alone: it is not stored.

    Attributes:
        round: number of the round.
        role: what the session is for.
        text: such as ``shell python -m pytest -q``.
        tokens: used by the session so far.
    """

    round: int
    role: Role
    text: str
    tokens: int


def ignore_activity(activity: Activity) -> None:
    """Tell nobody."""
    del activity


class ToolSeat(Protocol):
    """The place of one agent session at loopctl's tools."""

    caller: ToolCaller
    environment: Mapping[str, str]


class ToolDesk(Protocol):
    """Where agent sessions reach loopctl's tools, in this process and from outside of it."""

    def open(
        self,
        session_id: str,
        role: Role,
        ask: Ask,
        busy: Callable[[], tuple[str, ...] | None],
    ) -> ToolSeat:
        """A place for a session.

        Args:
            session_id: whose calls these are.
            role: what the session is for; it says which tools there are.
            ask: hands an event to the loop and returns its reply.
            busy: other sessions of the loop that are at work; ``None`` when nobody can tell.
        """
        ...

    def close(self, session_id: str) -> None:
        """Take the place away: what it let in is refused from now on."""
        ...
