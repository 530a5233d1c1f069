import os
import random
import shutil
import signal
import socket

import pytest
from git_world import git, make_loop, make_repository

from loopctl.git.difference import diffstat, patch
from loopctl.git.snapshot import SnapshotConflict, Snapshotter, WorktreeMissing


def test_no_change_is_the_tree_of_base(loop):
    taken = loop.take()
    assert taken.tree == loop.project.tree_of(loop.user.head)
    assert (taken.since_base, taken.since_parent, taken.left_out) == ((), (), ())


def test_added_changed_deleted_and_type_changed_files_are_recorded(loop):
    root = loop.worktree
    (root / "new file.txt").write_text("new\n")
    (root / "a.txt").write_text("two\n")
    (root / "src" / "b.py").unlink()
    (root / ".gitignore").unlink()
    (root / ".gitignore").symlink_to("a.txt")
    taken = loop.take()
    kinds = {change.path: change.kind for change in taken.since_base}
    assert kinds == {"new file.txt": "A", "a.txt": "M", "src/b.py": "D", ".gitignore": "T"}
    assert loop.content(taken.tree, "a.txt") == b"two\n"
    commit = loop.project.read("refs/loops/demo/rounds/1")
    assert commit[0] == taken.commit
    assert f"parent {loop.user.head}".encode() in commit[2]


def test_changes_are_told_against_base_and_parent(loop):
    (loop.worktree / "a.txt").write_text("two\n")
    first = loop.take()
    (loop.worktree / "c.txt").write_text("c\n")
    second = loop.take(first.commit)
    assert [change.path for change in second.since_base] == ["a.txt", "c.txt"]
    assert [change.path for change in second.since_parent] == ["c.txt"]


def test_same_size_edits_in_the_same_second_are_seen(loop):
    path = loop.worktree / "a.txt"
    trees = set()
    for n in range(12):
        times = path.stat()
        path.write_text(f"{n:03}\n")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        trees.add(loop.take().tree)
    assert len(trees) == 12


def test_byte_exact_paths(loop):
    names = [b"with space", b'quo"te', b"new\nline", b"tab\t", b"caf\xe9", "é".encode(), b":(top)x"]
    for name in [*names, b"-rf", b"back\\slash"]:
        (loop.worktree / os.fsdecode(name)).write_bytes(name)
    taken = loop.take()
    found = {os.fsencode(change.path) for change in taken.since_base}
    assert found == {*names, b"-rf", b"back\\slash"}
    assert {
        os.fsencode(path) for path in diffstat(loop.project, loop.user.head, taken.tree)
    } == found


def test_modes_and_symlinks_are_recorded_and_links_not_followed(loop, tmp_path):
    secret = tmp_path / "outside"
    secret.mkdir()
    (secret / "b.py").write_text("from outside\n")
    (loop.worktree / "a.txt").chmod(0o755)
    (loop.worktree / "src" / "b.py").unlink()
    (loop.worktree / "src").rmdir()
    (loop.worktree / "src").symlink_to(secret)
    taken = loop.take()
    entries = loop.project.entries(taken.tree)
    assert entries["a.txt"].mode == "100755"
    assert entries["src"].mode == "120000"
    assert "src/b.py" not in entries


def test_an_ignored_symlink_in_place_of_a_folder_is_not_followed(loop, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "b.py").write_text("from outside\n")
    (loop.worktree / ".gitignore").write_text("src\n")
    (loop.worktree / "src" / "b.py").unlink()
    (loop.worktree / "src").rmdir()
    (loop.worktree / "src").symlink_to(tmp_path / "outside")
    assert "src/b.py" not in loop.names(loop.take().tree)


def test_files_and_folders_that_change_places(loop):
    (loop.worktree / "a.txt").unlink()
    (loop.worktree / "a.txt").mkdir()
    (loop.worktree / "a.txt" / "inner").write_text("x")
    (loop.worktree / "src" / "b.py").unlink()
    (loop.worktree / "src").rmdir()
    (loop.worktree / "src").write_text("now a file")
    assert loop.names(loop.take().tree) == {".gitignore", "a.txt/inner", "src"}


def test_a_secret_in_a_folder_that_took_a_files_place_is_left_out(loop):
    loop.take()
    (loop.worktree / "a.txt").unlink()
    (loop.worktree / "a.txt").mkdir()
    (loop.worktree / "a.txt" / "inner").write_text("x")
    (loop.worktree / "a.txt" / ".env").write_text("KEY=1")
    taken = loop.take()
    assert loop.names(taken.tree) == {".gitignore", "a.txt/inner", "src/b.py"}
    assert [each.path for each in taken.left_out] == ["a.txt/.env"]


