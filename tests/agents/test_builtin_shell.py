"""Commands of the built-in agent: where they run, with what, and what is seen of them."""

import os
import time

import pytest
from builtin_world import World

from loopctl.agents.builtin.shell import Shell


@pytest.fixture
def world(tmp_path):
    (tmp_path / "worktree").mkdir()
    return World(tmp_path, {})


def run(world, command, timeout_s=60, **environment):
    async def play(tools):
        output = world.root / "output"
        variables = {"PATH": os.defpath, **environment}
        shell = Shell(world.tree, variables, tools, output)
        try:
            return await shell.run(command, timeout_s)
        finally:
            assert not output.exists()

    return world.with_tools(play)


def test_a_command_runs_in_the_folder_with_its_own_variables(world):
    said = run(world, 'pwd; echo "$A" "$HOME"; echo error >&2; read x; echo "[$x]"', A="b c")
    assert said == f"[exit 0]\n{world.tree}\nb c \nerror\n[]\n"


def test_its_end_is_told(world):
    assert run(world, "exit 3") == "[exit 3]\n[no output]"
    assert run(world, "kill -9 $$") == "[ended by signal 9]\n[no output]"


def test_of_much_output_the_beginning_and_the_end_are_seen(world):
    said = run(world, "echo first; seq 1 200000; echo last")
    assert said.startswith("[exit 0]\nfirst\n1\n2\n")
    assert said.endswith("\n200000\nlast\n")
    assert "[... of 1288906 bytes ...]" in said
    assert len(said) < 26_000


def test_it_has_the_time_that_it_was_given_and_no_more(world):
    began = time.monotonic()
    said = run(world, "echo up; sleep 300", timeout_s=1)
    assert said == "[ended after 1 s, the time it was given]\nup\n"
    assert time.monotonic() - began < 5


def test_what_it_leaves_running_is_ended_and_told(world):
    assert run(world, "sleep 300 & echo up").startswith(
        "[exit 0; 1 processes that it left running were ended]\nup\n"
    )


def test_a_folder_that_is_gone(world):
    world.tree.rmdir()
    assert "not started" in run(world, "true")
