"""A6.12, A7.5, A6.6: many at once, and who owns a loop."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from harness import SOLVE, World, finish, kill, wait_for


def waiting_loop(world: World):
    """A loop whose driver was killed while its agent waited for the file ``go``."""
    there = world.folder / "there"
    wait = f"touch {there}; while ! test -e {world.folder}/go; do sleep 0.05; done"
    driver = world.start_loop([{"append": ["notes", "more\n"]}, {"run": wait}], [SOLVE])
    wait_for(there.exists, "the agent works")
    kill(driver)
    world.no_process_left()
    return driver


def test_a6_12_of_two_restarts_one_wins(world: World) -> None:
    waiting_loop(world)
    restarts = [world.start_loopctl("status", "demo", "--restart", "--json") for _ in range(2)]
    wait_for(lambda: any(one.poll() is not None for one in restarts), "one is refused")
    (world.folder / "go").touch()
    results = [finish(one) for one in restarts]
    assert sorted(result.code for result in results) == [0, 2], results
    assert [call["round"] for call in world.calls()] == [1, 2]


def test_a6_6_a_reused_pid_is_not_the_driver(world: World) -> None:
    """The row names a living process of somebody else: the driver is dead, and that one safe."""
    driver = waiting_loop(world)
    stranger = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        change = (
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); "
            f"db.execute('UPDATE driver_leases SET pid = {stranger.pid}'); db.commit()"
        )
        subprocess.run([sys.executable, "-c", change, world.home / "loopctl.db"], check=True)
        assert driver.pid != stranger.pid
        (world.folder / "go").touch()
        world.run_loopctl("status", "demo", "--restart", "--json").check(0)
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_a6_12_a7_5_ten_runs_at_once(world: World) -> None:
    """One repository, one new home: every loop has a name, a worktree and a branch of its own."""
    shutil.rmtree(world.home)
    agent = world.agent([SOLVE])
    arguments = ("run", "set the answer", "--stop", "./check.sh", "--json", "--agent", agent)
    drivers = [world.start_loopctl(*arguments) for _ in range(10)]
    results = [finish(driver, 100).check(0) for driver in drivers]
    assert len({result.events[0]["loop"] for result in results}) == 10
    assert len({result.ended["worktree"] for result in results}) == 10
    assert len({result.ended["branch"] for result in results}) == 10
    assert len(world.branches()) == 11
    assert all(Path(result.ended["worktree"]).is_dir() for result in results)
    listed = json.loads(world.run_loopctl("list", "--json").check(0).stdout.splitlines()[0])
    assert listed
    assert len(world.calls()) == 10


def test_a_name_is_taken_once(world: World) -> None:
    """The second loop of a name gets a number, and a user's branch is never taken."""
    world.git("branch", "loopctl/demo-2")
    before = world.git("rev-parse", "loopctl/demo-2")
    world.run_loop([SOLVE]).check(0)
    second = world.run_loop([SOLVE]).check(0)
    assert second.ended["branch"] == "loopctl/demo-3"
    assert world.git("rev-parse", "loopctl/demo-2") == before


def test_a_given_branch_must_be_free(world: World) -> None:
    refused = world.run_loop([SOLVE], options=("--branch", "main")).check(2)
    assert "main" in refused.stderr
    assert world.calls() == []
