"""The project of a folder is the one that the use cases find with git."""

import subprocess

import pytest
from invocation import GIT

from loopctl.cli.checkout import checkout_top, project_of
from loopctl.git.repository import discover
from loopctl.workspace.project import project_id


def test_the_checkout_and_its_folders(repository):
    inner = repository / "a" / "b"
    inner.mkdir(parents=True)
    for folder in (repository, inner):
        assert checkout_top(folder) == repository
        assert project_of(folder) == project_id(discover(folder))


def test_linked_worktrees_and_links_belong_to_the_project(repository, tmp_path):
    linked = tmp_path / "linked"
    subprocess.run([*GIT, "worktree", "add", "-q", str(linked)], check=True)
    link = tmp_path / "link"
    link.symlink_to(repository)
    for folder in (linked, link):
        assert project_of(folder) == project_id(discover(folder)) == project_of(repository)


def test_a_separate_git_folder(tmp_path):
    top = tmp_path / "top"
    subprocess.run(
        ["git", "init", "-q", f"--separate-git-dir={tmp_path / 'g'}", str(top)], check=True
    )
    subprocess.run([*GIT, "commit", "-q", "--allow-empty", "-m", "x"], cwd=top, check=True)
    assert project_of(top) == project_id(discover(top))


def test_no_repository(nowhere):
    assert checkout_top(nowhere) is None
    assert project_of(nowhere) is None


@pytest.mark.parametrize("content", [b"", b"nonsense", b"\xff", b"gitdir: "])
def test_a_git_file_that_says_nothing(content, nowhere):
    (nowhere / ".git").write_bytes(content)
    assert project_of(nowhere) is None
