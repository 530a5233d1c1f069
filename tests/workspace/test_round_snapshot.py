"""What a loop knows of a tree after a round."""

import os

import pytest
from workspace_world import World, git

from loopctl.domain.snapshot import PathChange, Snapshot
from loopctl.git.snapshot import WorktreeMissing
from loopctl.workspace.protection import build_protection


@pytest.fixture(autouse=True)
def started(world):
    world.start()


def refs(world) -> list[str]:
    return git(world.project.path, "for-each-ref", "--format=%(refname)").splitlines()


def test_an_unchanged_tree(world):
    snapshot = world.take()
    assert snapshot == Snapshot(
        commit=snapshot.commit,
        tree=world.spec.base_tree,
        judged_tree=world.spec.base_tree,
        round=1,
    )
    assert git(world.project.path, "rev-parse", f"{snapshot.commit}^") == world.base


def test_changes_are_told_against_the_previous_snapshot_with_their_lines(world):
    world.write("app.py", "def add(a, b):\n    return a + b\n")
    first = world.take(1)
    assert first.changes == (PathChange(path="app.py", kind="M", added=1, deleted=1),)
    world.write("new.py", "x = 1\ny = 2\n")
    (world.folder / "Makefile").unlink()
    second = world.take(2, first)
    assert second.changed == 2
    assert second.changes == (
        PathChange(path="Makefile", kind="D", added=0, deleted=2),
        PathChange(path="new.py", kind="A", added=2, deleted=0),
    )
    assert git(world.project.path, "rev-parse", f"{second.commit}^") == first.commit


def test_a_snapshot_after_a_crash_is_the_same(world):
    world.write("app.py", "work\n")
    first = world.take()
    world.workspace = world.restarted()
    assert world.take() == first
    assert refs(world) == ["refs/loopctl/demo/rounds/1"]


def test_a_tree_that_moved_on_after_a_crash_gets_a_ref_of_its_own(world):
    trees = []
    for n in range(3):
        world.write("app.py", f"work {n}\n")
        trees.append(world.take(partial=True).tree)
    assert refs(world) == [f"refs/loopctl/demo/rounds/1.partial{n}" for n in ("", ".2", ".3")]
    assert [world.project.tree_of(ref) for ref in refs(world)] == trees


def test_lists_are_bounded_and_say_so(world):
    for n in range(60):
        world.write(f"many/f{n:02}.py", "x\n")
        world.write(f"tests/test_{n:02}.py", "x\n")
    snapshot = world.take()
    assert (snapshot.changed, len(snapshot.changes), len(snapshot.restored)) == (120, 50, 50)
    assert "70 more changed paths are not listed" in snapshot.notes
    assert "10 more restored paths are not listed" in snapshot.notes
    assert not [path for path in world.files(snapshot.judged_tree) if "test_0" in path]


