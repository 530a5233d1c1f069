"""Agents: who does the work, one session for one conversation."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol, Self

from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.confinement import Confinement
from loopctl.ports.spending import Meter
from loopctl.ports.tooling import Activity, ToolCaller, ignore_activity


class StopSignal:
    """Asks a turn to end, and says with which outcome its result is to be labelled."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.outcome = TurnOutcome.ABORTED

    def set(self, outcome: TurnOutcome) -> None:
        """Ask for the end; the first outcome stands."""
        if not self.event.is_set():
            self.outcome = outcome
            self.event.set()


@dataclass(frozen=True)
class SessionRequest:
    """What an agent session is opened with.

    Attributes:
        session_id: its identifier, unique for ever.
        loop: name of the loop.
        round: number of the round.
        role: what the session is for.
        workspace: the folder to work in.
        log: where the session's output is kept (a file that may exist already).
        environment: variables that the agent receives, complete; with them it reaches loopctl's
            tools from outside.
        model: the model to use, as ``PROVIDER:MODEL``; ``""`` is the agent's own choice.
        history: the file for the session's messages, from which it can be resumed.
        tools: loopctl's tools for an agent in this process; ``None`` where there are none.
        meter: asks for requests to models; ``None`` for agents that cannot ask.
        activity: is told what the session does.
        confinement: what every program of the session can see; ``None`` runs it as it is.
    """

    session_id: str
    loop: str
    round: int
    role: Role
    workspace: Path
    log: Path
    environment: Mapping[str, str]
    model: str = ""
    history: Path | None = None
    tools: ToolCaller | None = None
    meter: Meter | None = None
    activity: Callable[[Activity], None] = ignore_activity
    confinement: Confinement | None = None


class AgentSession(Protocol):
    """One conversation with an agent."""

    @property
    def id(self) -> str:
        """The identifier that it was opened with."""
        ...

    async def run_turn(self, prompt: str, stop: StopSignal) -> TurnResult:
        """Send ``prompt`` and wait until the agent is idle or ``stop`` is set.

        Every failure of the agent is a result, not an exception.
        """
        ...

    async def wait_idle(self) -> None:
        """Wait until nothing that belongs to the agent is busy."""
        ...

    async def close(self) -> None:
        """End the conversation; twice is harmless."""
        ...


@dataclass(frozen=True)
class Abilities:
    """What not every kind of agent can do.

    Attributes:
        has_tools: it can call loopctl's tools, and so has to hand its turns over.
        remembers: a session knows its earlier turns.
        is_metered: it asks the meter for every request, and its turns carry no usage.
        is_confinable: every program that it starts gets the confinement of its session.
    """

    has_tools: bool = False
    remembers: bool = False
    is_metered: bool = False
    is_confinable: bool = False

    @classmethod
    def of(cls, runner: "AgentRunner") -> Self:
        """The abilities of a kind of agent; what it does not speak of it cannot do."""
        return cls(**{one.name: bool(getattr(runner, one.name, False)) for one in fields(cls)})


class AgentRunner(Protocol):
    """A kind of agent.

    Attributes:
        reports_cost: its turns say what they cost, or can be priced.
        reports_tokens: its turns say how many tokens they used.

    What else it can do is in ``Abilities``: an attribute of the same name says so where it has it.
    """

    reports_cost: bool
    reports_tokens: bool

    def check(self) -> None:
        """Raise ``UsageError`` when the agent cannot be used here, before anything starts."""
        ...

    async def open_session(self, request: SessionRequest) -> AgentSession:
        """Begin a conversation.

        Raises:
            LoopctlError: it could not be begun.
        """
        ...
