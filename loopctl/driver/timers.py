"""Deadlines on the event loop's monotonic clock; one of each name at a time."""

import asyncio
from collections.abc import Callable

from loopctl.domain.effects import StartTimer
from loopctl.domain.events import TimerFired


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
        fired = TimerFired(order=effect.order, timer=effect.timer)
        loop = asyncio.get_running_loop()
        self._handles[effect.timer] = loop.call_later(effect.seconds, self._post, fired)

    def stop(self, name: str) -> None:
        """Drop the timer called ``name``, if there is one."""
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.cancel()

    def stop_all(self) -> None:
        """Drop every timer."""
        for name in tuple(self._handles):
            self.stop(name)
