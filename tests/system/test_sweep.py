"""``loopctl sweep``: a worktree goes when everything in it is kept elsewhere."""

from pathlib import Path

import pytest
from harness import SOLVE, World


def test_only_what_is_published_and_as_it_was_goes(world: World) -> None:
    for name in ("one", "two"):
        world.run_loop([SOLVE], options=("--name", name)).check(0)
    one, two = (Path(world.state(name).workspace) for name in ("one", "two"))
    (two / "mine").write_text("edited by hand\n")
    refused = world.run_loopctl("sweep").check(2)
    assert "--yes" in refused.stderr
    assert "one: " in refused.stderr
    assert "files were changed" in refused.stderr
    assert one.exists()
    assert "removed: 1 worktree, " in world.run_loopctl("sweep", "--yes").check(0).stdout
    assert (one.exists(), two.exists()) == (False, True)
    assert world.show("loopctl/one:answer.txt") == "42"
    assert "removed: 0 worktrees" in world.run_loopctl("sweep", "--yes").check(0).stdout


def test_a_swept_loop_goes_on(world: World) -> None:
    world.run_loop([{"append": ["notes", "1\n"]}], options=("--max-rounds", "1")).check(10)
    worktree = Path(world.state().workspace)
    assert "removed: 1 worktree, " in world.run_loopctl("sweep", "--yes").check(0).stdout
    assert not worktree.exists()
    status = world.run_loopctl("status", "demo").check(0).stdout
    assert "worktree  removed; a restart makes it again" in status
    assert "git diff" in status
    world.run_loopctl("status", "demo", "--restart").check(10)
    assert (worktree / "notes").read_text() == "1\n1\n"
    world.run_loopctl("discard", "demo", "--yes").check(0)
    assert world.branches() == ["main"]


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ({"write": ["id_rsa", "a key that the agent has made\n"]}, "no snapshot holds id_rsa"),
        ({"run": "git init -q inner && touch inner/file"}, "nested repository inner"),
    ],
)
def test_what_no_snapshot_holds_is_not_swept(world: World, left: dict, said: str) -> None:
    world.run_loop([SOLVE, left]).check(0)
    worktree = Path(world.state().workspace)
    swept = world.run_loopctl("sweep", "--yes").check(0)
    assert "removed: 0 worktrees" in swept.stdout
    assert said in swept.stderr
    assert worktree.exists()
