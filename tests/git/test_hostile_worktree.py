import os
import shutil

import pytest
from git_world import git, make_loop, make_repository, plant

from loopctl.errors import GitError
from loopctl.git.branch import publish
from loopctl.git.export import export_tree
from loopctl.git.repository import discover
from loopctl.git.worktree import (
    add_worktree,
    list_worktrees,
    rebuild_worktree,
    remove_worktree,
)

FILTERS = "* filter=evil diff=evil merge=evil\n"


def arm(git_dir, marker):
    """Configure a repository so that git runs a program wherever it can be made to."""
    program = plant(git_dir / "evil.sh", marker)
    with (git_dir / "config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {program}\n\thooksPath = {git_dir}/hooks\n"
            f"\tsshCommand = {program}\n\tpager = {program}\n\teditor = {program}\n"
            f'[filter "evil"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired = true\n'
            f'[diff "evil"]\n\ttextconv = {program}\n\tcommand = {program}\n'
            f"[diff]\n\texternal = {program}\n[gpg]\n\tprogram = {program}\n"
            f"[uploadpack]\n\tpackObjectsHook = {program}\n"
            f'[remote "origin"]\n\turl = ext::{program}\n\tpromisor = true\n'
        )
    for hook in (
        *("post-checkout", "pre-commit", "post-commit", "reference-transaction"),
        *("post-index-change", "fsmonitor-watchman", "pre-auto-gc", "commit-msg"),
    ):
        plant(git_dir / "hooks" / hook, marker)


def everything(loop, tmp_path):
    """Each thing that loopctl does after an agent had the worktree."""
    (loop.worktree / "a.txt").write_text("two\n")
    taken = loop.take()
    assert loop.snapshotter.staged().tree == taken.tree
    export_tree(loop.project, taken.commit, tmp_path / "export")
    done = publish(
        loop.user,
        loop.project,
        "loopctl/demo",
        expected=loop.user.head,
        snapshot=taken.commit,
        subject="x",
        loop="demo",
    )
    assert done.commit
    loop.user.branch_exists("main")
    loop.user.path_in_commit(loop.user.head, "a.txt")
    list_worktrees(loop.user)
    shutil.rmtree(loop.worktree)
    rebuild_worktree(loop.user, loop.project, loop.worktree, "loopctl/demo", taken.commit)
    remove_worktree(loop.user, loop.worktree, "loopctl/demo", tmp_path / "state")
    return taken


def test_the_trap_works(repository, tmp_path):
    """Plain git does run what is planted: the other tests could fail."""
    arm(repository / ".git", tmp_path / "ran")
    git(repository, "status")
    assert (tmp_path / "ran").exists()


def test_a_worktree_with_its_own_repository_runs_nothing(loop, tmp_path):
    (loop.worktree / ".git").unlink()
    git(loop.worktree, "init", "-q")
    arm(loop.worktree / ".git", tmp_path / "ran")
    (loop.worktree / ".gitattributes").write_text(FILTERS)
    taken = everything(loop, tmp_path)
    assert loop.names(taken.tree) == {".gitattributes", ".gitignore", "a.txt", "src/b.py"}
    assert not (tmp_path / "ran").exists()


def test_the_users_repository_armed_by_the_agent_runs_nothing(loop, repository, tmp_path):
    arm(repository / ".git", tmp_path / "ran")
    own = repository / ".git" / "worktrees" / "worktree"
    (own / "config.worktree").write_text((repository / ".git" / "config").read_text())
    (loop.worktree / ".gitattributes").write_text(FILTERS)
    everything(loop, tmp_path)
    assert not (tmp_path / "ran").exists()


