"""Objects that were rewritten behind the files are seen, and what is kept is not touched by it."""

import shutil

import pytest
from git_world import git

from loopctl.errors import GitError
from loopctl.git.export import export_tree
from loopctl.git.kept_objects import keep_objects
from loopctl.git.object_watch import ObjectWatch

FORGED = b"b = 1  # judged by nobody\n"


def everything(_path):
    return True


def forge(repository, path, content=FORGED):
    """Give an object of the user's repository the content of another one."""
    name = git(repository, "rev-parse", f"HEAD:{path}")
    other = git(repository, "hash-object", "-w", "--stdin", input=content.decode())
    folder = repository / ".git" / "objects"
    target = folder / name[:2] / name[2:]
    target.chmod(0o644)
    shutil.copyfile(folder / other[:2] / other[2:], target)
    return name


def exported(loop, tree, folder):
    export_tree(loop.project, tree, folder)
    return (folder / "src" / "b.py").read_bytes()


def test_objects_that_stand_still_are_hashed_once(loop, monkeypatch):
    watch = ObjectWatch(loop.project)
    tree = loop.project.tree_of(loop.user.head)
    assert watch.damaged(tree, everything) == ""
    read, reading = [], loop.project.read
    monkeypatch.setattr(loop.project, "read", lambda name: read.append(name) or reading(name))
    assert watch.damaged(tree, everything) == ""
    assert set(read) <= {tree}


def test_a_rewritten_content_is_seen(loop, repository):
    watch = ObjectWatch(loop.project)
    tree = loop.project.tree_of(loop.user.head)
    assert watch.damaged(tree, everything) == ""
    forge(repository, "src/b.py")
    assert "src/b.py" in watch.damaged(tree, everything)
    assert watch.damaged(tree, lambda path: path == "a.txt") == ""


def test_a_rewritten_folder_is_seen(loop, repository):
    """Another content under the same name of a folder: no content of it is damaged."""
    watch = ObjectWatch(loop.project)
    tree = loop.project.tree_of(loop.user.head)
    name = git(repository, "rev-parse", "HEAD:src")
    target = repository / ".git" / "objects" / name[:2] / name[2:]
    root = repository / ".git" / "objects" / tree[:2] / tree[2:]
    target.chmod(0o644)
    shutil.copyfile(root, target)
    assert f"the tree {name}" in watch.damaged(tree, everything)


def test_a_tree_that_was_written_before_it_came_about_is_seen(loop):
    """An agent can tell the id of the next tree, and git does not write what seems to be there."""
    (loop.worktree / "a.txt").write_text("two\n")
    taken = loop.take()
    own = loop.project.path / "objects" / taken.tree[:2] / taken.tree[2:]
    base = loop.project.tree_of(loop.user.head)
    borrowed = loop.user.git_dir / "objects" / base[:2] / base[2:]
    own.chmod(0o644)
    shutil.copyfile(borrowed, own)
    assert f"the tree {taken.tree}" in ObjectWatch(loop.project).damaged(taken.tree, everything)


def test_what_is_kept_goes_before_what_is_borrowed(loop, repository, tmp_path):
    keep_objects(loop.project, loop.user.head, everything)
    forge(repository, "src/b.py")
    tree = loop.project.tree_of(loop.user.head)
    assert exported(loop, tree, tmp_path / "out") == b"b = 1\n"
    assert ObjectWatch(loop.project).damaged(tree, everything) == ""


def test_a_pack_of_the_user_does_not_go_before_what_is_kept(loop, repository, tmp_path):
    keep_objects(loop.project, loop.user.head, everything)
    git(repository, "repack", "-adq")
    (pack,) = (repository / ".git" / "objects" / "pack").glob("*.pack")
    pack.chmod(0o644)
    pack.write_bytes(b"\0" * pack.stat().st_size)
    tree = loop.project.tree_of(loop.user.head)
    assert exported(loop, tree, tmp_path / "out") == b"b = 1\n"


def test_nothing_that_is_damaged_already_is_kept(loop, repository):
    forge(repository, "src/b.py")
    with pytest.raises(GitError, match="of the base commit is missing or damaged"):
        keep_objects(loop.project, loop.user.head, everything)


def test_keeping_twice_is_harmless(loop):
    for _ in range(2):
        keep_objects(loop.project, loop.user.head, everything)
    assert len(list((loop.project.path / "objects" / "pack").glob("*.pack"))) == 1
