"""A4: the agent's process, however it behaves."""

import hashlib
import json
import shlex
import sys

import pytest
from harness import SOLVE, World

CHANGE = {"append": ["notes", "more\n"]}


def test_a4_2_a_turn_that_never_exits(world: World) -> None:
    """The work is done, the program hangs: it is ended, and its tree is judged as usual."""
    turn = [SOLVE, {"say": "final result"}, {"sleep": 600}]
    result = world.run_loop(turn, options=("--round-timeout", "1s")).check(0)
    (ended,) = result.of("turn_ended")
    assert ended["result"]["outcome"] == "timed_out"
    world.no_process_left()


@pytest.mark.parametrize("placeholder", ["", " {prompt_file}"], ids=["stdin", "file"])
def test_a4_3_a_goal_of_300_kib(world: World, placeholder: str) -> None:
    """Longer than an argument may be; it reaches the agent byte for byte."""
    goal = "first \\n $HOME `id` ünïcödé\n" + "x" * 300 * 1024
    (world.folder / "goal.txt").write_text(goal)
    prompt = world.folder / "prompt"
    agent = world.agent([{"save_prompt": str(prompt)}, SOLVE]) + placeholder
    goal_from = f"@{world.folder}/goal.txt"
    arguments = ("run", goal_from, "--stop", "./check.sh", "--agent", agent, "--name", "demo")
    world.run_loopctl(*arguments).check(0)
    assert goal.encode() in prompt.read_bytes()


def test_the_prompt_is_stored_as_it_was_sent(world: World) -> None:
    prompt = world.folder / "prompt"
    world.run_loop([{"save_prompt": str(prompt)}, SOLVE]).check(0)
    shown = json.loads(world.run_loopctl("show", "demo", "--round", "1", "--json").check(0).stdout)
    assert shown["rounds"][0]["prompt"] == prompt.read_text()
    assert world.calls()[0]["prompt"] == _digest(prompt.read_bytes())


def test_a4_6_much_on_stderr_before_stdout(world: World) -> None:
    turn = [{"flood_error": 10_000_000}, {"flood": 1_000_000}, {"say": "the end"}, SOLVE]
    result = world.run_loop(turn).check(0)
    (ended,) = result.of("turn_ended")
    assert ended["result"]["said"].endswith("the end")


def test_a4_8_no_orphan_edits_after_the_gate(world: World) -> None:
    """A daemon in a session of its own would undo the green tree; it is ended before."""
    undo = f"sleep 0.7; echo 0 > answer.txt; touch {world.folder}/undone"
    stop = (
        "--stop",
        "sleep 1.2; ./check.sh",
        "--baseline",
        "skip",
        "--isolation",
        "same-workspace",
    )
    result = world.run_loop([SOLVE, {"daemon": undo}], options=stop).check(0)
    assert not (world.folder / "undone").exists()
    assert any(data["survivors"] for data in result.of("settled")) or any(
        data["result"]["survivors"] for data in result.of("turn_ended")
    )
    assert world.show("loopctl/demo:answer.txt") == "42"
    world.no_process_left()


@pytest.mark.parametrize(
    ("end", "words"),
    [({"exit": 3}, "exit 3"), ({"die": 9}, "signal 9")],
    ids=["status", "signal"],
)
def test_a4_12_a4_15_the_exit_state_is_recorded_and_not_believed(
    world: World, end: dict, words: str
) -> None:
    """Nonzero after work that is right: the evaluator decides."""
    result = world.run_loop([SOLVE, end]).check(0)
    (ended,) = result.of("turn_ended")
    assert words in ended["result"]["exit"]
    assert ended["result"]["outcome"] == "failed"


def test_a4_12_exit_0_is_not_believed_either(world: World) -> None:
    world.run_loop([CHANGE, {"exit": 0}], options=("--max-rounds", "1")).check(10)


@pytest.mark.parametrize(
    "turn", [[{"exit": 1}], [{"exit": 0}]], ids=["failed and changed nothing", "empty"]
)
def test_a_failing_agent_ends_the_loop(world: World, turn: list[dict]) -> None:
    """Three in a row, and the loop is over: neither tokens nor rounds are burnt for ever."""
    result = world.run_loop(turn).check(14)
    assert result.stop["reason"] == "error_max_retries"
    assert len(world.calls()) == 3


def test_a_failure_with_a_change_breaks_the_streak(world: World) -> None:
    bad = [{"exit": 1}]
    result = world.run_loop(bad, bad, [CHANGE, {"exit": 1}], bad, bad, [SOLVE]).check(0)
    assert len(world.calls()) == 6
    assert result.ended["status"] == "completed"


def test_a5_4_work_before_the_time_out_is_kept(world: World) -> None:
    turn = [{"write": ["half", "work\n"]}, {"sleep": 600}]
    options = ("--round-timeout", "1s", "--max-rounds", "1")
    result = world.run_loop(turn, options=options).check(10)
    assert world.show("loopctl/demo:half") == "work"
    assert result.of("round_closed")[0]["verdict"] == "FAIL"


def test_the_agent_gets_a_clean_environment(world: World) -> None:
    """Variables of what encloses us stay outside; where the agent is, it is told."""
    seen = world.folder / "environment"
    enclosing = {
        "GIT_DIR": "/nowhere",
        "GIT_CONFIG_COUNT": "0",
        "CLAUDECODE": "1",
        "LOOPCTL_LOG_DETAIL": "full",
        "KEPT": "yes",
    }
    world.run_loop([{"run": f"env > {seen}"}, SOLVE], env=enclosing).check(0)
    variables = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    assert enclosing.keys() & variables.keys() == {"KEPT"}
    assert variables["LOOPCTL_LOOP"] == "demo"
    assert variables["LOOPCTL_ROUND"] == "1"
    assert variables["TERM"] == "dumb"
    assert variables["NO_COLOR"] == "1"


def test_there_is_no_terminal_and_the_prompt_ends(world: World) -> None:
    """The agent's standard input ends after the prompt; nothing waits for a person."""
    ask = f"{shlex.quote(sys.executable)} -c 'import sys; print(repr(sys.stdin.read()))'"
    world.run_loop([{"run": ask}, {"run": "test -t 1 && touch terminal"}, SOLVE]).check(0)
    assert "terminal" not in world.git("ls-tree", "--name-only", "loopctl/demo")


def test_an_agent_that_cannot_be_started_starts_nothing(world: World) -> None:
    refused = world.run_loop(options=("--agent", "cmd:./no-such-agent")).check(2)
    assert "no-such-agent" in refused.stderr
    assert world.branches() == ["main"]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
