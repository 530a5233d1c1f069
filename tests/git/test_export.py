import os
import socket
import stat
import zlib

import pytest
from git_world import git, make_loop, make_repository

from loopctl.errors import GitError
from loopctl.git.export import compose_tree, export_tree


def files(root):
    return {str(p.relative_to(root)) for p in root.rglob("*") if not p.is_dir() or p.is_symlink()}


def test_an_export_is_the_trees_files_and_nothing_else(loop, tmp_path):
    root = loop.worktree
    (root / ".gitattributes").write_text("src export-ignore\n*.bat eol=crlf\n* filter=evil\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "w.bat").write_text("x\r\n")
    (root / "ignored").mkdir()
    (root / "ignored" / "x").write_text("x")
    (root / "link").symlink_to("src/b.py")
    odd = os.fsdecode(b"caf\xe9\n")
    (root / odd).write_text("odd")
    taken = loop.take()
    place = tmp_path / "export"
    assert export_tree(loop.project, taken.commit, place) == ()
    assert files(place) == loop.names(taken.tree)
    assert {"src/b.py", odd} <= files(place)
    assert os.access(place / "run.sh", os.X_OK)
    assert (place / "w.bat").read_bytes() == b"x\r\n"
    assert (place / "link").resolve() == place / "src" / "b.py"
    with pytest.raises(GitError, match="cannot export"):
        export_tree(loop.project, taken.commit, place)


def test_escaping_links_are_listed_and_not_created(loop, tmp_path):
    root = loop.worktree
    (root / "absolute").symlink_to("/etc/passwd")
    (root / "up").symlink_to("../../etc")
    (root / "src" / "fine").symlink_to("../a.txt")
    (root / "dangling").symlink_to("nowhere")
    (root / "self").symlink_to("self")
    # Lexically inside, really outside: `src/d` is the root itself.
    (root / "src" / "d").symlink_to("..")
    (root / "sly").symlink_to("src/d/../secret")
    taken = loop.take()
    listed = export_tree(loop.project, taken.tree, tmp_path / "export")
    assert set(listed) == {"absolute", "up", "sly"}
    assert {"src/fine", "dangling", "self", "src/d"} <= files(tmp_path / "export")
    assert not {*listed} & files(tmp_path / "export")


def compose(loop, *restore):
    taken = loop.take()
    return taken.tree, compose_tree(loop.project, taken.tree, loop.user.head, restore)


@pytest.mark.parametrize(
    ("links", "escaping"),
    [
        ({"one": "two", "two": "src/../../outside"}, {"one", "two"}),
        ({"src/deep": "../..", "by": "src/deep/outside"}, {"src/deep", "by"}),
        ({"nowhere": "not/there/../../../outside"}, {"nowhere"}),
        ({"round": "round"}, set()),
        ({"folder": "src", "file": "folder/b.py", "dangling": "src/later"}, set()),
        ({"out": "/proc/self/cwd/a.txt"}, {"out"}),
    ],
)
def test_links_escape_by_chains_and_parents_and_others_stay(loop, tmp_path, links, escaping):
    for name, target in links.items():
        (loop.worktree / name).symlink_to(target)
    out = tmp_path / "out"
    assert set(export_tree(loop.project, loop.take().tree, out)) == escaping
    assert {name for name in links if (out / name).is_symlink()} == set(links) - escaping


def test_an_export_has_new_plain_files_whatever_the_worktree_has(loop, tmp_path, monkeypatch):
    root = loop.worktree
    (root / "a.txt").chmod(0o4777)
    (root / "src" / "twin.py").hardlink_to(root / "src" / "b.py")
    os.mkfifo(root / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(root)  # the name of a socket has to be short
        listener.bind("s")
        export_tree(loop.project, loop.take().tree, tmp_path / "out")
    found = {path: path.lstat() for path in (tmp_path / "out").rglob("*")}
    plain = [each for each in found.values() if stat.S_ISREG(each.st_mode)]
    assert {path.name for path in found} == {"a.txt", "b.py", "twin.py", "src", ".gitignore"}
    assert all(each.st_nlink == 1 and not each.st_mode & 0o7022 for each in plain)


def test_restoring_what_did_not_change_changes_nothing(loop):
    (loop.worktree / "a.txt").write_text("two\n")
    snapshot, composed = compose(loop, "src/b.py", "nowhere")
    assert composed == snapshot


def test_restored_paths_are_as_in_base_and_the_rest_as_in_the_snapshot(loop):
    root = loop.worktree
    (root / "a.txt").write_text("two\n")
    (root / "src" / "b.py").write_text("cheat\n")
    (root / "src" / "conftest.py").write_text("cheat\n")
    (root / ".gitignore").unlink()
    _, composed = compose(loop, "src/b.py", "src/conftest.py", ".gitignore")
    assert loop.names(composed) == {".gitignore", "a.txt", "src/b.py"}
    assert loop.content(composed, "src/b.py") == b"b = 1\n"
    assert loop.content(composed, "a.txt") == b"two\n"


@pytest.mark.parametrize("trick", ["folder", "parent file", "parent link", "mode", "link"])
def test_whatever_stands_in_the_way_of_a_restored_path(loop, tmp_path, trick):
    root = loop.worktree
    target = root / "src" / "b.py"
    if trick == "folder":
        target.unlink()
        target.mkdir()
        (target / "x").write_text("x")
    elif trick == "mode":
        target.chmod(0o755)
    elif trick == "link":
        target.unlink()
        target.symlink_to("../a.txt")
    else:
        target.unlink()
        (root / "src").rmdir()
        (root / "src").write_text("x") if trick == "parent file" else (root / "src").symlink_to(".")
    _, composed = compose(loop, "src/b.py")
    assert composed == loop.project.tree_of(loop.user.head)
    export_tree(loop.project, composed, tmp_path / "export")
    assert (tmp_path / "export" / "src" / "b.py").read_text() == "b = 1\n"


def test_a_forged_object_in_the_users_repository_is_not_restored(repository, tmp_path):
    loop = make_loop(repository, tmp_path / "state")
    (loop.worktree / "src" / "b.py").write_text("cheat\n")
    taken = loop.take()
    blob = git(repository, "rev-parse", "HEAD:src/b.py")
    stored = repository / ".git" / "objects" / blob[:2] / blob[2:]
    stored.chmod(0o644)
    stored.write_bytes(zlib.compress(b"blob 6\0b = 2\n"))
    with pytest.raises(GitError, match="cannot restore"):
        compose_tree(loop.project, taken.tree, loop.user.head, ("src/b.py",))
    loop.project.close()


def test_an_export_is_byte_for_byte_the_users_checkout(tmp_path, monkeypatch):
    """Line ends, encodings, identifiers, archives: what attributes do to files, from any place."""
    own = tmp_path / "attributes"
    own.write_text("*.txt text eol=crlf\n*.own text eol=crlf\n")
    git(tmp_path, "config", "--global", "core.attributesFile", str(own))
    git(tmp_path, "config", "--global", "core.autocrlf", "input")
    top = make_repository(tmp_path / "attributed")
    (top / ".gitattributes").write_text(
        "src export-ignore\n*.bat text eol=crlf\n*.txt -text\n*.id ident\n*.auto text=auto\n"
        "*.wide text working-tree-encoding=UTF-16LE\n*.sub export-subst\n"
    )
    (top / ".git" / "info" / "attributes").write_text("*.private text eol=crlf\n")
    for ending in ("bat", "txt", "own", "private", "auto", "plain"):
        (top / f"file.{ending}").write_bytes(b"one\ntwo\n")
    (top / "crlf.auto").write_bytes(b"one\r\n")
    (top / "mixed.txt").write_bytes(b"one\r\ntwo\n")
    (top / "file.id").write_text("$Id$\n")
    (top / "file.sub").write_text("$Format:%H$\n")
    (top / "file.wide").write_bytes("wide\n".encode("utf-16-le"))
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "attributed")
    git(top, "rm", "-q", "-r", "--cached", ".")  # written again, as a fresh clone has it
    git(top, "reset", "-q", "--hard")
    loop = make_loop(top, tmp_path / "state")
    export_tree(loop.project, loop.user.head, tmp_path / "export")
    names = [name for name in git(top, "ls-files", "-z").split("\0") if name]
    for folder in (loop.worktree, tmp_path / "export"):
        found = {name: (folder / name).read_bytes() for name in names}
        assert found == {name: (top / name).read_bytes() for name in names}
    assert loop.take().since_base == ()
    loop.project.close()
