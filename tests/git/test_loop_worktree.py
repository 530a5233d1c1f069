import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from git_world import git, make_loop, make_repository

from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import discover
from loopctl.git.runner import CommandFailed
from loopctl.git.worktree import (
    BranchTaken,
    WorktreeRefused,
    add_worktree,
    is_registered,
    list_worktrees,
    prune_missing,
    rebuild_worktree,
    remove_worktree,
)


def contents(top: Path) -> dict[str, bytes]:
    """The user's files, index, stash and refs."""
    found = {
        str(p): p.read_bytes() for p in top.rglob("*") if p.is_file() and ".git" not in p.parts
    }
    found["index"] = (top / ".git" / "index").read_bytes()
    for name in ("HEAD", "config", "refs/heads/main", "refs/stash", "logs/refs/stash"):
        found[name] = (top / ".git" / name).read_bytes()
    return found


def test_the_users_checkout_index_and_stash_stay_byte_identical(repository, tmp_path):
    (repository / "a.txt").write_text("stashed\n")
    git(repository, "stash")
    (repository / "a.txt").write_text("staged\n")
    git(repository, "add", "a.txt")
    (repository / "a.txt").write_text("dirty\n")
    (repository / "untracked").write_text("u\n")
    before = contents(repository)
    loop = make_loop(repository, tmp_path / "state")
    assert (loop.worktree / "a.txt").read_text() == "one\n"
    (loop.worktree / "a.txt").write_text("two\n")
    loop.take()
    remove_worktree(loop.user, loop.worktree, "loopctl/demo", tmp_path / "state")
    loop.project.close()
    assert contents(repository) == before


def test_the_base_is_head_and_not_the_default_branch(repository, tmp_path):
    git(repository, "checkout", "-q", "-b", "feat")
    (repository / "a.txt").write_text("feat\n")
    git(repository, "commit", "-q", "-am", "feat")
    loop = make_loop(repository, tmp_path / "state")
    assert (loop.worktree / "a.txt").read_text() == "feat\n"
    assert git(loop.worktree, "symbolic-ref", "HEAD") == "refs/heads/loopctl/demo"
    loop.project.close()


def test_a_taken_branch_is_refused_and_untouched(repository, tmp_path):
    git(repository, "branch", "loopctl/demo")
    user = discover(repository)
    with pytest.raises(BranchTaken):
        add_worktree(user, tmp_path / "w", "loopctl/demo", user.head)
    assert not (tmp_path / "w").exists()
    assert user.branch_exists("loopctl/demo")


def test_a_failed_worktree_leaves_no_branch(repository, tmp_path):
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "mine").write_text("x")
    user = discover(repository)
    with pytest.raises(CommandFailed):
        add_worktree(user, tmp_path / "w", "loopctl/demo", user.head)
    assert not user.branch_exists("loopctl/demo")


