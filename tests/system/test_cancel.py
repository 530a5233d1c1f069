"""A6.17, A6.10: a loop can be ended from another terminal in each of its steps.

How long that takes is printed; the design says five seconds, the tests only that it happens.
"""

import time

import pytest
from harness import SOLVE, Result, World, finish, wait_for

from loopctl.store.commands import leave_command, pending
from loopctl.store.database import Database
from loopctl.store.home import StateHome
from loopctl.store.loops import find

STUBBORN = "trap '' INT TERM HUP; (trap '' INT; sleep 600) & sleep 600"


def cancel(world: World, name: str = "demo") -> Result:
    began = time.monotonic()
    result = world.run_loopctl("cancel", name)
    print(f"cancel took {time.monotonic() - began:.2f} s")
    return result


def marker(world: World, name: str) -> str:
    """A shell command that says that this step was reached."""
    return f"touch {world.folder}/{name}"


def cancelled(world: World, driver) -> Result:
    """Cancel the loop and see that everything of it has ended."""
    cancel(world).check(0)
    result = finish(driver).check(130)
    assert result.stop == {"kind": "cancelled", "by": "user"}
    world.no_process_left()
    assert world.state().status == "cancelled"
    return result


def test_in_the_baseline(world: World) -> None:
    stop = ("--stop", f"{marker(world, 'there')}; {STUBBORN}")
    driver = world.start_loop([SOLVE], options=stop)
    wait_for((world.folder / "there").exists, "the baseline runs")
    cancelled(world, driver)
    assert world.calls() == []
    assert world.branches() == ["main"], "nothing was done, so nothing is left"


def test_in_a_turn_whose_tree_ignores_interrupts(world: World) -> None:
    turn = [{"write": ["half", "work\n"]}, {"run": f"{marker(world, 'there')}; {STUBBORN}"}]
    driver = world.start_loop(turn)
    wait_for((world.folder / "there").exists, "the agent works")
    cancelled(world, driver)
    assert world.show("loopctl/demo:half") == "work"
    assert len(world.calls()) == 1


def test_in_an_evaluation(world: World) -> None:
    stop = ("--stop", f"{marker(world, 'there')}; {STUBBORN}", "--baseline", "skip")
    driver = world.start_loop([SOLVE], options=stop)
    wait_for((world.folder / "there").exists, "the evaluator runs")
    cancelled(world, driver)
    assert world.show("loopctl/demo:answer.txt") == "42"


def test_twice_and_after_the_end(world: World) -> None:
    """A second cancellation is harmless, and a cancelled loop stays cancelled."""
    turn = [{"run": f"{marker(world, 'there')}; {STUBBORN}"}]
    driver = world.start_loop(turn)
    wait_for((world.folder / "there").exists, "the agent works")
    first, second = (world.start_loopctl("cancel", "demo") for _ in range(2))
    codes = {finish(first).code, finish(second).code}
    assert codes <= {0, 2}
    assert 0 in codes
    finish(driver).check(130)
    before = world.state()
    again = cancel(world)
    assert "cancelled" in again.stdout + again.stderr
    assert world.state() == before


def test_a_completed_loop_stays_completed(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    late = cancel(world)
    assert "completed" in late.stdout + late.stderr
    assert world.state().status == "completed"


def test_a_loop_whose_driver_is_gone(world: World) -> None:
    """Nobody is there to obey: the cancellation itself puts the tree away and ends the loop."""
    turn = [{"write": ["half", "work\n"]}, {"run": f"{marker(world, 'there')}; sleep 600"}]
    driver = world.start_loop(turn)
    wait_for((world.folder / "there").exists, "the agent works")
    driver.kill()
    driver.communicate()
    world.no_process_left()
    cancel(world).check(0)
    assert world.state().status == "cancelled"
    assert world.show("loopctl/demo:half") == "work"
    assert len(world.calls()) == 1


@pytest.mark.parametrize("name", ["nobody", ""])
def test_no_such_loop(world: World, name: str) -> None:
    result = world.run_loopctl("cancel", *([name] if name else []))
    result.check(2)
    assert result.stderr.strip()


def test_an_agent_cannot_cancel_its_own_loop(world: World) -> None:
    """Commands that change loops refuse inside an agent session."""
    command = " ".join(world.command("cancel", "demo"))
    codes = world.folder / "codes"
    turn = [{"run": f"{command}; echo $? >> {codes}"}, SOLVE]
    world.run_loop(turn).check(0)
    assert codes.read_text() == "2\n"


def test_beside_a_command_that_this_version_does_not_know(world: World) -> None:
    """A row of a newer program: it stays unanswered, and the driver goes on listening."""
    driver = world.start_loop([{"run": f"{marker(world, 'there')}; {STUBBORN}"}])
    wait_for((world.folder / "there").exists, "the agent works")
    database = Database.open(StateHome(world.home))
    try:
        loop_id = find(database, None, "demo").id
        leave_command(database, loop_id, "hint", "user")
        time.sleep(1.2)  # the driver has looked for commands at least once
        cancelled(world, driver)
        assert [one.kind for one in pending(database, loop_id)] == ["hint"]
    finally:
        database.close()
