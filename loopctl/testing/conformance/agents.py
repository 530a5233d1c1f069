"""Checks of agents: turns come back as results that say no more than what is known.

What an agent says that it is able to do (``ports.Abilities``) is a promise as well: one that has
loopctl's tools hands its turns over, and one that is metered sends no request that it has not
asked for.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from loopctl.domain.agent_session import Role, TurnOutcome, TurnResult
from loopctl.domain.decision import Reply
from loopctl.domain.events import ConcernFlagged, HandoffCalled, SpendRequested
from loopctl.domain.usage import UsageSource
from loopctl.ports import Abilities, AgentRunner, AgentSession, SessionRequest, StopSignal
from loopctl.process.environment import clean_environment
from loopctl.process.toolbox import Toolbox
from loopctl.testing.conformance.promise import TIMEOUT_S, promise, toolbox
from loopctl.testing.memory_meter import MemoryMeter
from loopctl.tools.desk import LoopTools
from loopctl.tools.session_server import open_desk


def check_agent_runner(
    factory: Callable[[Toolbox], AgentRunner],
    *,
    workspace: Path,
    logs: Path,
    failing: Callable[[Toolbox], AgentRunner] | None = None,
) -> None:
    """An agent's turns always come back as results, and say no more than what is known.

    Args:
        factory: makes a runner whose turns finish; there are two in one session. Where it has
            loopctl's tools, each is handed over.
        workspace: a folder that the agent may change.
        logs: a folder for its log files.
        failing: makes a runner whose turns fail.

    Raises:
        AssertionError: a promise is broken.
    """

    async def check() -> None:
        async with toolbox() as tools, open_desk(logs, os.environ) as desk:
            place = _Place(workspace, logs, tools, desk)
            runner = factory(tools)
            runner.check()
            await _check_turns(runner, place)
            await _check_abort(runner, place)
            if Abilities.of(runner).is_metered:
                await _check_refusal(runner, place)
            if failing is not None:
                await _check_failure(failing(tools), place)

    asyncio.run(asyncio.wait_for(check(), TIMEOUT_S))


@dataclass
class _Place:
    """Where an agent works, and the loop that it can reach from there.

    Attributes:
        workspace: the folder that it may change.
        logs: the folder for its log files.
        tools: what starts programs.
        desk: where its sessions reach loopctl's tools.
        meter: grants its requests.
        ids: of the sessions that were opened.
        handed_over: how often a turn was.
    """

    workspace: Path
    logs: Path
    tools: Toolbox
    desk: LoopTools
    meter: MemoryMeter = field(default_factory=MemoryMeter)
    ids: list[str] = field(default_factory=list)
    handed_over: int = 0

    async def open(self, runner: AgentRunner) -> AgentSession:
        """Open a session as the driver does."""
        session_id = uuid4().hex
        number = len(self.ids) + 1
        seat = self.desk.open(session_id, Role.CODER, self._answer, lambda: ())
        environment = clean_environment(os.environ) | {
            "LOOPCTL_LOOP": "conformance",
            "LOOPCTL_ROUND": str(number),
        }
        session = await runner.open_session(
            SessionRequest(
                session_id=session_id,
                loop="conformance",
                round=number,
                role=Role.CODER,
                workspace=self.workspace,
                log=self.logs / f"agent-{number}.log",
                environment={**environment, **seat.environment},
                history=self.logs / f"session-{session_id}.json",
                tools=seat.caller,
                meter=self.meter,
            )
        )
        promise(session.id not in self.ids, "every session has an id of its own")
        self.ids.append(session.id)
        return session

    async def turn(self, session: AgentSession, stop: StopSignal | None = None) -> TurnResult:
        """One turn, settled as the driver does it."""
        result = await session.run_turn("do what you are told", stop or StopSignal())
        await session.wait_idle()
        await self.tools.guard.end()
        promise(not self.meter.open, "a request is settled, or lost, when its turn is over")
        return result

    async def _answer(self, event: HandoffCalled | ConcernFlagged | SpendRequested) -> Reply:
        if isinstance(event, SpendRequested):
            raise TypeError("requests are asked for at the meter")
        self.handed_over += isinstance(event, HandoffCalled)
        return Reply(event.call, text="Recorded.")


async def _close(session: AgentSession) -> None:
    """Closing twice has to be harmless."""
    await session.close()
    await session.close()


async def _check_turns(runner: AgentRunner, place: _Place) -> None:
    able = Abilities.of(runner)
    session = await place.open(runner)
    for turns in (1, 2):  # a second prompt comes when a turn was not handed over
        result = await place.turn(session)
        _check_result(runner, result)
        promise(result.outcome is TurnOutcome.FINISHED, f"the turn finishes: {result}")
        handed_over = place.handed_over >= turns
        promise(handed_over or not able.has_tools, "an agent with the tools hands its turns over")
        asked = len(place.meter.ended) >= turns
        promise(asked or not able.is_metered, "a metered agent asks for its requests")
    await _close(session)


async def _check_abort(runner: AgentRunner, place: _Place) -> None:
    session = await place.open(runner)
    stop = StopSignal()
    stop.set(TurnOutcome.TIMED_OUT)
    result = await place.turn(session, stop)
    labelled = result.outcome is TurnOutcome.TIMED_OUT
    promise(labelled, f"a turn that is ended says which end was asked for: {result}")
    await _close(session)


async def _check_refusal(runner: AgentRunner, place: _Place) -> None:
    session = await place.open(runner)
    place.meter.allowed = 0
    result = await place.turn(session)
    capped = result.outcome is TurnOutcome.CAPPED
    promise(capped, f"a turn whose request is refused says so and ends: {result}")
    place.meter = MemoryMeter()
    await _close(session)


async def _check_failure(runner: AgentRunner, place: _Place) -> None:
    session = await place.open(runner)
    result = await place.turn(session)
    _check_result(runner, result)
    told = result.outcome is not TurnOutcome.FINISHED and bool(result.problem or result.exit)
    promise(told, f"a failure is a result that says what failed: {result}")
    await _close(session)


def _check_result(runner: AgentRunner, result: TurnResult) -> None:
    zero = any(row.micro_usd == 0 and row.source is UsageSource.UNKNOWN for row in result.usage)
    promise(not zero, "an unknown cost is None, never 0")
    if Abilities.of(runner).is_metered:  # its requests have said it
        return
    costs = bool(result.usage) and all(row.micro_usd is not None for row in result.usage)
    promise(costs or not runner.reports_cost, "an agent that reports cost does so in each turn")
    tokens = bool(result.usage) and all(row.tokens is not None for row in result.usage)
    promise(tokens or not runner.reports_tokens, "an agent that reports tokens always does")
