"""The worktree of a loop: made, adopted, rebuilt, released."""

import asyncio
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from workspace_world import World, everything, git

from loopctl.errors import GitError, RepositoryError
from loopctl.git.repository import discover
from loopctl.git.worktree import BranchTaken, WorktreeRefused
from loopctl.workspace.marker import Marker, write_marker


def test_the_users_repository_stays_byte_identical(repository, tmp_path):
    (repository / "app.py").write_text("stashed\n")
    git(repository, "stash")
    (repository / "app.py").write_text("staged\n")
    git(repository, "add", "app.py")
    (repository / "app.py").write_text("dirty\n")
    (repository / "untracked").write_text("u\n")
    git(repository, "branch", "mine")
    before = everything(repository)
    world = World(repository, tmp_path / "state")
    world.start()
    assert "stashed" not in (world.folder / "app.py").read_text()
    world.write("app.py", "done\n")
    snapshot = world.take()
    done = world.publish(snapshot)
    world.release()
    world.project.close()
    assert everything(repository) == before
    assert git(repository, "show", f"{done.commit}:app.py") == "done"


def test_the_base_is_head_and_not_the_default_branch(repository, tmp_path):
    git(repository, "checkout", "-q", "-b", "feat")
    for n in (1, 2):
        (repository / "app.py").write_text(f"feat {n}\n")
        git(repository, "commit", "-q", "-am", "feat")
    world = World(repository, tmp_path / "state")
    world.start()
    assert git(world.folder, "rev-parse", "HEAD") == git(repository, "rev-parse", "feat")
    assert git(world.folder, "symbolic-ref", "--short", "HEAD") == world.branch
    world.project.close()


def test_a_detached_head_is_isolated_too(repository, tmp_path):
    git(repository, "checkout", "-q", "--detach")
    world = World(repository, tmp_path / "state")
    made = world.start()
    assert (made.path, made.branch_tip, made.origin) == (world.folder, world.base, "created")
    assert (world.folder / "app.py").exists()
    world.project.close()


def test_an_unborn_head_is_refused(tmp_path):
    git(tmp_path, "init", "-q", "empty")
    with pytest.raises(RepositoryError) as refused:
        discover(tmp_path / "empty")
    assert "git commit" in refused.value.next_step


def test_a_users_branch_is_never_taken(world):
    git(world.top, "branch", world.branch)
    before = world.branches()
    for _ in range(2):
        with pytest.raises(BranchTaken):
            world.start()
    world.release()
    assert world.branches() == before
    assert not world.folder.exists()


@pytest.mark.parametrize("kind", ["folder", "file", "symlink"])
def test_what_stands_in_the_way_before_the_start_is_left_alone(world, tmp_path, kind):
    world.folder.parent.mkdir(parents=True)
    if kind == "symlink":
        world.folder.symlink_to(tmp_path)
    elif kind == "file":
        world.folder.write_text("mine")
    else:
        world.folder.mkdir()
        (world.folder / "mine").write_text("mine")
    for _ in range(2):
        with pytest.raises(WorktreeRefused):
            world.start()
    world.release()
    assert world.folder.is_symlink() or world.folder.exists()
    assert world.branch not in world.branches()


def test_two_starts_at_once_have_one_winner_and_others_get_their_own(repository, tmp_path):
    worlds = [World(repository, tmp_path / f"s{n}", name) for n, name in enumerate("aab")]
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(world.start) for world in worlds]
    errors = [future.exception() for future in futures]
    assert errors[2] is None
    assert sum(isinstance(error, BranchTaken) for error in errors[:2]) == 1
    for world in worlds:
        world.project.close()


def test_a_worktree_that_was_complete_is_adopted(world):
    world.start()
    assert world.start().origin == "adopted"