def test_paths_that_are_not_unicode_can_be_stored(world):
    (world.folder / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    snapshot = world.take()
    assert snapshot.changes[0].path == "caf\\xe9.txt"
    assert Snapshot.model_validate_json(snapshot.model_dump_json()) == snapshot


def test_secrets_and_huge_files_are_left_out_and_listed(world):
    world.write(".env", "KEY=1")
    world.write("id_rsa", "private")
    with (world.folder / "big.bin").open("wb") as big:
        big.truncate(200_000_000)
    snapshot = world.take()
    assert {(each.path, each.reason) for each in snapshot.left_out} == {
        (".env", "secret"),
        ("id_rsa", "secret"),
        ("big.bin", "oversized"),
    }
    assert (snapshot.changed, snapshot.tree) == (0, world.spec.base_tree)


@pytest.mark.parametrize(
    "moves", [["checkout", "-q", "-b", "other"], ["checkout", "-q", "--detach"]]
)
def test_an_agent_that_switches_branches_is_judged_by_its_tree(world, moves):
    world.write("app.py", "committed\n")
    git(world.folder, *moves)
    git(world.folder, "commit", "-q", "-am", "elsewhere")
    world.write("app.py", "and not committed\n")
    before = git(world.top, "rev-parse", "main")
    snapshot = world.take()
    assert world.files(snapshot.judged_tree)["app.py"] == b"and not committed\n"
    assert world.publish(snapshot).commit == git(world.top, "rev-parse", world.branch)
    assert git(world.top, "rev-parse", "main") == before


def test_a_branch_that_was_reset_behind_its_base_is_left_alone(world):
    git(world.folder, "checkout", "-q", "--orphan", "fresh")
    git(world.folder, "commit", "-q", "-m", "rootless")
    git(world.folder, "branch", "-q", "-f", world.branch, "fresh")
    tip = git(world.top, "rev-parse", world.branch)
    snapshot = world.take()
    published = world.publish(snapshot)
    assert (published.commit, published.moved) == ("", True)
    assert f"git fetch {world.project.path} {snapshot.commit}" in published.note
    assert git(world.top, "rev-parse", world.branch) == tip


def test_compiled_python_is_not_judged_and_no_progress(world):
    world.write("__pycache__/app.cpython-311.pyc", "poison")
    world.write("tests/__pycache__/test_app.cpython-311.pyc", "poison")
    world.write("ghost.pyc", "poison")
    (world.folder / "pkg").mkdir()
    (world.folder / "pkg" / "__pycache__").symlink_to("../golden")
    snapshot = world.take()
    assert snapshot.tree != world.spec.base_tree
    assert snapshot.judged_tree == world.spec.base_tree
    assert (snapshot.changed, snapshot.restored) == (0, ())
    assert snapshot.notes == ("compiled Python that differs from base is not judged: 4 files",)


def test_a_waiver_that_the_agent_writes_is_only_a_file(world):
    world.write("loopctl.toml", "[evaluator]\nallow = ['**']\n")
    world.write("pyproject.toml", "[tool.loopctl]\nallow = ['**']\n")
    world.write("tests/test_app.py", "def test_add(): pass\n")
    snapshot = world.take()
    assert {each.path for each in snapshot.restored} == {"pyproject.toml", "tests/test_app.py"}


def test_manifests_are_reported_and_not_restored(world):
    world.write("requirements-dev.txt", "doctored\n")
    snapshot = world.take()
    assert snapshot.restored == ()
    assert snapshot.notes == ("requirements-dev.txt differs from base: a manifest is not restored",)
    assert snapshot.judged_tree == snapshot.tree


def test_a_snapshot_that_is_gone_from_the_project_does_not_stop_the_next_one(world, tmp_path):
    world.write("app.py", "work\n")
    first = world.take()
    lost = World(world.top, tmp_path / "fresh", "other")
    lost.start()
    lost.write("app.py", "work\n")
    assert lost.take(2, first).changed == 1
    lost.project.close()


def test_a_missing_worktree_is_an_error_and_not_an_empty_tree(world, tmp_path):
    world.folder.rename(tmp_path / "away")
    with pytest.raises(WorktreeMissing):
        world.take()


def test_protection_is_taken_from_base_alone(world):
    git(world.folder, "rm", "-q", "-r", "tests", "app.py")
    git(world.folder, "commit", "-q", "-m", "no tests, no python")
    again = build_protection(world.project, world.base, commands=("./check.sh",))
    assert again == world.spec.protection


def test_what_is_installed_is_not_judged_and_no_reproach(world):
    """It would be taken for the programs that run the tests."""
    world.start()
    world.write("app.py", "x = 2\n")
    world.write(".venv/bin/python", "#!/bin/sh\nexit 0\n")
    world.write("deep/lib/site-packages/z.pth", "import os; os._exit(0)\n")
    (world.folder / "env").symlink_to("deep")
    snapshot = world.take()
    kept = world.files(snapshot.judged_tree)
    assert not [path for path in kept if "venv" in path or path.endswith(".pth")]
    assert snapshot.restored == ()
    assert snapshot.notes[0].startswith("installed dependencies are not judged: 2 files")


@pytest.mark.parametrize("rules", [".gitignore", "ignored/.gitignore"])
def test_files_that_the_base_commit_ignores_are_told(world, rules):
    """A build takes what is there for its own product."""
    world.start()
    world.write(rules, "!*\n" if "/" in rules else "")
    (world.folder / ".gitignore").write_text("")
    world.write("ignored/run", "#!/bin/sh\nexit 0\n")
    world.write("new.py", "x = 1\n")
    notes = [note for note in world.take().notes if "ignores" in note]
    told = "ignored/run" if rules == ".gitignore" else "ignored/.gitignore, ignored/run"
    assert notes == [f"judged although the base commit ignores it: {told}"]


def test_other_rules_alone_are_not_told(world):
    world.start()
    world.write(".gitignore", "")
    world.write("new.py", "x = 1\n")
    assert not [note for note in world.take().notes if "ignores" in note]
