"""Content filters of the user: their output is kept before an agent exists, and used afterwards."""

import json

import pytest
from git_world import Loop, git, make_repository, plant

from loopctl.errors import GitError
from loopctl.git.export import export_tree
from loopctl.git.filtered_paths import FilteredPaths
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import discover
from loopctl.git.smudge import smudge
from loopctl.git.snapshot import Snapshotter
from loopctl.git.squash import carry_out, plan_squash
from loopctl.git.worktree import add_worktree
from loopctl.workspace.worktree_contents import WorktreeContents


@pytest.fixture
def top(tmp_path):
    made = make_repository(tmp_path / "user")
    git(made, "config", "filter.big.clean", "sed s/CONTENT/STORED/")
    git(made, "config", "filter.big.smudge", "sed s/STORED/CONTENT/")
    (made / ".gitattributes").write_text("*.big filter=big\n*.odd filter=odd\n")
    (made / "one.big").write_text("CONTENT 1\n")
    (made / "two.big").write_text("as it is\n")
    (made / "src" / "x.odd").write_text("odd\n")
    git(made, "add", "-A")
    git(made, "commit", "-q", "-m", "big")
    return made


@pytest.fixture
def made(top, tmp_path):
    user = discover(top)
    project = ProjectRepository.open_or_create(tmp_path / "project.git", user)
    worktree, index = tmp_path / "worktree", tmp_path / "index"
    add_worktree(user, worktree, "loopctl/demo", user.head)
    contents = WorktreeContents(user, project, worktree, index, user.head)
    notes = contents.complete(made=True)
    assert notes == ("src/x.odd: as git stores it, because the filter odd is not set up here",)
    snapshotter = Snapshotter(project, worktree, index, user.head)
    snapshotter.prepare()
    yield Loop(user, project, worktree, snapshotter, index), contents
    project.close()


def export(loop, tree, folder):
    export_tree(loop.project, tree, folder)
    filters = FilteredPaths(loop.project, loop.user.head)
    return smudge(loop.project, filters, tree, folder, loop.user.top_level)


def test_an_export_is_as_the_users_checkout_and_no_filter_runs(made, top, tmp_path):
    loop, _ = made
    for kind in ("clean", "smudge"):  # as an agent would change them
        git(top, "config", f"filter.big.{kind}", str(plant(tmp_path / kind, tmp_path / "ran")))
    export(loop, loop.user.head, tmp_path / "export")
    for name in ("one.big", "two.big", "src/x.odd"):
        assert (tmp_path / "export" / name).read_bytes() == (top / name).read_bytes()
    (loop.worktree / "one.big").write_text("CONTENT 2\n")
    taken = loop.take()
    assert "one.big is stored as it is" in taken.notes[0]
    export(loop, taken.tree, tmp_path / "second")
    assert (tmp_path / "second" / "one.big").read_text() == "CONTENT 2\n"
    assert not (tmp_path / "ran").exists()


def test_what_an_agent_made_is_never_taken_for_a_filters_output(made, tmp_path):
    loop, contents = made
    (loop.worktree / "one.big").write_text("CONTENT 2\n")
    contents.complete_again(loop.take().tree)
    assert (loop.worktree / "one.big").read_text() == "CONTENT 2\n"
    export(loop, loop.user.head, tmp_path / "export")
    assert (tmp_path / "export" / "one.big").read_text() == "CONTENT 1\n"


def test_a_changed_file_is_applied(made, top):
    loop, _ = made
    (loop.worktree / "one.big").write_text("CONTENT 2\n")
    tree = loop.take().tree
    (top / "one.big").write_text("CONTENT mine\n")
    assert plan_squash(loop.project, loop.user, loop.user.head, tree).dirty == ("one.big",)
    git(top, "checkout", "one.big")
    carry_out(loop.project, loop.user, plan_squash(loop.project, loop.user, loop.user.head, tree))
    assert (top / "one.big").read_text() == "CONTENT 2\n"
    assert plan_squash(loop.project, loop.user, loop.user.head, tree).after == {}


def test_a_filter_that_fails_is_named(top, tmp_path):
    git(top, "config", "filter.big.smudge", "no-such-program")
    git(top, "config", "filter.big.required", "true")
    user = discover(top)
    with pytest.raises(GitError) as refused:
        add_worktree(user, tmp_path / "worktree", "loopctl/demo", user.head)
    assert "smudge filter big failed" in refused.value.why
    assert git(top, "branch", "--list", "loopctl/*") == ""


def test_a_file_that_is_written_again_as_it_was_is_no_change(made):
    loop, _ = made
    file = loop.worktree / "one.big"
    file.write_text("CONTENT 1\n")  # as `git stash` and its pop do
    taken = loop.take()
    assert (taken.since_base, taken.notes) == ((), ())
    file.write_text("CONTENT 2\n")
    changed = loop.take()
    assert [change.path for change in changed.since_base] == ["one.big"]
    loop.index.unlink()  # as after a damaged index
    assert loop.take().tree == changed.tree
    file.unlink()
    assert [change.kind for change in loop.take().since_base] == ["D"]
    file.write_text("CONTENT 1\n")
    assert loop.take().since_base == ()


def test_a_loop_of_an_earlier_version_goes_on(made):
    loop, _ = made
    note = loop.index.with_name("index.filtered.json")
    kept = json.loads(note.read_text())
    note.write_text(json.dumps({path: row[0] for path, row in kept.items()}))
    assert loop.take().since_base == ()
    (loop.worktree / "one.big").write_text("CONTENT 2\n")
    assert [change.path for change in loop.take().since_base] == ["one.big"]
