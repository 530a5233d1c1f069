"""Repositories that are more than one folder of plain files, through the whole program."""

import pytest
from harness import SOLVE, World

ALLOW = ("-c", "protocol.file.allow=always")


@pytest.fixture
def with_submodule(world: World) -> World:
    """``libs/a`` is a submodule, checked out."""
    library = world.folder / "library"
    library.mkdir()
    world.git("init", "-q", "-b", "main", cwd=library)
    (library / "answer").write_text("42\n")
    world.git("add", "-A", cwd=library)
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    world.git(*identity, "commit", "-q", "-m", "first", cwd=library)
    world.git(*ALLOW, "submodule", "add", "-q", str(library), "libs/a")
    world.commit("submodule")
    return world


def test_a_submodule_is_there_for_agent_and_evaluator(with_submodule: World) -> None:
    world = with_submodule
    before = world.fingerprint()
    turn = [
        {"run": 'cat libs/a/answer > answer.txt && test -z "$(git status --porcelain libs)"'},
        {"write": ["libs/a/answer", "43\n"]},
    ]
    judged = 'cmp answer.txt libs/a/answer && test -z "$(git status --porcelain)"'
    result = world.run_loop(turn, options=("--stop", judged)).check(0)
    (taken,) = result.of("snapshot_taken")
    assert [change["path"] for change in taken["snapshot"]["changes"]] == ["answer.txt"]
    assert "submodule libs/a was changed" in taken["snapshot"]["notes"][0]
    assert world.fingerprint() == before
    world.run_loopctl("apply", "demo").check(0)
    assert (world.repository / "answer.txt").read_text() == "42\n"
    world.run_loopctl("discard", "demo", "--yes").check(0)
    assert len(world.git("worktree", "list").splitlines()) == 1
    assert world.git("-C", "libs/a", "status", "--porcelain") == ""


def test_a_submodule_that_is_not_checked_out_is_told_first(with_submodule: World) -> None:
    world = with_submodule
    clone = world.folder / "clone"
    world.git("clone", "-q", str(world.repository), str(clone))
    result = world.run_loop([SOLVE], cwd=clone).check(0)
    (ready,) = result.of("workspace_ready")
    (note,) = ready["notes"]
    assert "submodule libs/a" in note
    assert "git submodule update --init --recursive" in note
    first = result.of("evaluator_finished")[0]
    assert first["report"]["warnings"] == ["submodule libs/a is empty: yours was not checked out"]
