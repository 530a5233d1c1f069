"""One folder that is brought from tree to tree is always what a fresh export would be."""

import os
import random
import shutil
import socket
import stat
from pathlib import Path

import pytest
from git_world import git, make_loop

from loopctl.errors import GitError
from loopctl.git.export import export_tree
from loopctl.git.project_folder import CONTENT_FILE
from loopctl.git.refreshed_export import RefreshedExport

ODD = os.fsdecode(b"caf\xe9\nname")


@pytest.fixture
def filled(loop):
    """A worktree with a bit of everything."""
    root = loop.worktree
    for number in range(4):
        (root / "deep" / f"d{number}").mkdir(parents=True)
        for name in ("x.py", "y.py"):
            (root / "deep" / f"d{number}" / name).write_text(f"{number}{name}\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / ODD).write_text("odd\n")
    (root / "in").symlink_to("src/b.py")
    (root / "out").symlink_to("/etc/passwd")
    return loop


def make_export(loop, tmp_path, folders=()):
    (tmp_path / "beside").mkdir()
    (tmp_path / "place").mkdir()
    return RefreshedExport(loop.project, tmp_path / "place" / "work", tmp_path / "beside", folders)


def look(root: Path):
    """Everything that can be told of a folder: names, kinds, modes, contents, targets, links."""
    found = {}
    for parent, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = Path(parent) / name
            status = path.lstat()
            content = b""
            if stat.S_ISLNK(status.st_mode):
                content = os.fsencode(path.readlink())
            elif stat.S_ISREG(status.st_mode):
                content = path.read_bytes()
            links = 1 if stat.S_ISDIR(status.st_mode) else status.st_nlink
            listed = tuple(os.listxattr(path, follow_symlinks=False))
            found[str(path.relative_to(root))] = (status.st_mode, content, links, listed)
    return found


def fresh(loop, tree, tmp_path, folders=()):
    place = tmp_path / "fresh"
    links = export_tree(loop.project, tree, place, folders=folders)
    seen = look(place)
    shutil.rmtree(place)
    return seen, set(links)


def hidden_edit(path: Path) -> None:
    """Another content of the same size with the same modification time."""
    before = path.stat()
    path.write_bytes(bytes(reversed(path.read_bytes())))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swap(path: Path, how) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    how(path)


def bind_socket(path: Path) -> None:
    here = Path.cwd()
    os.chdir(path.parent)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path.name)
    os.chdir(here)


def locked(path: Path) -> None:
    path.mkdir()
    (path / "file").write_text("x")
    path.chmod(0)


def rename_over(root: Path) -> None:
    (root / "twin").write_bytes(bytes(reversed((root / "a.txt").read_bytes())))
    shutil.copystat(root / "a.txt", root / "twin")
    (root / "twin").replace(root / "a.txt")


