"""``loopctl discard``: only what is the loop's own goes, and a restart can build it again."""

import os
import pty
import subprocess
from pathlib import Path

from harness import PATIENCE_S, SOLVE, World, kill, wait_for

USELESS = [{"append": ["notes", "more\n"]}]


def discard(world: World, *options: str):
    return world.run_loopctl("discard", "demo", *options)


def test_worktree_and_branch_go_and_the_rest_stays(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    before = world.fingerprint()
    worktree = Path(world.state().workspace)
    done = discard(world, "--yes").check(0)
    assert str(worktree) in done.stdout
    assert not worktree.exists()
    assert world.branches() == ["main"]
    assert world.fingerprint() == before
    (loop,) = (world.home / "loops").iterdir()
    assert [path.name for path in loop.iterdir()] == ["logs"]
    assert "PASS" in world.run_loopctl("show", "demo").check(0).stdout
    status = world.run_loopctl("status", "demo").check(0).stdout
    assert "worktree and branch are removed; loopctl diff demo shows it" in status
    assert "git " not in status
    assert status.endswith("next      loopctl apply demo\n")
    assert "+42" in world.run_loopctl("diff", "demo").check(0).stdout
    world.run_loopctl("apply", "demo").check(0)
    assert (world.repository / "answer.txt").read_text() == "42\n"
    assert "no worktree" in discard(world, "--yes").check(0).stdout


def test_without_a_terminal_it_needs_yes(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    assert "--yes" in discard(world).check(2).stderr
    assert "loopctl/demo" in world.branches()


def test_on_a_terminal_it_asks(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    assert "nothing was removed" in _answered(world, b"no\n")
    assert "loopctl/demo" in world.branches()
    assert "is discarded" in _answered(world, b"yes\n")
    assert world.branches() == ["main"]


def _answered(world: World, answer: bytes) -> str:
    """What the program says when somebody at a terminal answers."""
    terminal, side = pty.openpty()
    os.write(terminal, answer)
    done = subprocess.run(
        world.command("discard", "demo"),
        cwd=world.repository,
        env=world.environment,
        stdin=side,
        capture_output=True,
        text=True,
        check=True,
    )
    os.close(side)
    os.close(terminal)
    assert "type yes" in done.stderr
    return done.stdout


def test_a_branch_that_was_moved_is_kept(world: World) -> None:
    world.run_loop([SOLVE]).check(0)
    worktree = Path(world.state().workspace)
    world.git("commit", "-q", "--allow-empty", "-m", "mine", cwd=worktree)
    tip = world.git("rev-parse", "loopctl/demo")
    done = discard(world, "--yes").check(0)
    assert "kept: the branch loopctl/demo" in done.stdout
    assert world.git("rev-parse", "loopctl/demo") == tip
    assert not worktree.exists()


def test_what_is_not_the_loops_own_is_kept(world: World) -> None:
    """A folder that the user has put in the worktree's place is moved aside and named."""
    world.run_loop([SOLVE]).check(0)
    worktree = Path(world.state().workspace)
    world.git("worktree", "remove", "--force", str(worktree))
    worktree.mkdir()
    (worktree / "mine").write_text("mine\n")
    done = discard(world, "--yes").check(0)
    aside = worktree.with_name("demo.aside-1")
    assert f"kept: {aside}" in done.stdout
    assert (aside / "mine").read_text() == "mine\n"


def test_a_discarded_loop_can_go_on(world: World) -> None:
    """The worktree is built again from the newest snapshot, and that is said."""
    world.run_loop(USELESS, options=("--max-rounds", "1")).check(10)
    discard(world, "--yes").check(0)
    restarted = world.run_loopctl("status", "demo", "--restart", "--json").check(10)
    assert restarted.of("workspace_ready")[0]["origin"] == "rebuilt-from-snapshot"
    assert "rebuilt" in restarted.stderr
    assert world.show("loopctl/demo:notes").startswith("more\nmore")
    discard(world, "--yes").check(0)
    assert world.branches() == ["main"]


def test_a_loop_that_was_left_by_its_driver_is_refused(world: World) -> None:
    there = world.folder / "there"
    driver = world.start_loop([{"write": ["half", "work\n"]}, {"run": f"touch {there}; sleep 60"}])
    wait_for(there.exists, "the agent works", PATIENCE_S)
    kill(driver)
    world.no_process_left()
    assert "loopctl cancel demo" in discard(world, "--yes").check(2).stderr
    world.run_loopctl("cancel", "demo").check(0)
    assert world.show("loopctl/demo:half") == "work"
    discard(world, "--yes").check(0)
    assert world.branches() == ["main"]
