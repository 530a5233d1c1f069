"""The git folder of a sandboxed agent, seen as its git sees it."""

import subprocess

import pytest
from git_world import git, make_repository

from loopctl.git.agent_clone import AgentClone, git_file
from loopctl.git.object_folders import object_folders
from loopctl.git.repository import discover


@pytest.fixture
def clone(loop, tmp_path):
    """The clone, in the place of the worktree's own git folder."""
    made = AgentClone(tmp_path / "agent" / "git", "loopctl/demo", loop.user.head)
    made.make(loop.user)
    (loop.worktree / ".git").write_bytes(git_file(made.folder))
    return made


def test_the_loops_branch_is_checked_out_and_clean(loop, clone):
    assert git(loop.worktree, "status", "--porcelain") == ""
    assert git(loop.worktree, "symbolic-ref", "HEAD") == "refs/heads/loopctl/demo"
    assert git(loop.worktree, "rev-parse", "HEAD") == loop.user.head
    assert git(loop.worktree, "log", "--format=%s") == "first"


def test_a_commit_stays_in_the_clone(loop, clone, repository):
    before = git(repository, "for-each-ref")
    (loop.worktree / "a.txt").write_text("agent\n")
    git(loop.worktree, "commit", "-qam", "agent")
    assert git(loop.worktree, "log", "-1", "--format=%an <%ae> %s") == (
        "Ada <ada@example.org> agent"
    )
    new = git(loop.worktree, "rev-parse", "HEAD")
    assert git(repository, "for-each-ref") == before
    missing = subprocess.run(["git", "cat-file", "-e", new], cwd=repository, check=False)
    assert missing.returncode != 0


def test_without_a_name_of_the_users_somebody_commits(loop, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    made = AgentClone(tmp_path / "git", "loopctl/demo", loop.user.head)
    made.make(loop.user)
    assert git(made.folder, "config", "user.name") == "loopctl agent"


def test_what_is_ignored_and_how_lines_end_is_as_the_user_has_it(repository, tmp_path):
    (repository / ".git/info/exclude").write_text("*.secret\n")
    git(repository, "config", "core.autocrlf", "input")
    user = discover(repository)
    made = AgentClone(tmp_path / "git", "main", user.head)
    made.make(user)
    (repository / "my.secret").write_text("x")
    seen = git(tmp_path, f"--git-dir={made.folder}", f"--work-tree={repository}", "status", "-s")
    assert seen == ""
    assert git(made.folder, "config", "core.autocrlf") == "input"


def test_objects_that_cannot_be_read_are_copied(loop, tmp_path):
    made = AgentClone(tmp_path / "git", "loopctl/demo", loop.user.head)
    made.make(loop.user, borrow=False)
    assert not (made.folder / "objects/info/alternates").exists()
    assert git(made.folder, "log", "--format=%s") == "first"
    git(made.folder, "fsck", "--strict")


def test_a_second_one_takes_the_place_of_the_first(loop, clone):
    (clone.folder / "hooks").mkdir()
    (clone.folder / "hooks/pre-commit").write_text("#!/bin/sh\nexit 1\n")
    clone.make(loop.user)
    assert not (clone.folder / "hooks").exists()
    assert git(loop.worktree, "status", "--porcelain") == ""


def test_objects_are_found_where_the_user_borrows_them(repository, tmp_path):
    borrower = tmp_path / "borrower"
    git(tmp_path, "clone", "-q", "--shared", str(repository), str(borrower))
    folders = object_folders(discover(borrower).common_dir / "objects")
    assert folders == (borrower / ".git/objects", repository / ".git/objects")
    made = AgentClone(tmp_path / "git", "main", discover(borrower).head)
    made.make(discover(borrower))
    assert git(made.folder, "log", "--format=%s") == "first"


def test_a_repository_with_longer_ids(tmp_path):
    user = discover(make_repository(tmp_path / "long", "--object-format=sha256"))
    made = AgentClone(tmp_path / "git", "main", user.head)
    made.make(user)
    assert git(made.folder, "rev-parse", "HEAD") == user.head
