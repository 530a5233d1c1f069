"""What git can read in a container: the judged trees, and nothing else of the repository."""

import subprocess

from git_world import git

from loopctl.git.checkout_repository import make_git_folder
from loopctl.git.export import export_tree
from loopctl.git.judged_objects import JudgedObjects
from loopctl.git.object_folders import object_folders


def checkout(loop, tree, folder, objects):
    folder.mkdir()
    index = make_git_folder(
        loop.project, tree, folder, base_commit=loop.user.head, history=None, objects=objects
    )
    export_tree(loop.project, tree, folder, index=index)
    return folder


def can_read(folder, name):
    asked = ["git", "cat-file", "-e", name]
    return subprocess.run(asked, cwd=folder, capture_output=True, check=False).returncode == 0


def test_every_judged_tree_is_whole_and_nothing_else_is_there(loop, tmp_path):
    hidden = git(loop.user.top_level, "hash-object", "-w", "--stdin", "--path", "x")
    objects = JudgedObjects(loop.project, tmp_path / "objects")
    base = loop.take().tree
    first = checkout(loop, base, tmp_path / "first", objects)
    (loop.worktree / "deep" / "er").mkdir(parents=True)
    (loop.worktree / "deep" / "er" / "file").write_text("new\n")
    second = checkout(loop, loop.take().tree, tmp_path / "second", objects)
    for place in (first, second):
        assert git(place, "status", "--porcelain") == ""
        assert git(place, "fsck", "--full", "--no-dangling") == ""
        assert not can_read(place, loop.user.head)
        assert not can_read(place, hidden)
    assert git(second, "show", "HEAD:deep/er/file") == "new"


def test_the_same_commit_is_packed_once_and_only_what_is_new_later(loop, tmp_path):
    objects = JudgedObjects(loop.project, tmp_path / "objects")
    packs = tmp_path / "objects" / "pack"
    tree = loop.take().tree
    checkout(loop, tree, tmp_path / "first", objects)
    before = {each.name: each.stat().st_mtime_ns for each in packs.iterdir()}
    checkout(loop, tree, tmp_path / "again", objects)
    assert {each.name: each.stat().st_mtime_ns for each in packs.iterdir()} == before
    (loop.worktree / "new").write_text("new\n")
    checkout(loop, loop.take().tree, tmp_path / "second", objects)
    (index,) = (each for each in packs.glob("*.idx") if each.name not in before)
    listed = git(tmp_path, "verify-pack", "-v", str(index)).splitlines()
    kinds = [line.split()[1] for line in listed if line[:1] in "0123456789abcdef"]
    assert sorted(kind for kind in kinds if kind in {"blob", "commit", "tree"}) == [
        "blob",
        "commit",
        "tree",
    ]


def test_everybody_may_read_it(loop, tmp_path):
    JudgedObjects(loop.project, tmp_path / "objects").hold(
        loop.project.write_commit(loop.take().tree, (), "x\n", 0)
    )
    folder = tmp_path / "objects"
    for path in (folder, *folder.rglob("*")):
        wanted = 0o555 if path.is_dir() else 0o444
        assert path.stat().st_mode & wanted == wanted, path


def test_a_history_borrows_what_the_project_borrows(loop):
    folders = object_folders(loop.project.path / "objects")
    assert folders == (loop.project.path / "objects", loop.user.common_dir / "objects")
