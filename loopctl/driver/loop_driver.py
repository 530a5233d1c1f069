"""The mailbox: take the next event, let the machine decide, write, then act.

Everything that happens to a loop arrives in one queue: results of orders, timers, users'
commands, signals. Each is decided alone, written in one transaction, and only then acted upon.
The driver holds no policy; what it adds is the order of things, and that nothing is left running
when it ends, for whatever reason it ends.
"""

import asyncio
import contextlib
import time
from dataclasses import dataclass

from loopctl.domain.decision import Reply
from loopctl.domain.effects import Abandon, AbortTurn, Effect, StartTimer
from loopctl.domain.events import (
    Answer,
    AnyEvent,
    CancelRequested,
    EffectFailed,
    RetryRequested,
    SpendRequested,
)
from loopctl.domain.loop import LoopState
from loopctl.domain.machine import decide
from loopctl.driver.perform import Performer
from loopctl.driver.timers import Timers
from loopctl.driver.world import World
from loopctl.errors import LeaseError, LoopctlError, StoreError
from loopctl.ports import Asked

POLL_S = 1.0
BEAT_S = 5.0
WISHES: dict[str, type[CancelRequested | RetryRequested]] = {
    "cancel": CancelRequested,
    "retry-now": RetryRequested,
}
"""What a command that a user has left becomes; one of another version's stays unanswered."""


@dataclass(frozen=True)
class Outcome:
    """Where a driver left its loop. ``refused`` says why the first event changed nothing."""

    state: LoopState
    refused: str = ""


class LoopDriver:
    """Drives one loop until it has ended.

    Args:
        world: the ports.
        state: where the loop stands.
    """

    def __init__(self, world: World, state: LoopState) -> None:
        self.state = state
        self._world = world
        self._performer = Performer(world, self.ask, self.post)
        self._mailbox: asyncio.Queue[AnyEvent | Exception] = asyncio.Queue()
        self._timers = Timers(self.post)
        self._orders: dict[int, asyncio.Task[None]] = {}
        self._wake = asyncio.Event()
        self._callers: dict[str, asyncio.Future[Reply]] = {}

    def post(self, event: AnyEvent) -> None:
        """Put an event into the mailbox, stamped with the time."""
        stamped = event.evolve(at=time.time(), mono=time.monotonic())
        self._mailbox.put_nowait(stamped)

    async def ask(self, event: Asked) -> Reply:
        """Put the event of a session into the mailbox and return the machine's reply."""
        key = event.request if isinstance(event, SpendRequested) else event.call
        caller: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._callers[key] = caller
        self.post(event)
        try:
            return await caller
        finally:
            self._callers.pop(key, None)

    def wake(self) -> None:
        """Look for users' commands now instead of at the next poll."""
        self._wake.set()

    async def run(self, first: AnyEvent) -> Outcome:
        """Drive the loop from ``first`` to its end.

        Raises:
            LeaseLostError: another driver has taken the loop over.
            StoreError: the database failed; everything before is written.
        """
        self.post(first)
        watchers = (
            asyncio.create_task(self._watch_commands()),
            asyncio.create_task(self._beat()),
        )
        try:
            refused = await self._handle(await self._next())
            while not self.state.is_over:
                await self._handle(await self._next())
        finally:
            await self._leave(watchers)
        return Outcome(self.state, refused)

    async def _next(self) -> AnyEvent:
        event = await self._mailbox.get()
        if isinstance(event, Exception):
            raise event
        return event

    async def _handle(self, event: AnyEvent) -> str:
        """Decide one event; return why it was refused, if it was."""
        decision = decide(self.state, event)
        entries = await self._world.journal.commit(event, decision)
        self.state = decision.state
        for entry in entries:
            for observer in self._world.observers:
                observer.observe(entry, self.state)
        for reply in decision.replies:
            self._answer(reply)
        if isinstance(event, Answer):
            self._orders.pop(event.order, None)
        for effect in decision.effects:
            self._start(effect)
        return next((reply.refused for reply in decision.replies), "")

    def _answer(self, reply: Reply) -> None:
        caller = self._callers.get(reply.command_id)
        if caller is not None and not caller.done():
            caller.set_result(reply)

    def _start(self, effect: Effect) -> None:
        match effect:
            case StartTimer():
                self._timers.start(effect)
            case AbortTurn(order=order, outcome=outcome):
                self._performer.abort_turn(order, outcome)
            case Abandon(order=order):
                task = self._orders.get(order)
                if task is not None:
                    task.cancel()
            case _:
                task = asyncio.create_task(self._carry_out(effect, self.state))
                self._orders[effect.order] = task

    async def _carry_out(self, effect: Effect, state: LoopState) -> None:
        try:
            self.post(await self._performer.perform(effect, state))
        except (LeaseError, StoreError) as error:
            self._mailbox.put_nowait(error)
        except Exception as error:  # noqa: BLE001 - a plug-in may raise anything
            self.post(_failed(effect, error))

    async def _watch_commands(self) -> None:
        """Turn what users have left in the database into events."""
        seen: set[str] = set()
        while True:
            try:
                for command in await self._world.journal.pending_commands():
                    wish = WISHES.get(command.kind)
                    if wish is not None and command.id not in seen:
                        seen.add(command.id)
                        self.post(wish(by=command.by, command_id=command.id))
            except LoopctlError as error:
                self._mailbox.put_nowait(error)
                return
            self._wake.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._wake.wait(), POLL_S)

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_S)
            try:
                await self._world.journal.beat()
            except LoopctlError as error:
                self._mailbox.put_nowait(error)
                return

    async def _leave(self, watchers: tuple["asyncio.Task[None]", ...]) -> None:
        """End everything that is still under way."""
        self._timers.stop_all()
        for caller in self._callers.values():
            caller.cancel()
        tasks = (*watchers, *self._orders.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(LoopctlError):
            await self._performer.close_sessions()
            await self._world.processes.end_all()


def _failed(effect: Effect, error: Exception) -> EffectFailed:
    """The event that says why an order could not be carried out."""
    detail, next_step = f"{type(error).__name__}: {error}", ""
    if isinstance(error, LoopctlError):
        detail = f"{error}: {error.why}" if error.why else str(error)
        next_step = error.next_step
    return EffectFailed(
        order=effect.order, effect=type(effect).__name__, detail=detail, next_step=next_step
    )