TAMPERINGS = {
    "new file": lambda root: (root / "src" / "new.py").write_text("x"),
    "ignored file": lambda root: (root / "trace.log").write_text("x"),
    "ignored folder": lambda root: (
        (root / "ignored" / "a").mkdir(parents=True),
        (root / "ignored" / "a" / "b").write_text("x"),
    ),
    "compiled code": lambda root: (
        (root / "src" / "__pycache__").mkdir(),
        (root / "src" / "__pycache__" / "b.pyc").write_bytes(b"x"),
    ),
    "nested repository": lambda root: (git(root / "src", "init", "-q"),),
    "nested git file": lambda root: (root / "deep" / ".git").write_text("gitdir: /tmp\n"),
    "repository at the root": lambda root: git(root, "init", "-q"),
    "attributes": lambda root: (root / "src" / ".gitattributes").write_text("* eol=crlf\n"),
    "pipe": lambda root: os.mkfifo(root / "pipe"),
    "pipe for rules": lambda root: os.mkfifo(root / "src" / ".gitattributes"),
    "pipe for a file": lambda root: swap(root / "a.txt", os.mkfifo),
    "socket": lambda root: bind_socket(root / "s"),
    "socket for a file": lambda root: swap(root / "a.txt", bind_socket),
    "folder without permissions": lambda root: locked(root / "locked"),
    "known folder without permissions": lambda root: (root / "deep" / "d0").chmod(0),
    "root without permissions": lambda root: root.chmod(0o500),
    "open folder": lambda root: (root / "deep" / "d0").chmod(0o777),
    "link for a folder": lambda root: swap(
        root / "deep" / "d1", lambda path: path.symlink_to("d2")
    ),
    "link out for a folder": lambda root: swap(
        root / "deep" / "d1", lambda path: path.symlink_to(root.parent.parent / "precious")
    ),
    "link for a file": lambda root: swap(root / "a.txt", lambda path: path.symlink_to("src/b.py")),
    "file for a link": lambda root: swap(root / "in", lambda path: path.write_text("src/b.py")),
    "link with another target": lambda root: swap(
        root / "in", lambda path: path.symlink_to("run.sh")
    ),
    "link that leads out comes back": lambda root: (root / "out").symlink_to("/etc/passwd"),
    "folder for a link that leads out": lambda root: (root / "out").mkdir(),
    "hard link from outside": lambda root: os.link(root / "a.txt", root.parent / "twin"),
    "hard link to another file": lambda root: swap(
        root / "a.txt", lambda path: os.link(root / "src" / "b.py", path)
    ),
    "mode of a file": lambda root: (root / "a.txt").chmod(0o666),
    "executable": lambda root: (root / "a.txt").chmod(0o755),
    "not executable": lambda root: (root / "run.sh").chmod(0o644),
    "no permissions": lambda root: (root / "a.txt").chmod(0),
    "set-id": lambda root: (root / "run.sh").chmod(0o4755),
    "content": lambda root: (root / "a.txt").write_text("changed\n"),
    "content with a faked time": lambda root: hidden_edit(root / "a.txt"),
    "another file with all of its times": rename_over,
    "an old time": lambda root: os.utime(root / "a.txt", (1, 1)),
    "deleted file": lambda root: (root / "src" / "b.py").unlink(),
    "deleted folder": lambda root: shutil.rmtree(root / "deep"),
    "folder for a file": lambda root: swap(root / "a.txt", lambda path: path.mkdir()),
    "full folder for a file": lambda root: (
        swap(root / "a.txt", lambda path: path.mkdir()),
        (root / "a.txt" / "inner").write_text("x"),
    ),
    "file for a folder": lambda root: swap(root / "deep" / "d3", lambda path: path.write_text("x")),
    "case variant of a file": lambda root: (root / "A.TXT").write_text("x"),
    "renamed to a case variant": lambda root: (root / "a.txt").rename(root / "A.txt"),
    "case variant of a folder": lambda root: (root / "Deep").mkdir(),
    "empty folder": lambda root: (root / "deep" / "empty").mkdir(),
    "odd names": lambda root: (
        (root / os.fsdecode(b"new\nline\xff")).write_text("x"),
        (root / os.fsdecode(b"fold\ner\xff")).mkdir(),
    ),
    "edit of an odd name": lambda root: hidden_edit(root / ODD),
    "two files exchanged": lambda root: (
        (root / "deep/d0/x.py").rename(root / "t"),
        (root / "deep/d1/x.py").rename(root / "deep/d0/x.py"),
        (root / "t").rename(root / "deep/d1/x.py"),
    ),
    "two folders exchanged": lambda root: (
        (root / "deep/d0").rename(root / "t"),
        (root / "deep/d1").rename(root / "deep/d0"),
        (root / "t").rename(root / "deep/d1"),
    ),
    "extended attribute of a file": lambda root: os.setxattr(root / "a.txt", "user.x", b"x"),
}


def test_every_tampering_is_undone(filled, tmp_path):
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "x.py").write_text("mine")
    tree = filled.take().tree
    export = make_export(filled, tmp_path)
    wanted = fresh(filled, tree, tmp_path)
    assert (fresh_links := set(export.bring_to(tree))) == wanted[1] == {"out"}
    assert look(export.folder) == wanted[0]
    for name, tamper in TAMPERINGS.items():
        tamper(export.folder)
        assert set(export.bring_to(tree)) == fresh_links, name
        assert look(export.folder) == wanted[0], name
        assert (export.folder.stat().st_mode & 0o777) == 0o700, name
    assert (tmp_path / "precious" / "x.py").read_text() == "mine"


def replace_root(export) -> None:
    export.folder.rename(export.folder.with_name("aside"))
    (export.folder.parent / "precious").mkdir()
    (export.folder.parent / "precious" / "mine").write_text("x")
    export.folder.symlink_to("precious")


def another_root(export) -> None:
    export.folder.rename(export.folder.with_name("aside"))
    export.folder.mkdir()
    (export.folder / "mine").write_text("x")


REFUSED = {
    "a link for the root": lambda export, loop: replace_root(export),
    "another root": lambda export, loop: another_root(export),
    "no root": lambda export, loop: shutil.rmtree(export.folder),
    "a folder's attributes": lambda export, loop: os.setxattr(
        export.folder / "src", "user.x", b"x"
    ),
    "the index": lambda export, loop: git(
        export.folder,
        *(f"--git-dir={loop.project.path}", "--work-tree=.", "update-index"),
        *("--assume-unchanged", "a.txt"),
        env={**os.environ, "GIT_INDEX_FILE": str(export.index)},
    ),
    "no index": lambda export, loop: export.index.unlink(),
    "other settings": lambda export, loop: (loop.project.path / CONTENT_FILE).write_text(
        "[core]\n\tautocrlf = true\n"
    ),
}


@pytest.mark.parametrize("how", REFUSED)
def test_what_cannot_be_undone_is_refused_and_nothing_of_others_is_removed(filled, tmp_path, how):
    tree = filled.take().tree
    export = make_export(filled, tmp_path)
    export.bring_to(tree)
    REFUSED[how](export, filled)
    before = look(tmp_path / "place")
    with pytest.raises((GitError, OSError)):
        export.bring_to(tree)
    assert look(tmp_path / "place") == before


