"""The sandbox of the agent: what a session of it can see, and what comes out after a turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from loopctl.domain.confinement import Confinement


@dataclass(frozen=True)
class SandboxedSession:
    """What an agent session works with in its sandbox.

    Attributes:
        confinement: what every program of the session can see.
        environment: its variables, complete.
    """

    confinement: Confinement
    environment: Mapping[str, str]


class AgentSandbox(Protocol):
    """The sandbox of one loop's agent."""

    async def enter(self, round_number: int, environment: Mapping[str, str]) -> SandboxedSession:
        """A session's place; nothing of the agent is alive.

        Args:
            round_number: of the round that it works for.
            environment: its variables, as they would be without a sandbox.

        Raises:
            LoopctlError: there is no place for it.
            OSError: the same, from the operating system.
        """
        ...

    async def collect(self, round_number: int) -> tuple[str, ...]:
        """Bring out what a round's turns have left beside the tree; nothing of them is alive.

        Returns:
            What people should know of it.
        """
        ...

    def close(self) -> None:
        """Leave everything as it is without a sandbox; nothing of the agent is alive."""
        ...