def edit_at_random(root, dice):
    """Edits of every kind, from none to more than git is asked for by name."""
    for _ in range(dice.choice((0, 1, 3, 60))):
        name = f"{dice.choice(('src', 'new', 'deep/er', 'src/b.py'))}/{dice.randrange(40)}"
        path = root / name
        if any(parent.is_file() or parent.is_symlink() for parent in path.parents):
            dice.choice((root / "src" / "b.py", root / "src")).rename(root / "aside")
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() or path.is_symlink():
            path.unlink()
        kind = dice.choice(("file", "file", "file", "link", "secret", "log", "nothing"))
        if kind == "link":
            path.symlink_to("../a.txt")
        elif kind != "nothing":
            suffix = {"secret": ".pem", "log": ".log"}.get(kind, "")
            path.with_name(path.name + suffix).write_text(str(dice.random()))
    if dice.random() < 0.3:
        shutil.rmtree(root / "aside") if (root / "aside").is_dir() else None


@pytest.mark.parametrize("seed", range(3))
def test_a_warm_index_records_what_a_new_one_does(loop, seed):
    dice = random.Random(seed)
    for number in range(5):
        edit_at_random(loop.worktree, dice)
        index = loop.index.with_name(f"new-{number}")
        other = Snapshotter(loop.project, loop.worktree, index, loop.user.head)
        assert loop.take().tree == other.staged().tree


def test_secrets_and_oversized_files_are_left_out_even_when_the_agent_insists(loop):
    root = loop.worktree
    (root / ".env").write_text("KEY=1")
    (root / ".env.example").write_text("KEY=")
    (root / "src" / "id_rsa").write_text("private")
    (root / ".gitignore").write_text("!.env\n!id_rsa\n")
    with (root / "big.bin").open("wb") as big:
        big.truncate(50_000_001)
    git(root, "add", "-A", "-f")
    git(root, "commit", "-q", "-m", "all of it")
    taken = loop.take()
    assert {(each.path, each.reason) for each in taken.left_out} == {
        (".env", "secret"),
        ("src/id_rsa", "secret"),
        ("big.bin", "oversized"),
    }
    assert loop.names(taken.tree) == {".env.example", ".gitignore", "a.txt", "src/b.py"}


def test_a_secret_that_base_tracks_stays_tracked(repository, tmp_path):
    (repository / ".env").write_text("DEBUG=0")
    git(repository, "add", "-f", ".env")
    git(repository, "commit", "-q", "-m", "env")
    loop = make_loop(repository, tmp_path / "state")
    (loop.worktree / ".env").write_text("DEBUG=1")
    taken = loop.take()
    assert loop.content(taken.tree, ".env") == b"DEBUG=1"
    assert taken.left_out == ()
    loop.project.close()


