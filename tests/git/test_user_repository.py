import os
import subprocess
import sys
from pathlib import Path

import pytest
from git_world import git, make_repository, plant

from loopctl.errors import RepositoryError
from loopctl.git.repository import DirtySummary, discover


def test_discovers_a_repository_from_a_folder_in_it(repository):
    user = discover(repository / "src")
    assert user.top_level == repository
    assert user.common_dir == user.git_dir == repository / ".git"
    assert user.head == git(repository, "rev-parse", "HEAD")
    assert (user.branch, user.object_format) == ("main", "sha1")


def test_detached_head_and_linked_worktrees_of_a_bare_repository_work(repository, tmp_path):
    git(repository, "checkout", "-q", "--detach")
    assert discover(repository).branch is None
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(bare))
    git(bare, "worktree", "add", "-q", str(tmp_path / "linked"), "main")
    user = discover(tmp_path / "linked")
    assert (user.top_level, user.common_dir, user.branch) == (tmp_path / "linked", bare, "main")


def refusal(cwd: Path) -> tuple[str, str]:
    with pytest.raises(RepositoryError) as caught:
        discover(cwd)
    return caught.value.message, caught.value.next_step


def test_every_refusal_says_the_way_out(tmp_path, repository):
    (tmp_path / "plain").mkdir()
    assert "git init" in refusal(tmp_path / "plain")[1]
    git(tmp_path / "plain", "init", "-q")
    assert "git commit" in refusal(tmp_path / "plain")[1]
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    assert "worktree add" in refusal(tmp_path / "bare.git")[1]
    assert refusal(repository / ".git")[1] == f"cd {repository}"
    assert "not a folder" in refusal(tmp_path / "missing")[0]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_dubious_ownership_is_explained_and_the_users_remedy_is_honoured(repository, tmp_path):
    os.chown(repository, 12345, 12345)
    os.chown(repository / ".git", 12345, 12345)
    before = (tmp_path / "home" / ".gitconfig").read_text()
    message, remedy = refusal(repository)
    assert "does not trust" in message
    assert remedy == f"git config --global --add safe.directory {repository}"
    assert (tmp_path / "home" / ".gitconfig").read_text() == before
    subprocess.run(remedy.split(), check=True)
    assert discover(repository).branch == "main"


def test_missing_git_is_said_so(repository, tmp_path):
    script = (
        "import sys; from pathlib import Path; from loopctl.git.repository import discover\n"
        "from loopctl.errors import RepositoryError\n"
        "try: discover(Path(sys.argv[1]))\n"
        "except RepositoryError as error: print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(repository)],
        env={"PATH": str(tmp_path), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "git is not installed\n"


def test_an_old_git_is_refused(repository, tmp_path):
    old = tmp_path / "old" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.20.1\n")
    old.chmod(0o755)
    script = (
        "import sys; from pathlib import Path; from loopctl.git.repository import discover\n"
        "from loopctl.errors import RepositoryError\n"
        "try: discover(Path(sys.argv[1]))\n"
        "except RepositoryError as error: print(error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(repository)],
        env={
            "PATH": f"{old.parent}:/usr/bin:/bin",
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "git 2.20.1 is too old\n"


def test_variables_of_an_enclosing_git_are_not_inherited(repository, tmp_path, monkeypatch):
    other = make_repository(tmp_path / "other")
    for name, value in {
        "GIT_DIR": other / ".git",
        "GIT_WORK_TREE": other,
        "GIT_INDEX_FILE": other / ".git" / "index",
        "GIT_OBJECT_DIRECTORY": other / ".git" / "objects",
        "GIT_CONFIG_PARAMETERS": "'core.bare=true'",
    }.items():
        monkeypatch.setenv(name, str(value))
    user = discover(repository)
    assert user.top_level == repository
    assert user.path_in_commit(user.head, "src/b.py")


def test_questions(repository):
    user = discover(repository)
    assert user.branch_exists("main")
    assert not user.branch_exists("mai")
    assert not user.branch_exists("--help")
    names = ("feat/a/b", "x" * 250, "🎉/x", "@", "x" * 251, f"a/{'é' * 126}", "a..b", "a.lock")
    assert [user.can_be_branch(name) for name in names] == [True] * 3 + [False] * 5
    assert user.path_in_commit(user.head, "src")
    assert not user.path_in_commit(user.head, "src/none")
    assert not user.dirty_summary()
    (repository / "a.txt").write_text("staged\n")
    git(repository, "add", "a.txt")
    (repository / "a.txt").write_text("more\n")
    (repository / "new").write_text("new\n")
    (repository / "loopctl.toml").write_text("")
    assert user.dirty_summary() == DirtySummary(staged=1, unstaged=1, untracked=1)
    for name in ("ignored", "src/ignored", "src/deep/er/ignored"):
        (repository / name).mkdir(parents=True)
        (repository / name / "x").write_text("x")
    (repository / "src" / "deep" / "er" / "y").write_text("y")
    assert user.ignored_folders() == ("ignored", "src/ignored")
    ignored = {"ignored/", "src/ignored/", "src/deep/er/ignored/"}
    assert set(user.ignored_paths()) == ignored


def test_all_checkouts_of_a_repository_are_known_from_each(repository, tmp_path):
    assert discover(repository).checkouts() == (repository,)
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"))
    assert discover(repository).checkouts() == (repository, tmp_path / "linked")
    assert discover(tmp_path / "linked").checkouts() == (tmp_path / "linked", repository)


def test_a_folder_that_ignores_itself_is_ignored(repository):
    """As the virtual environments are that uv, virtualenv and newer Pythons make."""
    folder = repository / "venv"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").write_text("")
    user = discover(repository)
    assert user.visible_below("venv") == "venv/bin/python"
    (folder / ".gitignore").write_text("*\n")
    assert user.visible_below("venv") is None
    assert user.ignored_folders() == ("venv",)


def test_a_folder_with_a_bare_git_folder_is_no_checkout(repository, tmp_path):
    git(tmp_path, "clone", "-q", "--bare", str(repository), str(tmp_path / "all" / ".git"))
    for name in ("one", "two"):
        git(tmp_path / "all", "worktree", "add", "-q", name)
    found = discover(tmp_path / "all" / "one").checkouts()
    assert found == (tmp_path / "all" / "one", tmp_path / "all" / "two")


def test_questions_write_nothing_and_run_no_fsmonitor(repository, tmp_path):
    marker = tmp_path / "ran"
    git(repository, "config", "core.fsmonitor", str(plant(tmp_path / "monitor", marker)))
    index = repository / ".git" / "index"
    os.utime(repository / "a.txt")
    before = index.read_bytes(), index.stat().st_mtime_ns
    user = discover(repository)
    user.dirty_summary()
    user.ignored_folders()
    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    assert not marker.exists()


def test_missing_objects_of_a_partial_clone_are_counted_and_not_fetched(repository, tmp_path):
    git(repository, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    url = f"file://{repository}"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--sparse", url, str(clone))
    user = discover(clone)
    assert [user.missing_objects(user.head) for _ in range(2)] == [1, 1]
    git(clone, "sparse-checkout", "disable")
    assert user.missing_objects(user.head) == 0
    assert discover(repository).missing_objects(user.head) == 0
