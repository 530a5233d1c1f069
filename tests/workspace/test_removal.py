"""Folders of strangers, in shapes that most programs cannot remove."""

import os

import pytest

from loopctl.workspace.ownership import give
from loopctl.workspace.removal import remove_folder

DEEP = 1500  # deeper than paths are long, and than Python calls itself


@pytest.fixture
def deep(tmp_path):
    """A folder with a chain of folders, a file and a link at its end."""
    root = tmp_path / "deep"
    root.mkdir()
    here = os.open(root, os.O_RDONLY)
    for _ in range(DEEP):
        os.mkdir("inner", dir_fd=here)
        below = os.open("inner", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=here))
    os.symlink(tmp_path, "link", dir_fd=here)
    yield root, here
    os.close(here)
    remove_folder(root)  # pytest cannot


def test_a_folder_deeper_than_paths_are_long_is_removed(deep, tmp_path):
    (tmp_path / "mine").touch()
    remove_folder(deep[0])
    assert not deep[0].exists()
    assert (tmp_path / "mine").exists()


def test_so_is_one_that_nobody_may_enter(deep):
    closed = deep[0] / "inner" / "closed"
    closed.mkdir()
    (closed / "inner").mkdir()
    closed.chmod(0)
    remove_folder(deep[0])
    assert not deep[0].exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_deeper_than_paths_are_long_is_given(deep, tmp_path):
    give(12345, deep[0])
    names = [os.stat(name, dir_fd=deep[1], follow_symlinks=False) for name in ("file", "link")]
    assert {each.st_uid for each in names} == {12345}
    assert tmp_path.stat().st_uid == 0
    give(0, deep[0])
    assert os.fstat(deep[1]).st_uid == 0


def test_nothing_to_remove_is_no_error(tmp_path):
    remove_folder(tmp_path / "none")
    (tmp_path / "file").touch()
    remove_folder(tmp_path / "file")
    assert (tmp_path / "file").exists()