def test_missing_objects_of_a_partial_clone_start_no_program(loop, repository, tmp_path):
    arm(repository / ".git", tmp_path / "ran")
    git(repository, "config", "core.repositoryFormatVersion", "1")
    git(repository, "config", "extensions.partialClone", "origin")
    git(repository, "config", "protocol.ext.allow", "always")
    missing = "1" * 40
    (repository / ".git" / "refs" / "heads" / "loopctl" / "demo").write_text(missing + "\n")
    taken = loop.take()
    done = publish(
        loop.user,
        loop.project,
        "loopctl/demo",
        expected=loop.user.head,
        snapshot=taken.commit,
        subject="x",
        loop="demo",
    )
    assert done.commit is None
    assert not loop.user.path_in_commit(missing, "a.txt")
    assert not (tmp_path / "ran").exists()


def test_an_embedded_repository_runs_nothing(loop, tmp_path):
    inner = make_repository(loop.worktree / "inner")
    arm(inner / ".git", tmp_path / "ran")
    (inner / ".gitattributes").write_text(FILTERS)
    loop.take()
    (inner / "a.txt").write_text("changed\n")
    taken = loop.take()
    assert loop.content(taken.tree, "inner/a.txt") == b"changed\n"
    assert not (tmp_path / "ran").exists()


@pytest.fixture
def with_submodule(tmp_path):
    make_repository(tmp_path / "lib")
    top = make_repository(tmp_path / "super")
    git(top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "lib"))
    git(top, "commit", "-q", "-m", "submodule")
    loop = make_loop(top, tmp_path / "state")
    yield loop
    loop.project.close()


def test_gitlinks_keep_bases_commit_and_submodules_run_nothing(with_submodule, tmp_path):
    loop = with_submodule
    untouched = loop.take()
    assert (untouched.since_base, untouched.notes) == ((), ())
    inner = loop.worktree / "lib"
    git(inner, "init", "-q")
    arm(inner / ".git", tmp_path / "ran")
    (inner / "x").write_text("x")
    with (loop.worktree / ".gitmodules").open("a") as modules:
        modules.write("\tignore = none\n")
    taken = loop.take()
    assert [change.path for change in taken.since_base] == [".gitmodules"]
    assert "submodule lib" in taken.notes[0]
    shutil.rmtree(inner)
    inner.write_text("a file now")
    again = loop.take()
    assert again.tree == taken.tree
    assert "submodule lib" in again.notes[0]
    assert not (tmp_path / "ran").exists()


def test_a_submodule_at_its_commit_needs_no_note(with_submodule):
    loop = with_submodule
    allow = ("-c", "protocol.file.allow=always")
    git(loop.worktree, *allow, "submodule", "update", "--init", "-q")
    assert loop.take().notes == ()
    git(loop.worktree / "lib", "commit", "-q", "--allow-empty", "-m", "moved")
    assert "submodule lib" in loop.take().notes[0]


def test_hooks_of_the_user_do_not_run_when_the_worktree_is_made(repository, tmp_path):
    arm(repository / ".git", tmp_path / "ran")
    user = discover(repository)
    add_worktree(user, tmp_path / "state" / "w", "loopctl/demo", user.head)
    assert not (tmp_path / "ran").exists()


def test_files_under_a_filter_keep_bases_blob_until_they_are_touched(tmp_path):
    """As LFS: the repository stores a pointer, the worktree holds the content."""
    top = make_repository(tmp_path / "user")
    git(top, "config", "filter.big.clean", "sed s/CONTENT/POINTER/")
    git(top, "config", "filter.big.smudge", "sed s/POINTER/CONTENT/")
    (top / ".gitattributes").write_text("*.big filter=big\n")
    (top / "one.big").write_text("CONTENT 1\n")
    (top / "two.big").write_text("CONTENT 2\n")
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "big")
    loop = make_loop(top, tmp_path / "state")
    assert (loop.worktree / "one.big").read_text() == "CONTENT 1\n"
    assert loop.take().since_base == ()
    (loop.worktree / "one.big").write_text("CONTENT 9\n")
    (loop.worktree / "two.big").unlink()
    taken = loop.take()
    assert {c.path: c.kind for c in taken.since_base} == {"one.big": "M", "two.big": "D"}
    assert loop.content(taken.tree, "one.big") == b"CONTENT 9\n"
    assert "one.big" in " ".join(taken.notes)
    assert loop.take().tree == taken.tree
    loop.project.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_files_are_listed(loop):
    (loop.worktree / "locked").write_text("x")
    (loop.worktree / "locked").chmod(0)
    (loop.worktree / "a.txt").write_text("two\n")
    (loop.worktree / "a.txt").chmod(0)
    taken = loop.take()
    assert {(each.path, each.reason) for each in taken.left_out} == {
        ("locked", "unreadable"),
        ("a.txt", "unreadable"),
    }


