"""Use case: end a loop's wait for a provider from anywhere.

The live driver is asked by a row in ``commands`` and woken when it is on this host. Whether the
wait is over is the driver's answer; nothing is pretended.
"""

import shlex
import time
from collections.abc import Mapping
from pathlib import Path

from loopctl.bootstrap.continuing import choose
from loopctl.bootstrap.driving import ignore_wake_ups
from loopctl.bootstrap.place import open_store
from loopctl.domain.stop import Status
from loopctl.driver.signals import WAKE
from loopctl.errors import LoopctlError, UsageError
from loopctl.process.identity import signal_process
from loopctl.store.commands import answer_to, leave_command, withdraw
from loopctl.store.database import Database
from loopctl.store.lease import Owner, owner
from loopctl.store.loop_documents import load_state
from loopctl.store.loops import StoredLoop

COMMAND = "retry-now"
ANSWER_S = 10.0
_PAUSE_S = 0.02


def retry_now(name: str | None, folder: Path, environment: Mapping[str, str]) -> str:
    """End the wait of a loop; return a sentence that says what happened.

    Raises:
        UnknownNameError: there is no such loop.
        UsageError: it does not run, or does not wait.
        LoopctlError: its driver does not answer.
        StoreError: the database failed.
    """
    ignore_wake_ups()
    with open_store(environment) as store:
        loop = choose(store.database, folder, name, running=True)
        driver = owner(store.database, loop.id)
        if loop.status is not Status.RUNNING or driver is None or not driver.alive:
            raise _not_running(loop)
        if load_state(store.database, loop.id).waiting is None:
            raise _not_waiting(loop)
        return _ask(store.database, loop, driver)


def _ask(database: Database, loop: StoredLoop, driver: Owner) -> str:
    command_id = leave_command(database, loop.id, COMMAND, "user")
    signal_process(driver.identity, WAKE)
    deadline = time.monotonic() + ANSWER_S
    answer = answer_to(database, command_id)
    while answer is None and time.monotonic() < deadline:
        time.sleep(_PAUSE_S)
        answer = answer_to(database, command_id)
    if answer is None and withdraw(database, command_id):
        raise LoopctlError(
            f"the driver of {loop.name} (process {driver.identity.pid}) does not answer",
            why="it may be stopped or very busy; the command was taken back",
            next_step=f"loopctl status {shlex.quote(loop.name)}",
        )
    answer = answer or answer_to(database, command_id)
    if answer is not None and answer.refused:
        raise _not_waiting(loop, answer.refused)
    return f"{loop.name} does not wait any longer; it asks its provider again"


def _not_running(loop: StoredLoop) -> UsageError:
    running = loop.status is Status.RUNNING
    return UsageError(
        f"the loop {loop.name} does not run",
        why="its driver is gone" if running else f"it is {loop.status}",
        next_step=f"loopctl status {shlex.quote(loop.name)}"
        + ("" if loop.status is Status.COMPLETED else " --restart"),
    )


def _not_waiting(loop: StoredLoop, why: str = "") -> UsageError:
    return UsageError(
        f"the loop {loop.name} does not wait for a provider",
        why=why,
        next_step=f"loopctl status {shlex.quote(loop.name)}",
    )