def change_at_random(root: Path, dice: random.Random) -> None:
    """One edit as an agent makes them, in the worktree."""
    files = [path for path in root.rglob("*") if path.is_file() and ".git" not in path.parts]
    chosen = dice.choice(files)
    action = dice.choice(("edit", "delete", "add", "mode", "link", "folder", "out"))
    if action == "edit":
        chosen.write_text(str(dice.random()))
    elif action == "mode":
        chosen.chmod(0o755 if dice.random() < 0.5 else 0o644)
    elif action == "add":
        place = chosen.parent / f"new{dice.randrange(3)}"
        place.mkdir(exist_ok=True)
        (place / "file").write_text(str(dice.random()))
    elif chosen.name != ".gitignore":
        chosen.unlink()
        if action == "link":
            chosen.symlink_to(dice.choice(("x.py", "../x.py", "nowhere")))
        elif action == "out":
            chosen.symlink_to("/etc")
        elif action == "folder":
            chosen.mkdir()
            (chosen / "inner").write_text("x")


@pytest.mark.parametrize("seed", range(4))
def test_refreshed_is_as_fresh(filled, tmp_path, seed):
    dice = random.Random(seed)
    export = make_export(filled, tmp_path)
    harmless = [each for name, each in TAMPERINGS.items() if "rules" not in name]
    for _ in range(5):
        for _ in range(dice.randrange(4)):
            change_at_random(filled.worktree, dice)
        tree = filled.take().tree
        links = set(export.bring_to(tree))
        assert (look(export.folder), links) == fresh(filled, tree, tmp_path)
        for tamper in dice.sample(harmless, 3):
            try:
                tamper(export.folder)
            except OSError:  # what it needs is not in this tree
                continue


def test_changed_attributes_are_refused_because_they_change_other_files(filled, tmp_path):
    export = make_export(filled, tmp_path)
    export.bring_to(filled.take().tree)
    (filled.worktree / "src" / ".gitattributes").write_text("*.py eol=crlf\n")
    with pytest.raises(GitError) as refused:
        export.bring_to(filled.take().tree)
    assert "attributes" in refused.value.why


def test_a_limited_export_stays_within_its_limits(filled, tmp_path):
    limits = ("deep/d1",)
    export = make_export(filled, tmp_path, limits)
    tree = filled.take().tree
    wanted = fresh(filled, tree, tmp_path, limits)
    export.bring_to(tree)
    for planted in ("deep/x", "src/b.py", "deep/d0/x.py"):
        (export.folder / planted).parent.mkdir(exist_ok=True)
        (export.folder / planted).write_text("x")
        export.bring_to(tree)
        assert look(export.folder) == wanted[0]
    (filled.worktree / "deep" / "d1" / "x.py").write_text("inside\n")
    tree = filled.take().tree
    export.bring_to(tree)
    assert look(export.folder) == fresh(filled, tree, tmp_path, limits)[0]
    (filled.worktree / "src" / "b.py").write_text("outside\n")
    with pytest.raises(GitError) as refused:
        export.bring_to(filled.take().tree)
    assert "outside" in refused.value.why


def test_an_edit_in_the_very_second_of_the_writing_is_undone(loop, tmp_path):
    export = make_export(loop, tmp_path)
    for number in range(8):
        (loop.worktree / "a.txt").write_text(f"{number}\n")
        tree = loop.take().tree
        export.bring_to(tree)
        hidden_edit(export.folder / "a.txt")
        export.bring_to(tree)
        assert (export.folder / "a.txt").read_text() == f"{number}\n"


def test_gitlinks_are_empty_folders_again(tmp_path, repository):
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib/inner")
    git(repository, "commit", "-q", "-m", "gitlink")
    loop = make_loop(repository, tmp_path / "state")
    export = make_export(loop, tmp_path)
    tree = loop.project.tree_of(loop.user.head)
    export.bring_to(tree)
    wanted = fresh(loop, tree, tmp_path)[0]
    (export.folder / "lib" / "inner" / "x").write_text("x")
    export.bring_to(tree)
    assert look(export.folder) == wanted
    shutil.rmtree(export.folder / "lib")
    (export.folder / "lib").mkdir()
    (export.folder / "lib" / "inner").write_text("x")
    export.bring_to(tree)
    assert look(export.folder) == wanted
    loop.project.close()


def test_trees_without_a_folder_and_without_a_file(loop, tmp_path):
    export = make_export(loop, tmp_path)
    shutil.rmtree(loop.worktree / "src")
    flat = loop.take().tree
    for tree in (flat, loop.project.empty_tree, flat, loop.user.head):
        export.bring_to(tree)
        assert look(export.folder) == fresh(loop, tree, tmp_path)[0]
        (export.folder / "left").mkdir()
