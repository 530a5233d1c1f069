"""Deadlines on the event loop's monotonic clock; one of each name at a time.

That clock stands still while the machine sleeps. A deadline that is a time of day too is looked
for on the other clock every few seconds.
"""

import asyncio
import time
from collections.abc import Callable

from loopctl.domain.effects import StartTimer
from loopctl.domain.events import TimerFired

LOOK_S = 5.0


class Timers:
    """Turns ``StartTimer`` into ``TimerFired``.

    Args:
        post: receives the event when the time is up.
    """

    def __init__(self, post: Callable[[TimerFired], None]) -> None:
        self._post = post
        self._handles: dict[str, asyncio.TimerHandle] = {}

    def start(self, effect: StartTimer) -> None:
        """Start a timer; an older one of the same name is dropped."""
        self.stop(effect.timer)
        self._look(effect, asyncio.get_running_loop().time() + effect.seconds)

    def _look(self, effect: StartTimer, deadline: float) -> None:
        """Report it when it is time, else look again."""
        loop = asyncio.get_running_loop()
        left = deadline - loop.time()
        if left <= 0 or (effect.until is not None and effect.until <= time.time()):
            self._handles.pop(effect.timer, None)
            self._post(TimerFired(order=effect.order, timer=effect.timer))
            return
        pause = left if effect.until is None else min(left, LOOK_S)
        self._handles[effect.timer] = loop.call_later(pause, self._look, effect, deadline)

    def stop(self, name: str) -> None:
        """Drop the timer called ``name``, if there is one."""
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.cancel()

    def stop_all(self) -> None:
        """Drop every timer."""
        for name in tuple(self._handles):
            self.stop(name)
