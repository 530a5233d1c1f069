"""The right to drive a loop: one holder, never stolen from the living, never lost to the dead."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from sqlalchemy import text
from store_world import Run, new_loop

from loopctl.errors import LeaseError, LeaseLostError, UnknownNameError
from loopctl.process.identity import ProcessIdentity
from loopctl.store import lease
from loopctl.store.file_lock import FileLock

DRIVER = """
import sys, time
sys.path[:0] = sys.argv[1].split(":")
from loopctl.errors import LeaseError
from loopctl.process.identity import ProcessIdentity
from loopctl.store import lease
from loopctl.store.database import Database
from loopctl.store.home import state_home
home = state_home({"LOOPCTL_HOME": sys.argv[2]})
database = Database.open(home)
try:
    held = lease.acquire(database, sys.argv[3], ProcessIdentity.of_current(), home.locks)
except LeaseError as error:
    print("refused", error, flush=True)
else:
    print("epoch", held.epoch, flush=True)
    time.sleep(100)
"""


@pytest.fixture
def me():
    return ProcessIdentity.of_current()


@pytest.fixture
def drive(home):
    """Start a process that takes the lease; returns it with its first line."""
    started = []

    def start(loop_id):
        command = [sys.executable, "-c", DRIVER, ":".join(sys.path), str(home.path), loop_id]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def put_row(database, loop_id, identity, heartbeat_at=0.0):
    with database.write() as connection:
        connection.execute(text("DELETE FROM driver_leases"))
        connection.execute(
            text("INSERT INTO driver_leases VALUES (:l, 1, :h, :b, :p, :s, 0, :beat)"),
            {
                "l": loop_id,
                "h": identity.host,
                "b": identity.boot_id,
                "p": identity.pid,
                "s": identity.start_time,
                "beat": heartbeat_at,
            },
        )


def test_every_holder_has_an_epoch_of_its_own(database, home, me):
    loop_id = new_loop(database, home)
    assert lease.owner(database, loop_id) is None
    for epoch in (1, 2, 3):
        held = lease.acquire(database, loop_id, me, home.locks)
        assert held.epoch == epoch
        assert lease.owner(database, loop_id).identity == me
        assert lease.owner(database, loop_id).alive
        assert set(lease.owners(database)) == {loop_id}
        held.release()
    assert lease.owners(database) == {}


def test_a_second_holder_is_refused_with_the_pid_of_the_first(database, home, me):
    loop_id = new_loop(database, home)
    held = lease.acquire(database, loop_id, me, home.locks)
    with pytest.raises(LeaseError, match=str(me.pid)):
        lease.acquire(database, loop_id, me, home.locks)
    held.release()


def test_of_many_that_come_at_once_one_wins(database, home, drive):
    loop_id = new_loop(database, home)
    lines = [process.stdout.readline() for process in [drive(loop_id) for _ in range(4)]]
    assert sum(line.startswith("epoch") for line in lines) == 1
    assert sum(line.startswith("refused") for line in lines) == 3


def test_a_killed_driver_is_followed_at_once(database, home, me, drive):
    loop_id = new_loop(database, home)
    driver = drive(loop_id)
    assert driver.stdout.readline() == "epoch 1\n"
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    gone = lease.owner(database, loop_id)
    assert (gone.identity.pid, gone.alive) == (driver.pid, False)
    held = lease.acquire(database, loop_id, me, home.locks)
    assert held.epoch == 2
    held.release()


def test_a_stopped_driver_keeps_its_lease_however_old_its_last_sign_of_life(
    database, home, me, drive
):
    loop_id = new_loop(database, home)
    driver = drive(loop_id)
    assert driver.stdout.readline() == "epoch 1\n"
    os.kill(driver.pid, signal.SIGSTOP)
    with database.write() as connection:
        connection.execute(text("UPDATE driver_leases SET heartbeat_at = 1"))
    with pytest.raises(LeaseError, match=f"process {driver.pid}"):
        lease.acquire(database, loop_id, me, home.locks)
    os.kill(driver.pid, signal.SIGCONT)


def test_a_living_driver_keeps_its_lease_even_without_the_lock_file(database, home, me, drive):
    loop_id = new_loop(database, home)
    driver = drive(loop_id)
    assert driver.stdout.readline() == "epoch 1\n"
    (home.locks / f"{loop_id}.lock").unlink()
    with pytest.raises(LeaseError, match=f"process {driver.pid}"):
        lease.acquire(database, loop_id, me, home.locks)


def test_a_pid_that_was_used_again_and_another_boot_are_dead(database, home, me):
    loop_id = new_loop(database, home)
    other = replace(me, pid=os.getppid())
    for dead in (replace(other, start_time=1), replace(other, boot_id="before")):
        put_row(database, loop_id, dead)
        assert not lease.owner(database, loop_id).alive
        held = lease.acquire(database, loop_id, me, home.locks)
        held.release()


def test_death_between_lock_and_row_blocks_nobody(database, home, me):
    loop_id = new_loop(database, home)
    path = home.locks / f"{loop_id}.lock"
    script = (
        "import fcntl, os, sys; fcntl.flock(os.open(sys.argv[1], 66), 2); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert path.exists()
    held = lease.acquire(database, loop_id, me, home.locks)
    assert held.epoch == 1
    held.release()


def test_a_lock_without_a_row_is_respected(database, home, me):
    loop_id = new_loop(database, home)
    lock = FileLock.try_acquire(home.locks / f"{loop_id}.lock")
    with pytest.raises(LeaseError, match="just taking over"):
        lease.acquire(database, loop_id, me, home.locks)
    lock.release()


def test_programs_do_not_inherit_the_lock(database, home, me):
    loop_id = new_loop(database, home)
    held = lease.acquire(database, loop_id, me, home.locks)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    held.release()
    again = lease.acquire(database, loop_id, me, home.locks)
    again.release()
    child.communicate(b"\n")


def test_time_between_the_last_event_and_the_last_sign_of_life_is_reported(database, home, me):
    loop_id = new_loop(database, home)
    run = Run(database, home, loop_id)
    run.start()
    run.close()
    last = run.state.clock.at
    dead = replace(me, start_time=1)
    for heartbeat_at, expected in ((last + 7.5, 7.5), (last - 3, 0.0)):
        put_row(database, loop_id, dead, heartbeat_at)
        held = lease.acquire(database, loop_id, me, home.locks)
        assert held.unaccounted_s == pytest.approx(expected)
        held.release()


def test_a_beat_is_seen_and_fenced(run):
    with run.database.write() as connection:
        connection.execute(text("UPDATE driver_leases SET heartbeat_at = 1"))
    asyncio.run(run.journal.beat())
    assert time.time() - lease.owner(run.database, run.loop_id).heartbeat_at < 60
    with run.database.write() as connection:
        connection.execute(text("DELETE FROM driver_leases"))
    with pytest.raises(LeaseLostError):
        asyncio.run(run.journal.beat())


def test_a_foreign_driver_is_alive_while_it_gives_signs_of_life(database, home, me):
    loop_id = new_loop(database, home)
    foreign = replace(me, host="elsewhere")
    put_row(database, loop_id, foreign, time.time())
    assert lease.owner(database, loop_id).alive
    put_row(database, loop_id, foreign, time.time() - lease.FOREIGN_SILENCE_S - 1)
    assert not lease.owner(database, loop_id).alive


def test_a_loop_that_is_not_there_has_no_lease(database, home, me):
    with pytest.raises(UnknownNameError):
        lease.acquire(database, "nobody", me, home.locks)
