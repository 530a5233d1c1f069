"""A6.8, A6.11, A6.18, A6.19: when the database fails, it is said, and nothing is lost."""

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness import SOLVE, World, finish, wait_for

COMMANDS = (("status",), ("list",), ("status", "demo", "--restart"), ("cancel", "demo"))


def refused_everywhere(world: World, *words: str) -> None:
    """Every command, also a new run, says what is wrong, and calls no agent."""
    calls = len(world.calls())
    for command in (*COMMANDS, tuple(world.loop_arguments([SOLVE]))):
        result = world.run_loopctl(*command)
        assert result.code in {1, 2}, (command, result)
        assert "Traceback" not in result.stderr
        for word in words:
            assert word in result.stderr, (command, result.stderr)
    assert len(world.calls()) == calls


@pytest.fixture
def finished(world: World) -> World:
    world.run_loop([{"append": ["notes", "more\n"]}], options=("--max-rounds", "1")).check(10)
    for leftover in ("loopctl.db-wal", "loopctl.db-shm"):
        (world.home / leftover).unlink(missing_ok=True)
    return world


@pytest.mark.parametrize("content", [b"", b"this is not a database" * 100], ids=["zero", "text"])
def test_a6_8_a_broken_database(finished: World, content: bytes) -> None:
    """It is named, and never replaced by a new one."""
    database = finished.home / "loopctl.db"
    database.write_bytes(content)
    refused_everywhere(finished, str(database))
    assert database.read_bytes() == content


def test_a6_8_a_truncated_database(finished: World) -> None:
    database = finished.home / "loopctl.db"
    half = database.read_bytes()[: database.stat().st_size // 2 // 4096 * 4096]
    database.write_bytes(half)
    result = finished.run_loop([SOLVE])
    assert result.code == 1, result
    assert "Traceback" not in result.stderr
    assert str(database) in result.stderr
    assert len(finished.calls()) == 1


def test_a6_8_a_missing_database(finished: World) -> None:
    """Its loops' folders are there: a fresh start in silence would lose them."""
    (finished.home / "loopctl.db").unlink()
    refused_everywhere(finished, "loopctl.db")


def test_a_newer_database(finished: World) -> None:
    with sqlite3.connect(finished.home / "loopctl.db") as database:
        database.execute("UPDATE alembic_version SET version_num = 'ffffffffffff'")
    database.close()
    refused_everywhere(finished, "newer")


def test_an_unusable_home(world: World) -> None:
    (world.folder / "file").write_text("not a folder")
    world.environment["LOOPCTL_HOME"] = str(world.folder / "file")
    refused_everywhere(world, "LOOPCTL_HOME")
    assert world.branches() == ["main"]


@contextmanager
def small_filesystem(folder: Path, size: str):
    """A filesystem of its own, which only root can make."""
    if sys.platform != "linux" or os.geteuid() != 0:
        pytest.skip("a small filesystem needs root on Linux")
    shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=0700", "tmpfs", folder]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting is not allowed here")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


def test_a6_11_a_full_disk(world: World) -> None:
    """The disk fills up during the first turn: the driver says so, and the worktree is kept."""
    with small_filesystem(world.home, "3m"):
        filler = f"cat /dev/zero > {world.home}/filler 2>/dev/null; true"
        turns = [{"write": ["half", "work\n"]}, {"run": filler}], [{"append": ["notes", "1\n"]}]
        result = world.run_loop(*turns)
        assert result.code == 1, result
        assert "Traceback" not in result.stderr
        assert "space" in result.stderr or "full" in result.stderr
        world.no_process_left()
        (world.home / "filler").unlink()
        (worktree,) = world.home.glob("projects/*/worktrees/demo")
        assert (worktree / "half").read_text() == "work\n"
        again = world.run_loopctl("status", "demo", "--restart", "--max-rounds", "1", "--json")
        again.check(10)
        assert world.show("loopctl/demo:half") == "work"


LOCK = """
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("BEGIN IMMEDIATE")
open(sys.argv[2], "w").close()
time.sleep(float(sys.argv[3]))
"""


def test_a6_18_a_lock_is_waited_for(world: World) -> None:
    """Somebody writes for two seconds while a round ends: it is retried, the round is there."""
    there, go = world.folder / "there", world.folder / "go"
    wait = f"touch {there}; while ! test -e {go}; do sleep 0.02; done"
    driver = world.start_loop([{"run": wait}, SOLVE])
    wait_for(there.exists, "the agent works")
    held = world.folder / "held"
    command = [sys.executable, "-c", LOCK, world.home / "loopctl.db", held, "2"]
    with subprocess.Popen(command):
        wait_for(held.exists, "the lock is held")
        go.touch()
        result = finish(driver).check(0)
    assert len(result.of("round_closed")) == 1
    assert world.state().last_round == 1


def test_a6_19_several_drivers_and_readers(world: World) -> None:
    """Four loops and a reader that never rests use one database without one error."""
    rounds = [[{"append": ["notes", f"{number}\n"]}] for number in range(4)]
    options = ("--max-rounds", "4")
    drivers = [world.start_loop(*rounds, options=options) for _ in range(4)]
    while any(driver.poll() is None for driver in drivers):
        world.run_loopctl("status").check(0)
    for driver in drivers:
        finish(driver).check(10)
    assert len(world.calls()) == 16
