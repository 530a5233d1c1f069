"""An object whose content is not what its id says is found, wherever in a tree it is."""

import zlib

import pytest
from git_world import git, make_loop, make_repository

from loopctl.git.object_check import damaged_objects

FORGED = {
    "another content": zlib.compress(b"blob 6\0b = 2\n"),
    "another kind": zlib.compress(b"tree 0\0"),
    "no object at all": b"garbage",
    "empty": b"",
}


def rewrite(repository, name, content):
    stored = repository / ".git" / "objects" / name[:2] / name[2:]
    stored.chmod(0o644)
    stored.write_bytes(content)


def test_a_tree_that_is_as_it_should_be(loop):
    (loop.worktree / "src" / "more.py").write_text("more\n")
    taken = loop.take()
    assert damaged_objects(loop.project, (taken.commit, loop.user.head, taken.tree)) == ()
    assert damaged_objects(loop.project, ("1" * 40,)) == ("1" * 40,)


@pytest.mark.parametrize("forged", FORGED)
@pytest.mark.parametrize("path", ["src/b.py", "src"])
def test_a_forged_object(path, forged, repository, loop):
    name = git(repository, "rev-parse", f"HEAD:{path}")
    rewrite(repository, name, FORGED[forged])
    assert name in damaged_objects(loop.project, (loop.user.head,))


def test_a_forged_commit(repository, loop):
    rewrite(repository, loop.user.head, zlib.compress(b"commit 5\0tree "))
    assert damaged_objects(loop.project, (loop.user.head,)) == (loop.user.head,)


def test_submodules_are_not_followed_and_long_ids_are_read(tmp_path):
    top = make_repository(tmp_path / "long", "--object-format=sha256")
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{'2' * 64},module")
    git(top, "commit", "-q", "-m", "module")
    loop = make_loop(top, tmp_path / "state")
    try:
        assert damaged_objects(loop.project, (loop.user.head,)) == ()
    finally:
        loop.project.close()
