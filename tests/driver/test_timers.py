"""Deadlines: on the clock that never jumps, and on the one that people read."""

import asyncio
import time

from loopctl.domain.effects import StartTimer
from loopctl.driver import timers
from loopctl.driver.timers import Timers


def fired(*starts, then=None):
    """The timers that have fired once the first of them has."""
    posted = []

    async def run():
        done = asyncio.Event()
        clock = Timers(lambda event: (posted.append(event), done.set()))
        for effect in starts:
            clock.start(effect)
        if then is not None:
            then(clock)
        await asyncio.wait_for(done.wait(), 10)
        clock.stop_all()

    asyncio.run(run())
    return [(event.timer, event.order) for event in posted]


def test_a_timer_fires_with_the_order_that_started_it():
    assert fired(StartTimer(order=3, timer="round", seconds=0.01)) == [("round", 3)]


def test_a_newer_timer_of_the_same_name_takes_its_place():
    first = StartTimer(order=1, timer="round", seconds=0.01)
    second = StartTimer(order=2, timer="round", seconds=0.02)
    assert fired(first, second) == [("round", 2)]


def test_a_time_of_day_comes_also_while_the_machine_sleeps(monkeypatch):
    monkeypatch.setattr(timers, "LOOK_S", 0.01)
    now = time.time()
    slept = iter([now, now, now + 3600.0])  # an hour passes that the other clock does not see
    monkeypatch.setattr(timers.time, "time", lambda: next(slept))
    wait = StartTimer(order=1, timer="limit-wait", seconds=3600.0, until=now + 3600.0)
    assert fired(wait) == [("limit-wait", 1)]


def test_a_clock_that_is_set_back_does_not_prolong_a_wait():
    wait = StartTimer(order=1, timer="limit-wait", seconds=0.02, until=time.time() + 9000.0)
    assert fired(wait) == [("limit-wait", 1)]


def test_a_stopped_timer_does_not_fire():
    first = StartTimer(order=1, timer="limit-wait", seconds=0.01, until=time.time() + 9.0)
    second = StartTimer(order=1, timer="round", seconds=0.05)
    assert fired(first, second, then=lambda clock: clock.stop("limit-wait")) == [("round", 1)]
