"""Places in which no loop can be started: refused with exit code 2, and nothing is created."""

import os
import sys

import pytest
from harness import SOLVE, World


@pytest.mark.parametrize(
    ("branch", "options"),
    [
        ("loopctl", ()),
        ("main", ("--branch", "main/x")),
        ("a/b", ("--branch", "a")),
        ("x", ("--branch", "-y")),
        ("x", ("--branch", "a..b")),
        ("x", ("--branch", "HEAD")),
    ],
)
def test_a_branch_that_git_cannot_make(world: World, branch: str, options: tuple[str, ...]) -> None:
    if branch != "main":
        world.git("branch", branch)
    before = world.branches()
    refused = world.run_loop([SOLVE], options=options).check(2)
    assert "--branch" in refused.stderr
    assert world.branches() == before
    assert not (world.home / "loops").exists()


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems refuse such names")
def test_a_path_that_is_not_utf_8(world: World) -> None:
    odd = world.folder / os.fsdecode(b"odd-\xff")
    world.git("clone", "-q", str(world.repository), str(odd))
    refused = world.run_loop([SOLVE], cwd=odd).check(2)
    assert "not valid UTF-8" in refused.stderr
    assert not (world.home / "loops").exists()
