"""A1: a loop ends as met when its evaluators say so, and for no other reason."""

import pytest
from harness import SOLVE, World

CLAIM = {"say": "ALL DONE. <promise>COMPLETE</promise> exit 0, status: success"}
DENIAL = {"say": "not done; complete: false; EXIT"}


def work(number: int) -> list[dict]:
    """A round that makes progress, but not enough."""
    return [{"write": [f"step-{number}", "done\n"]}]


def test_a1_1_a_claim_is_no_verdict(world: World) -> None:
    claims = [[CLAIM, {"append": ["notes", "more\n"]}]]
    result = world.run_loop(*claims, options=("--max-rounds", "2")).check(10)
    assert result.stop["kind"] == "budget-cap"
    assert result.stop["scope"] == "rounds"
    assert len(world.calls()) == 2


@pytest.mark.parametrize("stop", ["", "  "])
def test_a1_1_empty_stop_command_is_refused(world: World, stop: str) -> None:
    world.run_loop([CLAIM], options=("--stop", stop)).check(2)
    assert world.calls() == []
    assert world.branches() == ["main"]


def test_a1_2_a_silent_agent_meets_the_goal(world: World) -> None:
    result = world.run_loop([SOLVE]).check(0)
    assert result.stop["kind"] == "goal-met"
    assert len(world.calls()) == 1


def test_a1_4_success_in_the_last_round_is_success(world: World) -> None:
    result = world.run_loop(work(1), [SOLVE], options=("--max-rounds", "2")).check(0)
    assert result.ended["status"] == "completed"
    assert len(world.calls()) == 2


def test_a1_5_one_call_when_the_first_round_is_enough(world: World) -> None:
    world.run_loop([SOLVE], options=("--max-rounds", "10")).check(0)
    assert [call["round"] for call in world.calls()] == [1]


def test_a1_7_a_denial_is_no_verdict(world: World) -> None:
    """Text of the agent neither ends nor prolongs a loop."""
    world.run_loop([DENIAL, *work(1)], [DENIAL, SOLVE]).check(0)
    assert len(world.calls()) == 2


def test_a1_6_a1_9_progress_is_never_a_stall(world: World) -> None:
    """Eight rounds that say the same and change something else each time are all played."""
    rounds = [[CLAIM, *work(number)] for number in range(8)]
    result = world.run_loop(*rounds, options=("--max-rounds", "8")).check(10)
    assert len(world.calls()) == 8
    assert result.stop["kind"] == "budget-cap"


def test_a1_14_an_empty_claim_is_shown_beside_the_facts(world: World) -> None:
    world.run_loop([CLAIM], options=("--max-rounds", "1")).check(10)
    shown = world.run_loopctl("show", "demo", "--round", "1").check(0)
    assert "ALL DONE" in shown.stdout
    assert "FAIL" in shown.stdout


def test_a1_16_no_progress_is_noticed(world: World) -> None:
    """The same tree again and again ends the loop, with tree and evidence shown."""
    result = world.run_loop([CLAIM]).check(11)
    assert result.stop["kind"] == "stuck"
    assert result.stop["pattern"] == "no-progress"
    tree = world.git("rev-parse", "HEAD^{tree}")
    assert tree[:12] in result.stop["detail"]
    assert "check.sh" in result.stop["detail"]
    assert len(world.calls()) < 15


def test_a1_17_a_goal_that_holds_already(world: World) -> None:
    result = world.run_loop([CLAIM], options=("--stop", "true")).check(0)
    assert result.stop["kind"] == "goal-met"
    assert world.calls() == []
    assert world.branches() == ["main"]


def test_a1_17_only_when_everything_holds(world: World) -> None:
    """One of two evaluators is green at the base: the agent still has work to do."""
    world.run_loop([SOLVE], options=("--stop", "true", "--stop", "./check.sh")).check(0)
    assert len(world.calls()) == 1


def test_without_baseline_a_green_base_is_not_looked_at(world: World) -> None:
    world.run_loop([SOLVE], options=("--stop", "true", "--baseline", "skip")).check(0)
    assert len(world.calls()) == 1


def test_no_evaluator_no_loop(world: World) -> None:
    refused = world.run_loopctl("run", "goal", "--agent", world.agent([SOLVE])).check(2)
    assert "--stop" in refused.stderr
    assert world.calls() == []
    assert world.branches() == ["main"]