def test_fifos_and_sockets_are_listed(loop, monkeypatch):
    os.mkfifo(loop.worktree / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        monkeypatch.chdir(loop.worktree / "src")  # a socket's path must be short
        listener.bind("s")
        taken = loop.take()
    assert {(each.path, each.reason) for each in taken.left_out} == {
        ("pipe", "special"),
        ("src/s", "special"),
    }


@pytest.mark.parametrize("commits", [False, True])
def test_a_nested_repository_is_stored_as_plain_files(loop, commits):
    nested = loop.worktree / "vendor" / "lib"
    nested.mkdir(parents=True)
    git(nested, "init", "-q")
    (nested / "code.py").write_text("x = 1\n")
    (nested / "noise.log").write_text("ignored by the outer rules\n")
    (nested / ".env").write_text("K=1")
    if commits:
        git(nested, "add", "code.py")
        git(nested, "commit", "-q", "-m", "inner")
    taken = loop.take()
    entries = loop.project.entries(taken.tree)
    assert entries["vendor/lib/code.py"].mode == "100644"
    assert not [path for path in entries if ".git/" in path or path.endswith((".log", ".env"))]
    assert "vendor/lib/" in " ".join(taken.notes)
    (nested / "code.py").write_text("x = 2\n")
    (nested / "more.py").write_text("y = 1\n")
    again = loop.take(taken.commit)
    assert {change.path for change in again.since_parent} == {
        "vendor/lib/code.py",
        "vendor/lib/more.py",
    }


def test_an_interrupted_take_is_adopted_and_another_tree_conflicts(loop):
    ref = "refs/loops/demo/rounds/1"
    (loop.worktree / "a.txt").write_text("two\n")
    first = loop.snapshotter.take(loop.user.head, "round 1", ref)
    assert loop.snapshotter.take(loop.user.head, "round 1", ref).commit == first.commit
    (loop.worktree / "a.txt").write_text("three\n")
    with pytest.raises(SnapshotConflict):
        loop.snapshotter.take(loop.user.head, "round 1", ref)
    assert loop.project.resolve(ref) == first.commit
    moved = loop.snapshotter.take(loop.user.head, "again", ref, expected_old=first.commit)
    assert loop.project.resolve(ref) == moved.commit != first.commit


def test_what_a_killed_driver_left_does_not_stop_the_next(loop):
    loop.take()
    loop.index.with_name("index.lock").write_text("")
    (loop.worktree / "a.txt").write_text("two\n")
    second = loop.take()
    loop.index.write_bytes(b"damaged")
    assert loop.take().tree == second.tree
    loop.index.write_bytes(b"damaged")
    loop.snapshotter = Snapshotter(loop.project, loop.worktree, loop.index, loop.user.head)
    assert loop.take().tree == second.tree
    loop.index.unlink()
    assert loop.take().tree == second.tree


def test_helpers_that_died_are_started_again(loop):
    loop.take()
    before = loop.project.helper_pids()
    assert before
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    (loop.worktree / "a.txt").write_text("two\n")
    assert [change.path for change in loop.take().since_base] == ["a.txt"]
    loop.project.close()
    assert loop.project.helper_pids() == ()


def test_what_the_agent_does_with_git_does_not_matter(loop):
    root = loop.worktree
    (root / "a.txt").write_text("two\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "agent")
    git(root, "checkout", "-q", "-b", "other")
    (root / "c.txt").write_text("c\n")
    assert {change.path for change in loop.take().since_base} == {"a.txt", "c.txt"}
    git(root, "checkout", "-q", "--detach")
    git(root, "reset", "-q", "--hard", "HEAD~1")
    git(root, "update-index", "--assume-unchanged", "a.txt")
    (root / "a.txt").write_text("hidden?\n")
    taken = loop.take()
    assert loop.content(taken.tree, "a.txt") == b"hidden?\n"


def test_a_path_that_git_refuses_is_listed_and_the_rest_recorded(loop):
    (loop.worktree / "x" / ".GIT").mkdir(parents=True)
    (loop.worktree / "x" / ".GIT" / "config").write_text("hostile on another file system")
    (loop.worktree / "zzz").write_text("z\n")
    taken = loop.take()
    assert [each.path for each in taken.left_out] == ["x/.GIT/config"]
    assert [change.path for change in taken.since_base] == ["zzz"]


def test_a_missing_worktree_is_said_so(loop):
    loop.worktree.rename(loop.worktree.with_name("elsewhere"))
    with pytest.raises(WorktreeMissing):
        loop.take()
    loop.worktree.symlink_to(loop.worktree.with_name("elsewhere"))
    with pytest.raises(WorktreeMissing):
        loop.take()


def test_crlf_follows_the_users_setting(repository, tmp_path):
    git(repository, "config", "core.autocrlf", "true")
    loop = make_loop(repository, tmp_path / "state")
    assert (loop.worktree / "a.txt").read_bytes() == b"one\r\n"
    assert loop.take().since_base == ()
    (loop.worktree / "a.txt").write_bytes(b"one\r\ntwo\r\n")
    assert loop.content(loop.take().tree, "a.txt") == b"one\ntwo\n"
    loop.project.close()


def test_the_users_global_and_private_excludes_count(repository, tmp_path):
    (tmp_path / "home" / ".config" / "git").mkdir(parents=True)
    (tmp_path / "home" / ".config" / "git" / "ignore").write_text(".idea\n")
    (repository / ".git" / "info" / "exclude").write_text("private\n")
    loop = make_loop(repository, tmp_path / "state")
    for name in (".idea", "private", "seen"):
        (loop.worktree / name).write_text("x")
    assert [change.path for change in loop.take().since_base] == ["seen"]
    loop.project.close()


def test_sha256_repositories(tmp_path):
    top = make_repository(tmp_path / "wide", "--object-format=sha256")
    loop = make_loop(top, tmp_path / "state")
    (loop.worktree / "a.txt").write_text("two\n")
    taken = loop.take()
    assert len(taken.commit) == 64
    assert [change.path for change in taken.since_base] == ["a.txt"]
    loop.project.close()


def test_diffstat_and_patch_cannot_be_blanked_by_attributes(loop):
    (loop.worktree / ".gitattributes").write_text("* -diff\n*.py binary\n")
    (loop.worktree / "a.txt").write_text("one\ntwo\n")
    (loop.worktree / "blob").write_bytes(b"\0\1")
    taken = loop.take()
    counts = diffstat(loop.project, loop.user.head, taken.commit)
    assert (counts["a.txt"].added, counts["a.txt"].deleted) == (1, 0)
    assert counts["blob"].added is None
    assert b"+two\n" in list(patch(loop.project, loop.user.head, taken.commit))
