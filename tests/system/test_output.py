"""A12: exit codes that can be trusted, JSON for programs on stdout, everything else on stderr."""

import json
import signal
from collections.abc import Callable

import pytest
from harness import SOLVE, Result, World, finish, wait_for

USELESS = [{"append": ["notes", "more\n"]}]
TALK = [{"say": "still thinking"}]
CHEAT = [[{"write": ["check.sh", f"#!/bin/sh\n# {number}\n"]}] for number in range(2)]


def lost_workspace(world: World) -> Result:
    world.run_loop(USELESS, options=("--max-rounds", "1")).check(10)
    world.git("worktree", "remove", "--force", world.state().workspace)
    world.git("branch", "-D", "loopctl/demo")
    for repository in world.home.glob("projects/*/*.git"):
        repository.rename(world.folder / "gone")
    return world.run_loopctl("status", "demo", "--restart", "--json")


def interrupted(number: signal.Signals) -> Callable[[World], Result]:
    def play(world: World) -> Result:
        there = world.folder / "there"
        driver = world.start_loop([{"run": f"touch {there}; sleep 600"}])
        wait_for(there.exists, "the agent works")
        driver.send_signal(number)
        return finish(driver)

    return play


def simple(*rounds: list[dict], options: tuple[str, ...] = ()) -> Callable[[World], Result]:
    return lambda world: world.run_loop(*rounds, options=options)


MATRIX = {
    "goal met": (0, "completed", simple([SOLVE])),
    "rounds": (10, "stopped", simple(USELESS, options=("--max-rounds", "1"))),
    "tokens": (
        10,
        "stopped",
        simple(USELESS, options=("--max-tokens", "5", "--assume-tokens-per-round", "5")),
    ),
    "usd": (
        10,
        "stopped",
        simple(USELESS, options=("--max-usd", "1", "--assume-usd-per-round", "1")),
    ),
    "time": (10, "stopped", simple([{"sleep": 600}], options=("--max-time", "1s"))),
    "stuck": (11, "stopped", simple(TALK)),
    "approval": (12, "stopped", simple(*CHEAT)),
    "agent errors": (14, "errored", simple([{"exit": 1}])),
    "workspace lost": (14, "errored", lost_workspace),
    "evaluator error": (15, "errored", simple([SOLVE], options=("--stop", "no-such-program"))),
    "SIGINT": (130, "cancelled", interrupted(signal.SIGINT)),
    "SIGTERM": (143, "cancelled", interrupted(signal.SIGTERM)),
    "SIGHUP": (129, "cancelled", interrupted(signal.SIGHUP)),
}


@pytest.mark.parametrize("state", MATRIX)
def test_a12_1_every_end_has_its_exit_code(world: World, state: str) -> None:
    code, status, play = MATRIX[state]
    result = play(world).check(code)
    for event in result.events:
        assert event["schema"] == "loopctl.event/1"
        assert {"seq", "time", "loop", "round", "event", "data"} <= event.keys()
    numbers = [event["seq"] for event in result.events]
    assert numbers == sorted(set(numbers))
    assert result.ended["status"] == status
    assert result.ended["exit_code"] == code
    assert "demo" in result.stderr
    assert world.state().status == status


def test_without_json_stdout_is_empty(world: World) -> None:
    """What people read goes to stderr, so that a pipe stays clean."""
    arguments = [one for one in world.loop_arguments(USELESS, [SOLVE]) if one != "--json"]
    result = world.run_loopctl(*arguments).check(0)
    assert result.stdout == ""
    assert "round 2" in result.stderr
    assert "\x1b" not in result.stderr


def test_quiet_shows_the_end_alone(world: World) -> None:
    arguments = [one for one in world.loop_arguments([SOLVE]) if one != "--json"]
    result = world.run_loopctl(*arguments, "--quiet").check(0)
    assert "goal met" in result.stderr
    assert len(result.stderr.strip().splitlines()) < 12


def test_no_terminal_no_variables(world: World) -> None:
    """A CI job: no TERM, no LANG, no HOME worth the name, standard input closed."""
    world.environment.pop("HOME")
    goal = ("--", "-make it wörk")
    arguments = ("run", "--stop", "./check.sh", "--agent", world.agent([SOLVE]), *goal)
    result = world.run_loopctl(*arguments, env={"CI": "1", "LC_ALL": "C"}, cold=True).check(0)
    assert "goal met" in result.stderr


def test_a12_3_the_step_summary(world: World) -> None:
    summary = world.folder / "summary.md"
    summary.write_text("before\n")
    options = ("--max-rounds", "1")
    env = {"GITHUB_STEP_SUMMARY": str(summary)}
    world.run_loop(USELESS, options=options, env=env).check(10)
    text = summary.read_text()
    assert text.startswith("before\n")
    assert "loopctl/demo" in text


def test_hostile_output_is_shown_as_text(world: World) -> None:
    """Escapes of an agent, a file name or an evaluator never reach the terminal."""
    turn = [{"run": r"printf '\033]0;owned\007\033[2J'; printf x > \"$(printf 'a\033[31mb')\""}]
    options = ("--max-rounds", "1", "--stop", r"printf '\033[2Jevil\r'; exit 1")
    arguments = [one for one in world.loop_arguments(turn, options=options) if one != "--json"]
    result = world.run_loopctl(*arguments).check(10)
    shown = [world.run_loopctl(*command) for command in (("show", "demo"), ("logs", "demo"))]
    for text in (result.stderr, *(one.stdout for one in shown)):
        assert "\x1b" not in text
        assert "\x07" not in text


def test_list_and_status_speak_json(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    world.run_loop(USELESS, options=("--name", "other", "--max-rounds", "1")).check(10)
    listed = world.run_loopctl("list", "--json").check(0)
    assert {"demo", "other"} <= set(json.dumps(json.loads(listed.stdout)).split('"'))
    assert world.run_loopctl("list").check(0).stdout.count("\n") >= 2


def test_an_unknown_name_lists_the_known_ones(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    for command in ("status", "show", "logs", "cancel"):
        refused = world.run_loopctl(command, "nobody").check(2)
        assert "demo" in refused.stderr
