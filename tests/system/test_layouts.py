"""Repositories that are more than one folder of plain files, through the whole program."""

import shutil

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


@pytest.mark.skipif(shutil.which("git-lfs") is None, reason="git-lfs is not installed")
def test_git_lfs_itself(world: World) -> None:
    """Contents for agent and evaluator, pointers on the branch, a clean status for everybody."""
    world.git("lfs", "install", "--local")
    world.git("lfs", "track", "*.bin")
    world.write("a.bin", "one\n")
    world.commit("binary")
    clean = 'test -z "$(git status --porcelain)"'
    turn = [
        {"run": f"{clean} && grep -qx one a.bin"},
        {"write": ["a.bin", "two\n"]},
        {"write": ["b.bin", "new\n"]},
        SOLVE,
    ]
    judged = f"./check.sh && grep -qx two a.bin && grep -qx new b.bin && {clean}"
    result = world.run_loop(turn, options=("--stop", judged)).check(0)
    assert result.of("snapshot_taken")[0]["snapshot"]["notes"] == []
    assert result.of("turn_ended")[0]["result"]["outcome"] == "finished"
    for name in ("a.bin", "b.bin"):
        assert world.show(f"loopctl/demo:{name}").startswith("version https://git-lfs")
    world.run_loopctl("apply", "demo").check(0)
    assert (world.repository / "b.bin").read_text() == "new\n"
    world.git("checkout", "-q", "-f", "--detach", "loopctl/demo")
    assert (world.repository / "a.bin").read_text() == "two\n"


def test_a7_8_a_worktree_of_a_bare_repository(world: World) -> None:
    bare, linked = world.folder / "project.git", world.folder / "linked"
    world.git("clone", "-q", "--bare", str(world.repository), str(bare), cwd=world.folder)
    world.git("worktree", "add", "-q", str(linked), "main", cwd=bare)
    world.run_loop([SOLVE], cwd=linked).check(0)
    assert world.git("show", "loopctl/demo:answer.txt", cwd=linked) == "42"
    assert world.git("status", "--porcelain", cwd=linked) == ""


def test_a7_18_an_agent_that_cannot_commit_has_worked_all_the_same(world: World) -> None:
    """Its git folder is locked, as a sandbox may do it: what counts are the files."""
    lock = 'touch "$(git rev-parse --git-dir)/index.lock"'
    turn = [SOLVE, {"run": f"{lock}; git add -A || echo no; git commit -qm mine || echo no"}]
    world.run_loop(turn).check(0)
    assert world.show("loopctl/demo:answer.txt") == "42"


def test_a7_26_a_chosen_ignored_file_is_copied_and_in_no_snapshot(world: World) -> None:
    world.write(".gitignore", ".env\n")
    world.commit("ignored settings")
    world.write(".env", "ANSWER=42\n")
    world.write("loopctl.toml", '[workspace]\nshare = [".env"]\n')
    look = "test ! -L .env && sed -n s/ANSWER=//p .env > answer.txt && echo ANSWER=7 > .env"
    world.run_loop([{"run": look}]).check(0)
    assert world.show("loopctl/demo:answer.txt") == "42"
    assert ".env" not in world.git("ls-tree", "-r", "--name-only", "loopctl/demo").split()
    assert (world.repository / ".env").read_text() == "ANSWER=42\n"


def test_names_that_differ_in_case_alone_are_two_files(world: World) -> None:
    if (world.repository / "ANSWER.TXT").exists():
        pytest.skip("this file system knows no case")
    world.write("Answer.txt", "another\n")
    world.commit("a name in two spellings")
    world.run_loop([SOLVE]).check(0)
    assert world.show("loopctl/demo:answer.txt") == "42"
    assert world.show("loopctl/demo:Answer.txt") == "another"
