"""A wait for a provider is seen from another terminal, and can be ended there."""

import json
import threading
import time

import pytest
from spending_world import spending_loop

from loopctl.domain.events import TimerFired
from loopctl.store import commands


@pytest.fixture
def waiting(nowhere):
    with spending_loop() as loop:
        loop.wait(720)
        yield loop


def test_the_wait_is_shown(waiting, typed):
    text = typed("status", "fix-it")
    (row,) = [line for line in text.splitlines() if line.startswith("limit")]
    assert row.startswith("limit     waiting until ")
    assert "(in 1" in row
    assert row.endswith("): the quota is used up; now: loopctl retry-now fix-it")
    shown = json.loads(typed("status", "fix-it", "--json").splitlines()[2])
    assert shown["waiting"]["problem"] == "the quota is used up"
    assert shown["models"] == ["anthropic:a", "anthropic:b"]


@pytest.mark.parametrize("name", [["fix-it"], []])
def test_the_driver_is_asked_and_its_answer_is_told(waiting, typed, name):
    driver = threading.Thread(target=waiting.obey)
    driver.start()
    began = time.monotonic()
    text = typed("retry-now", *name)
    took = time.monotonic() - began
    driver.join()
    assert text.startswith("exit 0\n--- stdout\nfix-it does not wait any longer")
    assert took < 2
    assert waiting.state.waiting is None


def test_a_loop_that_does_not_wait_is_told_so(nowhere, typed):
    with spending_loop():
        text = typed("retry-now", "fix-it")
    assert text.startswith("exit 2\n")
    assert "the loop fix-it does not wait for a provider" in text


def test_a_wait_that_ended_meanwhile(waiting, typed):
    """The state is read, then the wait ends, then the wish arrives: the driver refuses it."""

    def too_late():
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if commands.pending(waiting.database, waiting.loop_id):
                waiting.step(TimerFired(order=waiting.state.order, timer="limit-wait"))
                waiting.obey()
                return
            time.sleep(0.01)

    driver = threading.Thread(target=too_late)
    driver.start()
    text = typed("retry-now", "fix-it")
    driver.join()
    assert text.startswith("exit 2\n")
    assert "does not wait for a provider" in text


def test_a_loop_without_a_driver(nowhere, typed):
    with spending_loop() as loop:
        loop.wait(720)
    text = typed("retry-now", "fix-it")
    assert text.startswith("exit 2\n")
    assert "its driver is gone" in text
    assert "next: loopctl status fix-it --restart" in text
    assert "waiting   " not in typed("status", "fix-it")


def test_a_driver_that_does_not_answer_is_reported(waiting, typed, monkeypatch):
    monkeypatch.setattr("loopctl.bootstrap.retrying.ANSWER_S", 0.05)
    text = typed("retry-now", "fix-it")
    assert text.startswith("exit 1\n")
    assert "does not answer" in text
    assert commands.pending(waiting.database, waiting.loop_id) == ()
