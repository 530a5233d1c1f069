"""``kill -9`` while the built-in agent is at work: nothing is lost, nothing is counted twice."""

from harness import World, kill, wait_for
from model_world import HAND_OVER, ONE_ROUND, SOLVE, fault, restart, scripted, start, usage

from loopctl.testing.scripted_llm import Call, Turn

ANSWER = 110  # tokens of one answer


def check_figures(world: World, answers: int, *, lost: int) -> None:
    """As many answers as were seen, and at most one reservation that says it is a guess."""
    shown = usage(world)
    flagged = shown["flagged_unknown"]["counted_tokens"]
    assert shown["total"]["counted_tokens"] - flagged == answers * ANSWER
    assert (flagged > 0) == bool(lost)
    assert world.state().spent.tokens == shown["total"]["counted_tokens"]
    assert world.state().spent.unknown_turns == lost


def test_killed_during_a_request(world: World) -> None:
    with scripted(world, SOLVE, fault("hang")) as llm:
        driver = start(world)
        wait_for(lambda: len(llm.requests) == 2, "the second request is on its way")
        kill(driver)
        world.no_process_left()
        assert len(world.state().spends) == 1
        restart(world).check(0)  # the tree of the interrupted turn is judged first
        llm.check()
    check_figures(world, answers=1, lost=1)


def test_killed_during_a_tool(world: World) -> None:
    there = world.folder / "there"
    work = Turn(calls=(Call("shell", {"command": f"touch {there}; sleep 60"}),), usage=SOLVE.usage)
    with scripted(world, work, *ONE_ROUND) as llm:
        driver = start(world)
        wait_for(there.exists, "the tool runs")
        kill(driver)
        world.no_process_left()
        restart(world).check(0)
        llm.check()
    check_figures(world, answers=4, lost=0)


def test_killed_between_a_handoff_and_its_application(world: World) -> None:
    with scripted(world, HAND_OVER, fault("hang"), *ONE_ROUND) as llm:
        driver = start(world)
        wait_for(lambda: len(llm.requests) == 2, "it has handed over and goes on")
        kill(driver)
        world.no_process_left()
        assert world.state().round.handoff is not None
        result = restart(world).check(0)
        llm.check()
    statuses = [one["status"] for one in result.of("handoff_resolved")]
    assert statuses == ["discarded", "applied"]
    check_figures(world, answers=4, lost=1)


def test_a_dead_driver_s_loop_is_cancelled_without_the_key(world: World) -> None:
    """Ending a loop asks no model; going on with it does."""
    with scripted(world, SOLVE, fault("hang")) as llm:
        driver = start(world)
        wait_for(lambda: len(llm.requests) == 2, "the second request is on its way")
        kill(driver)
        world.no_process_left()
    without_key = restart(world)
    without_key.check(2)
    assert "there is no key for openai" in without_key.stderr
    world.run_loopctl("cancel", "demo").check(0)
    assert world.state().status == "cancelled"
    assert world.show("loopctl/demo:answer.txt") == "42"
