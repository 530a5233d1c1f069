"""``loopctl diff``: read from loopctl's own repository, whatever became of the worktree."""

import json
import os
import pty
import shutil
import subprocess

from harness import SOLVE, World, finish, wait_for

NOTE = [{"write": ["notes/one", "a\n"]}]


def test_the_whole_work_is_a_patch_that_git_applies(world: World) -> None:
    """Also a binary file, a link and a mode; and after worktree and branch are gone."""
    binary = {"run": r"printf 'a\000b' >binary; ln -s answer.txt link; chmod +x calc.py"}
    world.run_loop([SOLVE, binary, {"delete": "conftest.py"}]).check(0)
    tip = world.git("rev-parse", "loopctl/demo^{tree}")
    shutil.rmtree(world.state().workspace)
    world.git("worktree", "prune")
    world.git("branch", "-D", "loopctl/demo")
    shown = world.run_loopctl("diff", "demo").check(0)
    assert "conftest.py" in shown.stderr
    subprocess.run(
        ["git", "apply", "--index"], input=shown.stdout, text=True, cwd=world.repository, check=True
    )
    assert world.git("write-tree") == tip


def test_a_round_is_compared_with_the_one_before(world: World) -> None:
    world.run_loop(NOTE, [SOLVE]).check(0)
    first = world.run_loopctl("diff", "demo", "--round", "1").check(0)
    second = world.run_loopctl("diff", "demo", "--round", "2").check(0)
    assert "notes/one" in first.stdout
    assert "answer.txt" not in first.stdout
    assert "notes/one" not in second.stdout
    assert "+42" in second.stdout
    for command in (("--round", "3"), ("--round", "0")):
        refused = world.run_loopctl("diff", "demo", *command).check(2)
        assert "1, 2" in refused.stderr


def test_the_summary_and_the_list(world: World) -> None:
    world.run_loop([SOLVE, {"write": ["tests/test_new.py", "\n"]}]).check(0)
    stat = world.run_loopctl("diff", "demo", "--stat").check(0)
    assert "2 files changed, 2 insertions(+), 1 deletion(-)" in stat.stdout
    listed = json.loads(world.run_loopctl("diff", "demo", "--json").check(0).stdout)
    assert listed["schema"] == "loopctl.diff/1"
    assert [(each["path"], each["kind"], each["left_out"]) for each in listed["paths"]] == [
        ("answer.txt", "M", False),
        ("tests/test_new.py", "A", True),
    ]
    assert (listed["paths"][0]["added"], listed["paths"][0]["deleted"]) == (1, 1)
    world.run_loopctl("diff", "demo", "--json", "--stat").check(2)


def test_while_the_loop_runs_and_a_partial_snapshot(world: World) -> None:
    """It can be looked at any time; the tree of a turn that was cut short says so."""
    there, go = world.folder / "there", world.folder / "go"
    wait = f"touch {there}; while ! test -e {go}; do sleep 0.05; done"
    driver = world.start_loop(NOTE, [{"write": ["half", "work\n"]}, {"run": wait}])
    wait_for(there.exists, "round 2 works")
    assert "notes/one" in world.run_loopctl("diff", "demo").check(0).stdout
    world.run_loopctl("cancel", "demo").check(0)
    finish(driver).check(130)
    shown = world.run_loopctl("diff", "demo").check(0)
    assert "half" in shown.stdout
    assert "partial" in shown.stderr
    assert "partial" not in world.run_loopctl("diff", "demo", "--round", "1").stderr


def test_a_terminal_gets_nothing_that_it_would_obey(world: World) -> None:
    world.run_loop([SOLVE, {"write": ["sly", "\x1b[2Jgone\n"]}]).check(0)
    assert "\x1b[2Jgone" in world.run_loopctl("diff", "demo").check(0).stdout
    terminal, side = pty.openpty()
    command = world.command("diff", "demo")
    subprocess.run(command, cwd=world.repository, env=world.environment, stdout=side, check=True)
    shown = os.read(terminal, 100_000)
    os.close(side)
    os.close(terminal)
    assert rb"+\x1b[2Jgone" in shown
