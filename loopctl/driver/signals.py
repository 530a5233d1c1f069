"""Signals become events: the first asks for an orderly end, the second forces it.

A forced end leaves the tree of processes to the guard, which ends it as soon as the driver is
gone; a restart finds everything else in the database.
"""

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterator

from loopctl.domain.events import CancelRequested
from loopctl.driver.loop_driver import LoopDriver

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
WAKE = signal.SIGUSR1
_BASE = 128


@contextlib.contextmanager
def signals_to(driver: LoopDriver) -> Iterator[None]:
    """While the context is open, signals end the loop, and ``SIGUSR1`` looks for commands."""
    loop = asyncio.get_running_loop()
    asked: list[int] = []

    def on_signal(number: signal.Signals) -> None:
        if asked:
            os._exit(_BASE + number)
        asked.append(number)
        driver.post(CancelRequested(by=number.name))

    for number in _ENDING:
        loop.add_signal_handler(number, on_signal, number)
    loop.add_signal_handler(WAKE, driver.wake)
    try:
        yield
    finally:
        for number in (*_ENDING, WAKE):
            loop.remove_signal_handler(number)
