"""Use case: end a loop from anywhere.

A live driver is asked by a row in ``commands``, and woken when it is on this host. When the
driver is gone, the loop is taken over just long enough to put its tree away. A driver that does
not answer is reported; nothing is pretended.
"""

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

from loopctl.bootstrap.continuing import choose, take_over
from loopctl.bootstrap.driving import ignore_wake_ups
from loopctl.bootstrap.place import open_store
from loopctl.domain.events import LoopRestarted
from loopctl.domain.stop import Status
from loopctl.driver.signals import WAKE
from loopctl.errors import LoopctlError
from loopctl.process.identity import signal_process
from loopctl.store.commands import answer_to, leave_command, withdraw
from loopctl.store.database import Database
from loopctl.store.lease import Owner, owner
from loopctl.store.loops import StoredLoop, find

ANSWER_S = 15.0
_PAUSE_S = 0.05


def cancel(name: str | None, folder: Path, environment: Mapping[str, str]) -> str:
    """End a loop; return a sentence that says what happened. Twice is harmless.

    Raises:
        UnknownNameError: there is no such loop.
        LoopctlError: its driver does not answer.
        StoreError: the database failed.
    """
    ignore_wake_ups()
    with open_store(environment) as store:
        loop = choose(store.database, folder, name, running=True)
        if loop.status is not Status.RUNNING:
            return f"{loop.name} has already ended ({loop.status}); nothing was changed"
        driver = owner(store.database, loop.id)
        if driver is not None and driver.alive:
            return _ask(store.database, loop, driver)
        event = LoopRestarted(intent="cancel")
        outcome = asyncio.run(take_over(store, loop, event, environment, ()))
        return outcome.refused or f"{loop.name} is {outcome.state.status}; its driver was gone"


def _ask(database: Database, loop: StoredLoop, driver: Owner) -> str:
    """Leave the wish for the live driver and wait until the loop has ended."""
    command_id = leave_command(database, loop.id, "cancel", "user")
    signal_process(driver.identity, WAKE)
    deadline = time.monotonic() + ANSWER_S
    while time.monotonic() < deadline:
        now = find(database, None, loop.id)
        if now.status is not Status.RUNNING:
            withdraw(database, command_id)
            return f"{loop.name} is {now.status}"
        time.sleep(_PAUSE_S)
    answered = answer_to(database, command_id) is not None
    withdraw(database, command_id)
    raise LoopctlError(
        f"the driver of {loop.name} (process {driver.identity.pid}) "
        + ("has not ended it yet" if answered else "does not answer"),
        why="it took the command and is still ending its work"
        if answered
        else "it may be stopped or very busy; the command was taken back",
        next_step=f"loopctl status {loop.name}",
    )
