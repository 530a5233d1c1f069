"""What starting, restarting and cancelling have in common: one driver, from its first event on."""

import signal

from loopctl.bootstrap.place import Place
from loopctl.domain.events import AnyEvent
from loopctl.domain.loop import LoopState
from loopctl.driver.loop_driver import LoopDriver, Outcome
from loopctl.driver.signals import WAKE, signals_to
from loopctl.ports import Observer
from loopctl.store.lease import Lease
from loopctl.tools.session_server import open_desk


def ignore_wake_ups() -> None:
    """Let a wake-up that comes before the driver listens pass: its command is found anyway."""
    signal.signal(WAKE, signal.SIG_IGN)


async def drive(
    place: Place,
    lease: Lease,
    state: LoopState,
    first: AnyEvent,
    observers: tuple[Observer, ...],
) -> Outcome:
    """Drive the loop of ``place`` from ``state`` on; ``first`` says why.

    Raises:
        LeaseLostError: another driver has taken the loop over.
        StoreError: the database failed; everything before is written.
    """
    folder = place.store.home.loop_folder(place.loop_id)
    async with open_desk(folder, place.environment) as desk, place.processes() as processes:
        with place.journal(lease) as journal:
            world = place.world(state.spec, journal, desk, observers, processes)
            driver = LoopDriver(world, state)
            try:
                with signals_to(driver):
                    return await driver.run(first)
            finally:
                if world.sandbox is not None:
                    world.sandbox.close()
                place.forget_products()
