"""A6: an explicit restart goes on where the loop was, and is refused when it cannot."""

import os
import shutil
import signal
from pathlib import Path

from harness import SOLVE, Result, World, finish, kill, wait_for

USELESS = [{"append": ["notes", "more\n"]}]


def restart(world: World, *options: str) -> Result:
    return world.run_loopctl("status", "demo", "--restart", "--json", *options)


def start_working(world: World, *before: list[dict]):
    """A driver that has played ``before`` and now waits for the file ``go`` in its turn."""
    there = world.folder / "there"
    wait = f"touch {there}; while ! test -e {world.folder}/go; do sleep 0.05; done"
    driver = world.start_loop(*before, [{"write": ["half", "work\n"]}, {"run": wait}, SOLVE])
    wait_for(there.exists, "the agent works")
    return driver


def test_a6_1_after_kill_9_no_round_is_lost_or_repeated(world: World) -> None:
    """Killed in round 3: the three rounds are there, and the tree of the third is judged first."""
    driver = start_working(world, USELESS, USELESS)
    kill(driver)
    world.no_process_left()
    gone = world.run_loopctl("status", "demo").check(0)
    assert "driver gone" in gone.stdout
    (world.folder / "go").touch()
    result = restart(world).check(0)
    assert [call["round"] for call in world.calls()] == [1, 2, 3, 4]
    interrupted = result.of("turn_interrupted")
    assert len(interrupted) == 1
    assert world.show("loopctl/demo:half") == "work"
    assert world.show("loopctl/demo:notes") == "more\nmore"
    shown = world.run_loopctl("show", "demo").check(0)
    assert shown.stdout.count("interrupted") == 1


def test_a6_2_after_a_cancellation(world: World) -> None:
    """All rows are kept; the round cap counts since the restart."""
    driver = start_working(world, USELESS)
    world.run_loopctl("cancel", "demo").check(0)
    finish(driver).check(130)
    (world.folder / "go").touch()
    restart(world, "--max-rounds", "1").check(0)
    assert [call["round"] for call in world.calls()] == [1, 2, 3]


def test_a6_2_an_exhausted_cap_is_named(world: World) -> None:
    options = ("--max-usd", "1", "--assume-usd-per-round", "0.6")
    world.run_loop(USELESS, options=options).check(10)
    refused = restart(world).check(2)
    assert "--max-usd" in refused.stderr
    assert len(world.calls()) == 2
    assert world.state().status == "stopped"
    raised = restart(world, "--max-usd", "1.5").check(10)
    assert raised.of("cap_changed")[0]["cap"] == "max_micro_usd"
    assert len(world.calls()) == 3


def test_rounds_count_since_the_restart(world: World) -> None:
    world.run_loop(USELESS, options=("--max-rounds", "2")).check(10)
    restart(world).check(10)
    assert [call["round"] for call in world.calls()] == [1, 2, 3, 4]


def test_a6_3_refused_while_a_driver_lives(world: World) -> None:
    driver = start_working(world)
    refused = restart(world).check(2)
    assert str(driver.pid) in refused.stderr
    (world.folder / "go").touch()
    finish(driver).check(0)
    assert len(world.calls()) == 1


def test_a6_3_a_completed_loop_is_refused(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    refused = restart(world).check(2)
    assert "completed" in refused.stderr
    assert len(world.calls()) == 1


def test_a6_7_a_stopped_driver_keeps_its_loop(world: World) -> None:
    """SIGSTOP: it does not answer, but it lives; nobody takes its loop away."""
    driver = start_working(world)
    os.kill(driver.pid, signal.SIGSTOP)
    refused = restart(world).check(2)
    assert str(driver.pid) in refused.stderr
    os.kill(driver.pid, signal.SIGCONT)
    (world.folder / "go").touch()
    finish(driver).check(0)


def test_starting_a_command_changes_no_loop(world: World) -> None:
    """Recovery is explicit: looking at a loop whose driver is gone leaves it as it is."""
    kill(start_working(world))
    world.no_process_left()
    before = world.state()
    for command in (("status",), ("list",), ("show", "demo"), ("logs", "demo")):
        world.run_loopctl(*command).check(0)
    assert world.state() == before
    assert len(world.calls()) == 1


def worktree(world: World) -> Path:
    return Path(world.state().workspace)


def test_a6_14_the_worktree_is_removed_by_hand(world: World) -> None:
    """It is rebuilt from the newest snapshot, with what the branch does not hold yet."""
    driver = start_working(world, [{"write": ["first", "1\n"]}])
    kill(driver)
    world.no_process_left()
    shutil.rmtree(worktree(world))
    (world.folder / "go").touch()
    result = restart(world).check(0)
    assert result.of("workspace_ready")[0]["origin"] == "rebuilt-from-snapshot"
    assert world.show("loopctl/demo:first") == "1"


def test_a6_15_worktree_and_snapshots_gone(world: World) -> None:
    """What is left is the branch: it is rebuilt from its tip."""
    world.run_loop([{"write": ["first", "1\n"]}], options=("--max-rounds", "1")).check(10)
    shutil.rmtree(worktree(world))
    remove_snapshots(world)
    result = restart(world, "--max-rounds", "1")
    assert result.of("workspace_ready")[0]["origin"] == "rebuilt-from-branch"
    assert world.show("loopctl/demo:first") == "1"


def test_a6_15_everything_gone(world: World) -> None:
    """Unrecoverable is said, and nothing is created."""
    world.run_loop([{"write": ["first", "1\n"]}], options=("--max-rounds", "1")).check(10)
    lost = worktree(world)
    world.git("worktree", "remove", "--force", str(lost))
    world.git("branch", "-D", "loopctl/demo")
    remove_snapshots(world)
    result = restart(world).check(14)
    assert result.stop["reason"] == "workspace_lost"
    assert not lost.exists()
    assert world.branches() == ["main"]
    assert len(world.calls()) == 1


def remove_snapshots(world: World) -> None:
    """Remove loopctl's own repository of the project."""
    for config in world.home.glob("projects/*/*.git"):
        shutil.rmtree(config)
