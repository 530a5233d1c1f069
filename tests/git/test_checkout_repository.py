"""What git finds in an evaluator's checkout."""

import subprocess
import time

import pytest
from git_world import git, make_loop, make_repository

from loopctl.git.checkout_repository import make_git_folder, read_history
from loopctl.git.export import export_tree


def checkout(loop, tree, folder, *, history=False, folders=()):
    folder.mkdir()
    base = loop.user.head
    found = read_history(loop.user, base) if history else None
    index = make_git_folder(loop.project, tree, folder, base_commit=base, history=found)
    export_tree(loop.project, tree, folder, index=index, folders=folders)
    return folder


def test_one_commit_of_the_judged_tree_and_a_clean_status(loop, tmp_path):
    (loop.worktree / "a.txt").write_text("two\r\n")
    (loop.worktree / ".gitattributes").write_text("*.txt text\n*.bat eol=crlf\n")
    (loop.worktree / "w.bat").write_text("x\r\n")
    (loop.worktree / "link").symlink_to("a.txt")
    tree = loop.take().tree
    place = checkout(loop, tree, tmp_path / "checkout")
    assert git(place, "status", "--porcelain", "--branch") == "## main"
    assert git(place, "rev-parse", "HEAD^{tree}") == tree
    assert git(place, "rev-list", "--all", "--count") == "1"
    assert set(git(place, "ls-files").splitlines()) == loop.names(tree)
    time.sleep(0.01)
    (place / "a.txt").write_text("changed\n")
    assert git(place, "status", "--porcelain") == "M a.txt"


def test_the_same_tree_gives_the_same_commit_with_the_time_of_the_base(loop, tmp_path):
    tree = loop.take().tree
    first, second = (checkout(loop, tree, tmp_path / name) for name in "ab")
    assert git(first, "rev-parse", "HEAD") == git(second, "rev-parse", "HEAD")
    assert git(first, "log", "-1", "--format=%ct") == git(loop.user.top_level, *LAST_TIME)


LAST_TIME = ("log", "-1", "--format=%ct")


def test_work_in_it_stays_in_it(loop, tmp_path):
    place = checkout(loop, loop.take().tree, tmp_path / "checkout")
    before = git(loop.user.top_level, "for-each-ref")
    (place / "new").write_text("x")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", "a test's own commit")
    git(place, "gc", "-q")
    assert git(loop.user.top_level, "for-each-ref") == before
    assert git(loop.project.path, "fsck", "--connectivity-only", "--no-dangling") == ""


def test_hooks_and_settings_of_an_agent_are_not_in_it(loop, tmp_path):
    hooks = loop.user.common_dir / "hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    git(loop.worktree, "config", "core.fsmonitor", "false-program")
    place = checkout(loop, loop.take().tree, tmp_path / "checkout")
    git(place, "commit", "-q", "--allow-empty", "-m", "x")
    assert "fsmonitor" not in (place / ".git" / "config").read_text()


def test_history_has_the_base_below_and_its_tags(loop, tmp_path):
    git(loop.user.top_level, "tag", "-a", "v1", "-m", "one")
    (loop.worktree / "a.txt").write_text("two\n")
    tree = loop.take().tree
    place = checkout(loop, tree, tmp_path / "checkout", history=True)
    assert git(place, "rev-parse", "HEAD^") == loop.user.head
    assert git(place, "describe", "--tags").startswith("v1-1-g")
    base = loop.project.tree_of(loop.user.head)
    place = checkout(loop, base, tmp_path / "base", history=True)
    assert git(place, "describe", "--tags", "--dirty") == "v1"


def test_history_of_a_shallow_clone(tmp_path):
    full = make_repository(tmp_path / "full")
    git(full, "commit", "-q", "--allow-empty", "-m", "second")
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{full}", "shallow")
    loop = make_loop(tmp_path / "shallow", tmp_path / "state")
    try:
        (loop.worktree / "a.txt").write_text("two\n")
        place = checkout(loop, loop.take().tree, tmp_path / "checkout", history=True)
        assert git(place, "rev-list", "--count", "HEAD") == "2"
    finally:
        loop.project.close()


def test_a_limited_checkout_is_clean_too(loop, tmp_path):
    (loop.worktree / "other").mkdir()
    (loop.worktree / "other" / "x").write_text("x")
    place = checkout(loop, loop.take().tree, tmp_path / "checkout", folders=("src",))
    assert git(place, "status", "--porcelain") == ""
    assert sorted(each.name for each in place.iterdir()) == [".git", ".gitignore", "a.txt", "src"]


def test_sha256(tmp_path):
    probe = subprocess.run(
        ["git", "init", "-q", "--object-format=sha256", str(tmp_path / "probe")], check=False
    )
    if probe.returncode:
        pytest.skip("this git has no sha256")
    top = make_repository(tmp_path / "user", "--object-format=sha256")
    loop = make_loop(top, tmp_path / "state")
    try:
        place = checkout(loop, loop.take().tree, tmp_path / "checkout")
        assert git(place, "status", "--porcelain") == ""
    finally:
        loop.project.close()
