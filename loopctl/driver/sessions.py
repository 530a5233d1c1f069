"""The agent sessions that are open, and what each of them works with.

Invariant: a session is at work from the moment its prompt is sent until its turn is over, and
everything that it was let in with is taken away when it is closed.
"""

import asyncio
from uuid import uuid4

from loopctl.domain.agent_session import TurnOutcome, TurnResult
from loopctl.domain.effects import OpenSession, SendPrompt
from loopctl.domain.events import AnyEvent, SessionFailed, SessionOpened, TurnEnded
from loopctl.domain.loop import LoopState
from loopctl.driver.meter import Meters
from loopctl.driver.world import World
from loopctl.errors import LoopctlError
from loopctl.ports import Abilities, AgentSession, Ask, SessionRequest, StopSignal, ToolSeat


class Sessions:
    """Opens, prompts and closes agent sessions.

    Args:
        world: the ports.
        ask: hands an event to the loop and returns its reply.
        meters: count what sessions spend.
    """

    def __init__(self, world: World, ask: Ask, meters: Meters) -> None:
        self._world = world
        self._ask = ask
        self._meters = meters
        self._open: dict[str, AgentSession] = {}
        self._at_work: set[str] = set()
        self._stops: dict[int, StopSignal] = {}

    def abort(self, order: int, outcome: TurnOutcome) -> None:
        """Ask the turn of ``order`` to end; its result still arrives."""
        self._stop_of(order).set(outcome)

    async def open(self, effect: OpenSession, state: LoopState) -> AnyEvent:
        """Open a session."""
        agent = self._world.agent
        session_id = uuid4().hex
        seat = self._world.desk.open(
            session_id, effect.role, self._ask, lambda: self._others_at_work(session_id)
        )
        try:
            request = await self._request(effect, state, session_id, seat)
            session = await agent.open_session(request)
        except (LoopctlError, OSError) as error:
            self._world.desk.close(session_id)
            return SessionFailed(order=effect.order, problem=str(error))
        self._open[session_id] = session
        able = Abilities.of(agent)
        return SessionOpened(
            order=effect.order,
            session_id=session_id,
            has_tools=able.has_tools,
            remembers=able.remembers,
            is_metered=able.is_metered,
        )

    async def send(self, effect: SendPrompt) -> AnyEvent:
        """Send a prompt and wait for the end of its turn."""
        session = self._open[effect.session_id]
        stop = self._stop_of(effect.order)
        self._at_work.add(effect.session_id)
        try:
            result = await session.run_turn(effect.prompt, stop)
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
            result = TurnResult(
                outcome=TurnOutcome.FAILED, problem=f"{type(error).__name__}: {error}"
            )
        finally:
            self._at_work.discard(effect.session_id)
        del self._stops[effect.order]
        return TurnEnded(order=effect.order, result=self._priced(result))

    async def wait_idle(self) -> None:
        """Wait until no session is at work."""
        await asyncio.gather(*(one.wait_idle() for one in self._open.values()))

    async def close_all(self) -> None:
        """End every session."""
        while self._open:
            session_id, session = self._open.popitem()
            self._world.desk.close(session_id)
            await session.close()

    async def _request(
        self, effect: OpenSession, state: LoopState, session_id: str, seat: ToolSeat
    ) -> SessionRequest:
        world = self._world
        environment = {**world.environment(effect.round), **seat.environment}
        confinement = None
        if world.sandbox is not None:
            place = await world.sandbox.enter(effect.round, environment)
            environment, confinement = dict(place.environment), place.confinement
        return SessionRequest(
            session_id=session_id,
            loop=state.spec.name,
            round=effect.round,
            role=effect.role,
            workspace=world.workspace.working_folder(),
            log=world.logs / f"round-{effect.round:04d}.agent.log",
            environment=environment,
            model=effect.model,
            history=world.logs / f"session-{session_id}.json",
            tools=seat.caller,
            meter=self._meters.of(session_id, effect.role),
            activity=world.show,
            confinement=confinement,
        )

    def _stop_of(self, order: int) -> StopSignal:
        return self._stops.setdefault(order, StopSignal())

    def _others_at_work(self, caller: str) -> tuple[str, ...]:
        return tuple(sorted(self._at_work - {caller}))

    def _priced(self, result: TurnResult) -> TurnResult:
        """The result with what it cost; a metered session has said that before."""
        if Abilities.of(self._world.agent).is_metered and not result.usage:
            return result
        try:
            return result.evolve(usage=self._world.pricing.price(result.usage))
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
            problem = f"the cost could not be told: {type(error).__name__}: {error}"
            return result.evolve(problem=result.problem or problem)