@pytest.mark.parametrize("left", ["nothing", "branch", "half a worktree", "forgotten folder"])
def test_an_interrupted_start_is_done_again(world, left):
    marker = Marker("demo", str(world.folder), world.branch, world.base)
    write_marker(world.index.with_name("worktree.json"), marker)
    if left == "branch":
        git(world.top, "branch", world.branch)
    elif left != "nothing":
        git(world.top, "worktree", "add", "-q", "-b", world.branch, str(world.folder))
        (world.folder / "app.py").unlink()
    if left == "forgotten folder":
        shutil.rmtree(world.top / ".git" / "worktrees")
    assert world.start().origin == "created"
    assert (world.folder / "app.py").exists()
    assert git(world.folder, "status", "--porcelain") == ""


def test_a_marker_of_another_loop_gives_no_right(world):
    git(world.top, "branch", world.branch)
    other = Marker("other", str(world.folder), world.branch, world.base, complete=True)
    write_marker(world.index.with_name("worktree.json"), other)
    world.release()
    with pytest.raises(BranchTaken):
        world.start()
    assert world.branch in world.branches()


def test_a_damaged_marker_is_an_error(world):
    world.start()
    world.index.with_name("worktree.json").write_text("{")
    with pytest.raises(GitError, match=r"worktree\.json is damaged"):
        world.release()
    assert world.folder.exists()


def test_edits_survive_a_restart_even_when_git_forgot_the_worktree(world):
    world.start()
    world.write("app.py", "half done\n")
    assert world.prepare().origin == "adopted"
    shutil.rmtree(world.top / ".git" / "worktrees")
    assert world.prepare().origin == "adopted"
    assert world.files(world.take().tree)["app.py"] == b"half done\n"


def test_a_lost_worktree_is_rebuilt_from_the_newest_snapshot(world):
    world.start()
    world.write("app.py", "first\n")
    first = world.take(1)
    world.write("app.py", "second\n")
    world.write("new.py", "new\n")
    second = world.take(2, first)
    shutil.rmtree(world.folder)
    assert world.prepare(second).origin == "rebuilt-from-snapshot"
    assert (world.folder / "app.py").read_text() == "second\n"
    again = world.take(3, second)
    assert (again.tree, again.changed) == (second.tree, 0)
    assert git(world.folder, "symbolic-ref", "--short", "HEAD") == world.branch


def test_a_rebuild_that_was_interrupted_is_done_again(world):
    world.start()
    world.write("app.py", "work\n")
    snapshot = world.take()
    git(world.top, "worktree", "remove", "--force", str(world.folder))
    git(world.top, "worktree", "add", "-q", "--no-checkout", str(world.folder), world.branch)
    marker = Marker("demo", str(world.folder), world.branch, world.base, complete=False)
    write_marker(world.index.with_name("worktree.json"), marker)
    assert world.prepare(snapshot).origin == "rebuilt-from-snapshot"
    assert world.take(2, snapshot).tree == snapshot.tree
    assert world.prepare(snapshot).origin == "adopted"
    assert sorted(path.name for path in world.folder.parent.glob("worktree*")) == [
        "worktree",
        "worktree.json",
    ]


def test_a_lost_worktree_without_snapshot_is_rebuilt_from_the_branch(world):
    world.start()
    world.write("app.py", "committed by the agent\n")
    git(world.folder, "commit", "-q", "-am", "work")
    git(world.top, "worktree", "remove", str(world.folder))
    made = world.prepare()
    assert made.origin == "rebuilt-from-branch"
    assert made.branch_tip == world.base
    assert (world.folder / "app.py").read_text() == "committed by the agent\n"


def test_a_lost_branch_is_made_again_when_there_is_a_snapshot(world):
    world.start()
    world.write("app.py", "work\n")
    snapshot = world.take()
    git(world.top, "worktree", "remove", "--force", str(world.folder))
    git(world.top, "branch", "-D", world.branch)
    assert world.prepare(snapshot).origin == "rebuilt-from-snapshot"
    assert git(world.top, "rev-parse", world.branch) == world.base
    assert (world.folder / "app.py").read_text() == "work\n"


