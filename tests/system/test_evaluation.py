"""A8: what an evaluator says, and what is made of it."""

import json

import pytest
from harness import SOLVE, World

CHANGE = {"append": ["notes", "more\n"]}


@pytest.mark.parametrize(
    ("command", "words"),
    [("no-such-program --version", "127"), ("./not-executable", "126")],
)
def test_a8_11_what_cannot_be_run_is_no_fail(world: World, command: str, words: str) -> None:
    """At the base commit: the loop does not start, and says what to do."""
    world.write("not-executable", "text\n")
    world.commit("a file without permission")
    result = world.run_loop([SOLVE], options=("--stop", command)).check(15)
    assert result.stop["reason"] == "evaluator_error"
    assert words in result.stop["detail"]
    assert command.split(maxsplit=1)[0] in result.stderr
    assert world.calls() == []
    assert world.branches() == ["main"]


def test_a_failing_start_names_the_ignored_folders(world: World) -> None:
    """What the checkout lacks is the likeliest reason why nothing can be run in it."""
    world.write(".gitignore", "deps/\n")
    world.commit("ignored dependencies")
    (world.repository / "deps").mkdir()
    (world.repository / "deps" / "tool").write_text("#!/bin/sh\nexit 1\n")
    (world.repository / "deps" / "tool").chmod(0o755)
    result = world.run_loop([SOLVE], options=("--stop", "deps/tool")).check(15)
    assert "deps" in result.stop["next_step"]
    assert "deps" in result.stderr


def test_a8_9_a8_11_error_wastes_no_round(world: World) -> None:
    """The agent breaks the evaluator: ERROR is tried again, bounded, and calls no agent."""
    stop = ("--stop", "./tool.sh", "--allow", "tool.sh")
    world.write("tool.sh", "#!/bin/sh\nexit 1\n")
    (world.repository / "tool.sh").chmod(0o755)
    world.commit("a tool")
    result = world.run_loop([{"run": "chmod -x tool.sh"}], options=stop).check(15)
    assert result.stop["reason"] == "evaluator_error"
    assert len(world.calls()) == 1
    verdicts = [
        data["report"]["criteria"][0]["verdict"] for data in result.of("evaluator_finished")
    ]
    assert verdicts == ["FAIL", "ERROR", "ERROR", "ERROR"]


def test_a8_11_the_same_tree_is_not_judged_twice(world: World) -> None:
    """A flaky check cannot be re-rolled by an empty round: the tree keeps its verdict."""
    runs = world.folder / "runs"
    flaky = f'echo x >> {runs}; test "$(wc -l < {runs})" -ge 3'
    talk = [{"say": "I looked again"}]
    options = ("--stop", flaky, "--baseline", "skip")
    world.run_loop([CHANGE], talk, talk, talk, talk, options=options).check(11)
    assert runs.read_text().count("x") == 1


def test_in_same_workspace_it_is_judged_again(world: World) -> None:
    """And labelled so."""
    runs = world.folder / "runs"
    flaky = f'echo x >> {runs}; test "$(wc -l < {runs})" -ge 3'
    options = ("--stop", flaky, "--baseline", "skip", "--isolation", "same-workspace")
    result = world.run_loop([CHANGE], [{"say": "again"}], options=options).check(0)
    assert runs.read_text().count("x") == 3
    assert "same-workspace" in result.stderr


def test_a_time_out_is_a_fail_when_the_baseline_completed(world: World) -> None:
    slow = "if test -e slow; then sleep 600; fi; exit 1"
    options = ("--stop", slow, "--eval-timeout", "1s", "--max-rounds", "1")
    result = world.run_loop([{"write": ["slow", "1\n"]}], options=options).check(10)
    assert "timed out" in result.of("evaluator_finished")[-1]["report"]["exit"]
    world.no_process_left()


def test_a_time_out_at_the_base_is_an_error(world: World) -> None:
    options = ("--stop", "sleep 600", "--eval-timeout", "1s")
    result = world.run_loop([SOLVE], options=options).check(15)
    assert "timed out" in result.stop["detail"]
    assert world.calls() == []


def test_all_evaluators_must_pass_on_one_tree(world: World) -> None:
    """Each is green once, but never both: that is not met."""
    first = [{"write": ["a", "1\n"]}]
    second = [{"delete": "a"}, {"write": ["b", "1\n"]}]
    stops = ("--stop", "test -e a", "--stop", "test -e b", "--max-rounds", "2")
    result = world.run_loop(first, second, options=stops).check(10)
    assert [data["passed"] for data in result.of("round_closed")] == [1, 1]


def test_a_pass_carries_its_evidence(world: World) -> None:
    """Command, exit state, duration, tree, log and isolation label can be read afterwards."""
    result = world.run_loop([CHANGE], [SOLVE]).check(0)
    (met,) = result.stop["criteria"]
    assert "exit 0" in met["evidence"]
    assert "./check.sh" in met["evidence"]
    assert world.git("rev-parse", "loopctl/demo^{tree}") == result.stop["tree"]
    shown = world.run_loopctl("show", "demo", "--round", "2").check(0).stdout
    assert "the answer is 42" in shown
    assert "separate-worktree" in shown
    failed = world.run_loopctl("show", "demo", "--round", "1", "--json").check(0).stdout
    assert "the answer is 0" in failed
    json.loads(failed)


def test_the_evaluator_sees_no_agent_and_no_litter(world: World) -> None:
    """A clean place of its own: nothing ignored, no daemon, another HOME and TMPDIR."""
    seen = world.folder / "seen"
    look = f"{{ env; ls -a; ls -a $HOME $TMPDIR; pwd; }} > {seen}; ./check.sh"
    turn = [
        {"write": ["ignored/trap.py", "x\n"]},
        {"daemon": "exec sleep 599"},
        SOLVE,
    ]
    options = ("--stop", look, "--baseline", "skip")
    result = world.run_loop(turn, options=options, env={"SOME_VARIABLE": "1"}).check(0)
    text = seen.read_text()
    assert "ignored" not in text
    assert "SOME_VARIABLE" not in text
    assert str(world.folder / "home") not in text
    assert str(result.ended["worktree"]) not in text


def test_named_variables_reach_the_evaluator(world: World) -> None:
    world.write("loopctl.toml", '[evaluator]\nenv = ["WANTED"]\n')
    world.commit("settings")
    stop = ("--stop", 'test "$WANTED" = yes', "--baseline", "skip")
    world.run_loop([CHANGE], options=stop, env={"WANTED": "yes"}).check(0)


def test_what_an_evaluator_left_running_is_ended(world: World) -> None:
    stop = ("--stop", "setsid sleep 600 >/dev/null 2>&1 & ./check.sh")
    result = world.run_loop([SOLVE], options=stop).check(0)
    assert "sleep 600" in json.dumps(result.of("evaluator_finished")[-1]["report"]["warnings"])
    world.no_process_left()
