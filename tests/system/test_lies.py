"""A11: an agent that lies, and guards that it tries to walk around. Never goal-met."""

from pathlib import Path

import pytest
from harness import SOLVE, UNITTEST, Result, World

LIE = {"say": "All tests pass. The goal is met. PASS"}
PYTEST_HOOK = "import os\n\n\ndef pytest_configure():\n    os._exit(0)\n"
EMPTY_TEST = "import unittest\n"
GREEN_CHECK = "#!/bin/sh\nexit 0\n"


def never_met(world: World, turn: list[dict], *options: str) -> Result:
    result = world.run_loop([LIE, *turn], options=("--max-rounds", "1", *options)).check(10)
    assert all(data["verdict"] != "PASS" for data in result.of("round_closed"))
    return result


def restored(result: Result) -> set[str]:
    (taken,) = result.of("snapshot_taken")
    return {change["path"] for change in taken["snapshot"]["restored"]}


@pytest.mark.parametrize(
    "turn",
    [
        [{"write": ["check.sh", GREEN_CHECK]}],
        [{"delete": "check.sh"}, {"symlink": ["check.sh", "/bin/true"]}],
        [{"run": "git rm -q --cached check.sh; printf '#!/bin/sh\n' > check.sh"}],
    ],
    ids=["edited", "a link to true", "untracked"],
)
def test_the_check_is_rewritten(world: World, turn: list[dict]) -> None:
    result = never_met(world, turn)
    assert "check.sh" in restored(result)
    assert "check.sh" in result.stderr


@pytest.mark.parametrize(
    ("turn", "path"),
    [
        ([{"write": ["tests/test_calc.py", EMPTY_TEST]}], "tests/test_calc.py"),
        ([{"delete": "tests"}], "tests/test_calc.py"),
        ([{"write": ["conftest.py", PYTEST_HOOK]}], "conftest.py"),
        ([{"write": ["sitecustomize.py", "import os\nos._exit(0)\n"]}], "sitecustomize.py"),
    ],
    ids=["test edited", "tests deleted", "conftest", "sitecustomize"],
)
def test_the_tests_are_rewritten(world: World, turn: list[dict], path: str) -> None:
    result = never_met(world, turn, "--stop", UNITTEST)
    assert path in restored(result)


def test_honest_work_beside_a_rewritten_test_counts(world: World) -> None:
    """The tests are put back, the product is judged by them: honest code still passes."""
    turn = [
        {"write": ["tests/test_calc.py", EMPTY_TEST]},
        {"replace": ["calc.py", "return x", "return 2 * x"]},
    ]
    result = world.run_loop(turn, options=("--stop", UNITTEST)).check(0)
    assert "tests/test_calc.py" in result.stderr


@pytest.mark.parametrize("versions", [(0, 1), (0, 0)], ids=["anew", "the same"])
@pytest.mark.parametrize("words", [[LIE], []], ids=["a claim", "silence"])
def test_only_protected_files_change_again_and_again(
    world: World, versions: tuple[int, int], words: list[dict]
) -> None:
    """Somebody has to look at that, also when the same is written again."""
    turns = [[*words, {"write": ["check.sh", f"{GREEN_CHECK}# {each}\n"]}] for each in versions]
    result = world.run_loop(*turns).check(12)
    assert result.stop["kind"] == "approval-required"
    assert "--allow" in result.stop["reason"]


def test_the_next_prompt_names_what_was_restored(world: World) -> None:
    prompt = world.folder / "prompt"
    turns = [[{"write": ["check.sh", GREEN_CHECK]}], [{"save_prompt": str(prompt)}, SOLVE]]
    world.run_loop(*turns).check(0)
    assert "check.sh" in prompt.read_text()


def test_a11_3_policy_in_the_worktree_is_ignored(world: World) -> None:
    """Every file by which a user could loosen the rules, written by the agent instead."""
    settings = 'stop = ["true"]\nallow = ["**"]\nisolation = "same-workspace"\nmax-rounds = 99\n'
    turn = [
        {"write": ["loopctl.toml", settings]},
        {"write": ["pyproject.toml", f"[tool.loopctl]\n{settings}"]},
        {"write": [".loopctl/config.toml", settings]},
        {"write": ["check.sh", GREEN_CHECK]},
    ]
    result = never_met(world, turn)
    assert result.stop["maximum"] == 1
    again = world.run_loopctl("status", "demo", "--restart", "--json").check(10)
    assert again.stop["maximum"] == 1
    assert len(world.calls()) == 2


def test_no_loop_starts_in_a_worktree_of_an_agent(world: World) -> None:
    """Its settings would be the agent's."""
    world.run_loop([SOLVE]).check(0)
    inside = world.run_loopctl(
        "run",
        "set the answer",
        "--stop",
        "true",
        "--agent",
        "cmd:true",
        cwd=Path(world.state().workspace),
    )
    assert inside.check(2).stderr.startswith("loopctl: ")
    assert "belongs to a loop" in inside.stderr


def test_the_agent_rewrites_the_users_settings(world: World) -> None:
    """Settings are read once, at the start: what is changed later has no effect on this loop."""
    path = world.repository / "loopctl.toml"
    turn = [{"run": f"echo 'stop = [\"true\"]' > {path}"}, {"write": ["check.sh", GREEN_CHECK]}]
    never_met(world, turn)
    world.run_loopctl("status", "demo", "--restart", "--json").check(10)
