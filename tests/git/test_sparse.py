"""A sparse checkout of the user: a loop has the whole tree, and its work comes back into it."""

import pytest
from git_world import git, make_loop, make_repository

from loopctl.git.squash import carry_out, plan_squash


@pytest.fixture
def loop(tmp_path):
    top = make_repository(tmp_path / "user")
    (top / "docs").mkdir()
    (top / "docs" / "page").write_text("page\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "docs")
    git(top, "sparse-checkout", "set", "--cone", "--sparse-index", "src")
    assert not (top / "docs").exists()
    made = make_loop(top, tmp_path / "state")
    yield made
    made.project.close()


def test_an_absent_file_is_no_deleted_one(loop):
    assert (loop.worktree / "docs" / "page").exists()
    assert git(loop.worktree, "status", "--porcelain") == ""
    assert loop.take().since_base == ()


def test_work_outside_of_what_is_checked_out_is_applied(loop):
    top = loop.user.top_level
    (loop.worktree / "docs" / "page").write_text("another\n")
    (loop.worktree / "src" / "b.py").write_text("b = 2\n")
    tree = loop.take().tree
    squash = plan_squash(loop.project, loop.user, loop.user.head, tree)
    assert (squash.dirty, squash.before["docs/page"]) == ((), None)
    carry_out(loop.project, loop.user, squash)
    assert (top / "docs" / "page").read_text() == "another\n"
    assert set(git(top, "diff", "--name-only").split()) == {"docs/page", "src/b.py"}


def test_what_cannot_be_deleted_because_it_is_not_there_stops_everything(loop):
    (loop.worktree / "docs" / "page").unlink()
    squash = plan_squash(loop.project, loop.user, loop.user.head, loop.take().tree)
    assert squash.dirty == ("docs/page",)