def test_nothing_is_made_when_all_is_lost(world):
    world.start()
    git(world.top, "worktree", "remove", str(world.folder))
    git(world.top, "branch", "-D", world.branch)
    before = everything(world.top), world.branches()
    assert world.prepare() is None
    assert not world.folder.exists()
    assert (everything(world.top), world.branches()) == before


@pytest.mark.parametrize("kind", ["symlink", "file", "empty folder"])
def test_what_took_the_worktrees_place_is_moved_aside_and_not_followed(world, tmp_path, kind):
    world.start()
    world.write("app.py", "work\n")
    snapshot = world.take()
    shutil.rmtree(world.folder)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("p")
    if kind == "symlink":
        world.folder.symlink_to(outside)
    elif kind == "file":
        world.folder.write_text("a file")
    else:
        world.folder.mkdir()
    assert world.prepare(snapshot).origin == "rebuilt-from-snapshot"
    assert (world.folder / "app.py").read_text() == "work\n"
    assert [path.name for path in outside.iterdir()] == ["precious"]
    aside = world.folder.with_name("worktree.aside-1")
    assert (aside.is_symlink(), aside.is_file()) == (kind == "symlink", kind == "file")


def test_release_leaves_nothing_and_a_restart_begins_anew(world):
    before = everything(world.top), world.branches()
    world.start()
    world.release()
    world.release()
    assert (everything(world.top), world.branches()) == before
    assert list(world.folder.parent.iterdir()) == []
    assert world.start().origin == "created"


def test_release_keeps_a_branch_on_which_somebody_committed(world):
    world.start()
    git(world.folder, "commit", "-q", "--allow-empty", "-m", "mine")
    tip = git(world.folder, "rev-parse", "HEAD")
    world.release()
    assert not world.folder.exists()
    assert git(world.top, "rev-parse", world.branch) == tip


def test_release_does_not_touch_what_a_symlink_in_its_place_leads_to(world):
    world.start()
    shutil.rmtree(world.folder)
    world.folder.symlink_to(world.top)
    before = everything(world.top)
    world.release()
    assert everything(world.top) == before
    assert world.branch not in world.branches()


def test_a_release_waits_for_an_add_whose_task_was_cancelled(world):
    async def cancel_while_adding():
        workspace = world.workspace
        task = asyncio.create_task(workspace.prepare(None, first_time=True, branch_tip=world.base))
        while not world.index.with_name("worktree.json").exists():  # noqa: ASYNC110 - a file
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await workspace.release()

    asyncio.run(cancel_while_adding())
    assert world.branch not in world.branches()
    assert list(world.folder.parent.iterdir()) == []


def test_submodules_are_there_after_an_interrupted_start_and_a_rebuild(world):
    library = world.state / "library"
    library.mkdir(parents=True)
    git(library, "init", "-q", "-b", "main")
    (library / "file").write_text("x\n")
    git(library, "add", "-A")
    git(library, "commit", "-q", "-m", "first")
    allow = ("-c", "protocol.file.allow=always")
    git(world.top, *allow, "submodule", "add", "-q", str(library), "lib")
    git(world.top, "commit", "-q", "-m", "submodule")
    world.project.close()
    world = World(world.top, world.state)
    world.start()
    (world.index.parent / "index.complete").unlink()
    (world.folder / "lib" / "file").unlink()
    assert world.start().origin == "adopted"
    assert (world.folder / "lib" / "file").exists()
    snapshot = world.take()
    assert (snapshot.changed, snapshot.notes) == (0, ())
    shutil.rmtree(world.folder)
    assert world.prepare(snapshot).origin == "rebuilt-from-snapshot"
    assert (world.folder / "lib" / "file").exists()
    assert world.take(2, snapshot).notes == ()
    world.project.close()
