"""What holds when the driver or the guard is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from process_bench import HERE, ORPHANS, eventually, is_running, soon

import loopctl
from loopctl.process import guard_client
from loopctl.process.exit_status import Exited, Lost
from loopctl.process.job import GuardDied

ROOT_ON_PATH = {**os.environ, "PYTHONPATH": str(Path(loopctl.__file__).parents[1])}


@pytest.mark.parametrize("kind", ORPHANS)
def test_no_orphan_outlives_a_killed_driver(bench, kind):
    command = [sys.executable, HERE / "killed_driver.py", *bench.leave_orphan(kind).argv]
    with subprocess.Popen(
        command, cwd=bench.folder, env=ROOT_ON_PATH, stdout=subprocess.PIPE, text=True
    ) as driver:
        guard_pid = int(driver.stdout.readline().split()[0])
        driver.send_signal(signal.SIGKILL)
    eventually(lambda: not is_running(guard_pid))
    assert not bench.still_beats()
    assert bench.command_lines() == []


@pytest.mark.parametrize("kind", ORPHANS)
def test_a_killed_guard_is_replaced_and_nothing_is_left(bench, kind):
    async def play(guard):
        first = guard.pid
        script = f'"$@" && kill -9 {first} && sleep 1000'
        result = await bench.run_in(
            guard, bench.spec("sh", "-c", script, "sh", *bench.leave_orphan(kind).argv)
        )
        assert result.exit == Lost()
        assert result.survivors
        assert not bench.still_beats()
        assert guard.alive
        assert guard.pid != first
        assert (await bench.run_in(guard, bench.spec("true"))).exit == Exited(0)

    bench.with_guard(play)


def test_whoever_waits_for_a_dead_guard_is_told(bench, null):
    async def play(guard):
        spawned = await guard.spawn(bench.spec("sleep", "1000"), stdout=null, stderr=null)
        os.kill(guard.pid, signal.SIGKILL)
        with pytest.raises(GuardDied):
            await spawned.wait()
        assert not guard.alive
        for order in (guard.interrupt, guard.end):
            with pytest.raises(GuardDied):
                await order()
        left = await guard.rescue()
        assert [survivor.command for survivor in left] == ["sleep 1000"]

    bench.with_guard(play)


def test_a_guard_that_died_between_two_jobs_is_replaced(bench):
    async def play(guard):
        os.kill(guard.pid, signal.SIGKILL)
        await soon(lambda: not guard.alive)
        assert (await bench.run_in(guard, bench.spec("true"))).exit == Exited(0)

    bench.with_guard(play)


def test_the_rescue_spares_the_drivers_own_children(bench):
    helper = subprocess.Popen(["sleep", "1000"])
    kept = subprocess.Popen(["sleep", "1000"], start_new_session=True)

    async def play(guard):
        os.kill(guard.pid, signal.SIGKILL)
        await soon(lambda: not guard.alive)
        assert await guard.rescue(keep={kept.pid}) == ()

    try:
        bench.with_guard(play)
        assert [process.poll() for process in (helper, kept)] == [None, None]
    finally:
        for process in (helper, kept):
            process.kill()
            process.wait()


def test_a_frozen_guard_counts_as_dead(bench, monkeypatch):
    monkeypatch.setattr(guard_client, "ANSWER_S", 0.5)

    async def play(guard):
        script = f"kill -STOP {guard.pid}; sleep 1000"
        spec = bench.spec("sh", "-c", script)
        result = await bench.run_in(guard, spec, deadline_s=0.5, interrupt_grace_s=0.1)
        assert result.exit == Lost()
        assert guard.alive

    bench.with_guard(play)
