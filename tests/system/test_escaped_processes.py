"""Processes that got away from driver and guard, in real loops."""

import os
import signal
import sys

import psutil
import pytest
from harness import SOLVE, World, wait_for

from loopctl.process.control_group import ControlGroup

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")

AGENT = """
if [ -e {folder}/again ]; then echo 42 > answer.txt; exit 0; fi
touch {folder}/again
{how} sh -c 'echo $$ > {folder}/pid; while :; do sleep 0.05; echo 0 > answer.txt; done' &
sleep 600
"""


def can_group() -> bool:
    made = ControlGroup.make("probe-of-tests")
    if made is not None:
        made.remove()
    return made is not None


def kill_driver_and_guard(driver) -> None:
    """Both at the same moment: the guard is stopped first, so that it cannot do its work."""
    (guard,) = [
        child
        for child in psutil.Process(driver.pid).children()
        if any("guard.py" in word for word in child.cmdline())
    ]
    guard.send_signal(signal.SIGSTOP)
    os.kill(driver.pid, signal.SIGKILL)
    os.kill(guard.pid, signal.SIGKILL)
    driver.wait()


@pytest.mark.parametrize("how", ["setsid", "env -i setsid"])
def test_what_outlives_driver_and_guard_is_ended_by_the_restart(world: World, how: str) -> None:
    if how.startswith("env") and not can_group():
        pytest.skip("no control group can be made here")
    script = world.folder / "agent.sh"
    script.write_text(AGENT.format(folder=world.folder, how=how))
    driver = world.start_loop(options=("--agent", f"cmd:sh {script}"))
    wait_for((world.folder / "pid").exists, "the daemon runs")
    wait_for(lambda: (world.folder / "pid").read_text().strip(), "the daemon has said who it is")
    daemon = psutil.Process(int((world.folder / "pid").read_text()))
    kill_driver_and_guard(driver)
    assert daemon.is_running()
    result = world.run_loopctl("status", "demo", "--restart", "--json").check(0)
    survivors = [each for data in result.of("settled") for each in data["survivors"]]
    (found,) = [each for each in survivors if each["pid"] == daemon.pid]
    assert found["found"].startswith("left by a driver that died")
    assert not daemon.is_running() or daemon.status() == psutil.STATUS_ZOMBIE
    assert world.show("loopctl/demo:answer.txt") == "42"


def test_agents_and_evaluators_carry_the_mark_alike(world: World) -> None:
    check = f"echo $LOOPCTL_MARK >> {world.folder}/marks; ./check.sh"
    agent = world.folder / "agent.sh"
    agent.write_text(f"echo $LOOPCTL_MARK >> {world.folder}/marks; echo 42 > answer.txt\n")
    world.run_loop(SOLVE, options=("--agent", f"cmd:sh {agent}", "--stop", check)).check(0)
    marks = set((world.folder / "marks").read_text().split())
    assert len(marks) == 1
    assert marks != {""}
