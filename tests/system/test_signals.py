"""A4.9, A6.11: signals, a closed output, and a driver that is killed."""

import json
import signal
import subprocess

import psutil
import pytest
from harness import SOLVE, World, finish, is_alive, kill, wait_for

STUBBORN = "trap '' INT TERM HUP; (trap '' INT; sleep 600) & sleep 600"


def start_working(world: World, command: str = STUBBORN, *, cold: bool = False):
    """A driver whose agent has edited something and is at work."""
    there = world.folder / "there"
    turn = [{"write": ["half", "work\n"]}, {"run": f"touch {there}; {command}"}]
    driver = world.start_loop(turn, cold=cold)
    wait_for(there.exists, "the agent works")
    return driver


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a4_9_a_signal_ends_everything(world: World, number: signal.Signals, code: int) -> None:
    driver = start_working(world)
    driver.send_signal(number)
    result = finish(driver).check(code)
    assert result.stop == {"kind": "cancelled", "by": number.name}
    assert world.state().status == "cancelled"
    assert world.show("loopctl/demo:half") == "work"
    world.no_process_left()


def test_a4_9_a_second_signal_forces(world: World) -> None:
    """The tree is ended by the guard; a restart still finds the work."""
    driver = start_working(world, cold=True)
    driver.send_signal(signal.SIGINT)
    wait_for(lambda: '"cancel_requested"' in (driver.stdout.readline()), "the first is decided")
    driver.send_signal(signal.SIGINT)
    assert driver.wait(30) == 130
    world.no_process_left()


def test_a_signal_in_the_baseline(world: World) -> None:
    there = world.folder / "there"
    driver = world.start_loop([SOLVE], options=("--stop", f"touch {there}; sleep 600"))
    wait_for(there.exists, "the baseline runs")
    driver.send_signal(signal.SIGTERM)
    finish(driver).check(143)
    world.no_process_left()


def test_a6_11_a_closed_output_does_not_stop_the_work(world: World) -> None:
    """``loopctl run --json | head -1``: the first line is whole, the loop goes on to its end."""
    driver = world.start_loop([{"write": ["step", "1\n"]}], [SOLVE], cold=True)
    head = subprocess.run(["head", "-1"], stdin=driver.stdout, capture_output=True, check=True)
    driver.stdout.close()
    stderr = driver.stderr.read()
    assert json.loads(head.stdout)["event"] == "loop_started"
    assert driver.wait(30) == 0, stderr
    assert "Traceback" not in stderr
    assert "BrokenPipe" not in stderr
    assert world.state().status == "completed"


def test_a6_11_closed_stdout_and_stderr(world: World) -> None:
    """Nobody reads any more, as after a lost terminal: rows are written, the loop ends."""
    driver = world.start_loop([{"write": ["step", "1\n"]}], [SOLVE], cold=True)
    driver.stdout.close()
    driver.stderr.close()
    assert driver.wait(30) == 0
    assert world.state().status == "completed"


def test_kill_9_leaves_no_agent(world: World) -> None:
    """Also not one that ignores signals, left its session, or cleared its environment."""
    daemon = f"env -i sh -c 'trap \"\" INT TERM; echo $$ > {world.folder}/daemon; sleep 600'"
    there = world.folder / "there"
    turn = [{"daemon": daemon}, {"run": f"touch {there}; {STUBBORN}"}]
    driver = world.start_loop(turn)
    wait_for(lambda: there.exists() and (world.folder / "daemon").exists(), "the agent works")
    helpers = psutil.Process(driver.pid).children()
    daemon_pid = int((world.folder / "daemon").read_text())
    kill(driver)
    world.no_process_left()
    wait_for(lambda: not psutil.pid_exists(daemon_pid), "the daemon is gone", 10)
    wait_for(lambda: not any(map(is_alive, helpers)), "the guard is gone", 10)
    assert "driver gone" in world.run_loopctl("status", "demo").check(0).stdout