def test_a_bogus_encoding_does_not_stop_the_snapshot(loop):
    (loop.worktree / ".gitattributes").write_text("*.txt working-tree-encoding=NO-SUCH\n")
    (loop.worktree / "a.txt").write_text("two\n")
    (loop.worktree / "ok").write_text("ok\n")
    taken = loop.take()
    assert "ok" in loop.names(taken.tree)


def test_the_users_own_encodings_are_honoured(tmp_path):
    top = make_repository(tmp_path / "user")
    (top / ".gitattributes").write_text("*.wide text working-tree-encoding=UTF-16LE\n")
    (top / "x.wide").write_bytes("one\n".encode("utf-16-le"))
    git(top, "add", "-A")
    git(top, "commit", "-q", "-m", "wide")
    loop = make_loop(top, tmp_path / "state")
    (loop.worktree / "x.wide").write_bytes("two\n".encode("utf-16-le"))
    assert loop.content(loop.take().tree, "x.wide") == b"two\n"
    loop.project.close()


def test_a_fifo_where_git_reads_rules_is_an_error_and_no_hang(loop):
    (loop.worktree / ".gitignore").unlink()
    os.mkfifo(loop.worktree / ".gitignore")
    with pytest.raises(GitError, match="cannot be read"):
        loop.take()


def test_ignore_rules_in_the_home_folder_are_frozen(loop, tmp_path):
    """An agent that runs as the user can write there."""
    rules = tmp_path / "home" / ".config" / "git"
    rules.mkdir(parents=True)
    (rules / "ignore").write_text("hidden.py\n")
    (rules / "attributes").write_text("*.py ident\n")
    (loop.worktree / "hidden.py").write_text("$Id: x$\n")
    assert loop.content(loop.take().tree, "hidden.py") == b"$Id: x$\n"


@pytest.mark.parametrize(
    "path",
    ["new/.gitignore", "new/deep/.gitattributes", "sub/.gitignore", "sub/.git/HEAD"],
)
def test_a_fifo_where_git_would_wait_is_refused(loop, path):
    git(loop.worktree, "init", "-q", "sub")
    fifo = loop.worktree / path
    fifo.parent.mkdir(parents=True, exist_ok=True)
    fifo.unlink(missing_ok=True)
    os.mkfifo(fifo)
    with pytest.raises(GitError, match="cannot be read"):
        loop.take()


def test_a_fifo_behind_a_nested_git_file_is_refused(loop, tmp_path):
    git(tmp_path, "init", "-q", "elsewhere")
    head = tmp_path / "elsewhere" / ".git" / "HEAD"
    head.unlink()
    os.mkfifo(head)
    (loop.worktree / "sub").mkdir()
    (loop.worktree / "sub" / ".git").write_text(f"gitdir: {head.parent}\n")
    with pytest.raises(GitError, match="cannot be read"):
        loop.take()


def test_a_fifo_in_an_ignored_folder_is_nobodys_business(loop):
    (loop.worktree / ".gitignore").write_text("ignored/\n")
    (loop.worktree / "ignored").mkdir()
    os.mkfifo(loop.worktree / "ignored" / "pipe")
    assert loop.take().left_out == ()