def test_ten_at_once(repository, tmp_path):
    """Ten processes: each opens the project repository and makes its worktree."""
    script = (
        "import sys; from pathlib import Path\n"
        "from git_world import make_loop\n"
        "from loopctl.errors import LoopctlError\n"
        "try: made = make_loop(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])\n"
        "except LoopctlError as error: sys.exit(f'{error}: {error.why}')\n"
        "print(made.take().tree); made.project.close()\n"
    )

    def start(n: int) -> str:
        path = [str(Path(__file__).parent), *filter(None, sys.path)]
        done = subprocess.run(
            [sys.executable, "-c", script, str(repository), str(tmp_path / "state"), f"n{n}"],
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "PYTHONPATH": ":".join(path)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    with ThreadPoolExecutor(10) as pool:
        trees = set(pool.map(start, range(10)))
    assert trees == {git(repository, "rev-parse", "HEAD^{tree}")}
    linked = list_worktrees(discover(repository))[1:]
    assert {each.branch for each in linked} == {f"loopctl/n{n}" for n in range(10)}
    assert [path.name for path in (tmp_path / "state").iterdir()].count("project.git") == 1
    assert not list((tmp_path / "state").glob("*.new-*"))
    mode = (tmp_path / "state" / "project.git").stat().st_mode & 0o777
    assert mode == 0o700


def test_a_lost_worktree_is_rebuilt_from_a_snapshot(loop):
    (loop.worktree / "a.txt").write_text("two\n")
    (loop.worktree / "new").write_text("new\n")
    taken = loop.take()
    shutil.rmtree(loop.worktree)
    rebuild_worktree(loop.user, loop.project, loop.worktree, "loopctl/demo", taken.commit)
    assert (loop.worktree / "new").read_text() == "new\n"
    assert loop.take(taken.commit).tree == taken.tree
    assert git(loop.worktree, "status", "--porcelain") == "M a.txt\n?? new"
    with pytest.raises(WorktreeRefused):
        rebuild_worktree(loop.user, loop.project, loop.worktree, "loopctl/demo", taken.commit)


def test_a_lost_worktree_is_rebuilt_from_its_branch(loop):
    shutil.rmtree(loop.worktree)
    rebuild_worktree(loop.user, loop.project, loop.worktree, "loopctl/demo", loop.user.head)
    assert git(loop.worktree, "status", "--porcelain") == ""


def test_only_our_missing_worktrees_are_forgotten(loop, repository, tmp_path):
    git(repository, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    shutil.rmtree(tmp_path / "mine")
    assert prune_missing(loop.user, tmp_path / "state") == ()
    shutil.rmtree(loop.worktree)
    assert prune_missing(loop.user, tmp_path / "state") == (loop.worktree,)
    assert not is_registered(loop.user, loop.worktree)
    assert is_registered(loop.user, tmp_path / "mine")


def test_removal_is_refused_for_anything_that_is_not_ours(loop, repository, tmp_path):
    user, root = loop.user, tmp_path / "state"
    git(repository, "worktree", "add", "-q", "-b", "mine", str(tmp_path / "mine"))
    (root / "plain").mkdir()
    (root / "link").symlink_to(repository)
    (root / "inward").symlink_to(loop.worktree)
    for path in (repository, tmp_path / "mine", root, root / "plain", root / "link"):
        with pytest.raises(WorktreeRefused):
            remove_worktree(user, path, "loopctl/demo", root)
    for path, branch in ((root / "inward", "loopctl/demo"), (loop.worktree, "mine")):
        with pytest.raises(WorktreeRefused):
            remove_worktree(user, path, branch, root)
    with pytest.raises(WorktreeRefused):
        remove_worktree(user, repository, "main", tmp_path)
    assert (repository / "a.txt").exists()
    assert (tmp_path / "mine" / "a.txt").exists()
    (loop.worktree / "locked").mkdir(mode=0o000)
    remove_worktree(user, loop.worktree, "loopctl/demo", root)
    assert not loop.worktree.exists()
    assert not is_registered(user, loop.worktree)
    assert user.branch_exists("loopctl/demo")


def test_a_worktree_in_which_the_agent_switched_branches_can_be_removed(loop, tmp_path):
    git(loop.worktree, "checkout", "-q", "-b", "other")
    remove_worktree(loop.user, loop.worktree, "loopctl/demo", tmp_path / "state")
    assert not loop.worktree.exists()


def test_worktrees_are_known_below_any_path(tmp_path):
    odd = tmp_path / "a \"b\"\nworktree c 'd' $e"
    loop = make_loop(make_repository(odd / "user"), odd / "state")
    (found,) = list_worktrees(loop.user)[1:]
    assert (found.path, found.branch) == (loop.worktree, "loopctl/demo")
    remove_worktree(loop.user, loop.worktree, "loopctl/demo", odd / "state")
    assert len(list_worktrees(loop.user)) == 1
    loop.project.close()


def test_alternates_reach_through_any_path(tmp_path):
    top = make_repository(tmp_path / 'odd "name"\\ #\n here')
    loop = make_loop(top, tmp_path / "state")
    (loop.worktree / "a.txt").write_text("two\n")
    assert len(loop.take().since_base) == 1
    loop.project.close()


def test_reopening_follows_the_users_configuration(loop, repository):
    git(repository, "config", "core.fileMode", "false")
    project = ProjectRepository.open_or_create(loop.project.path, discover(repository))
    assert project.git.run("config", "--type=bool", "core.fileMode") == b"false\n"
    project.close()
