"""Git LFS: contents and pointers change places without its program, and without a download."""

import hashlib
import shutil
from pathlib import Path

import pytest
from git_world import Loop, git, make_repository, plant

from loopctl.git.branch import publish
from loopctl.git.export import export_tree
from loopctl.git.filtered_paths import FilteredPaths
from loopctl.git.lfs import Pointer, parse_pointer
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import discover
from loopctl.git.smudge import Smudged, smudge
from loopctl.git.snapshot import Snapshotter
from loopctl.git.squash import carry_out, plan_squash
from loopctl.git.worktree import add_worktree
from loopctl.workspace.worktree_contents import WorktreeContents

ONE, TWO, NEW = b"one\0" * 100, b"two\0" * 2000, b"new\0" * 300


def pointer_to(content: bytes) -> bytes:
    return Pointer(hashlib.sha256(content).hexdigest(), len(content)).text()


def stored(top: Path, content: bytes) -> Path:
    oid = hashlib.sha256(content).hexdigest()
    return top / ".git" / "lfs" / "objects" / oid[:2] / oid[2:4] / oid


@pytest.fixture(autouse=True)
def no_lfs_of_the_system(monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", "/dev/null")


@pytest.fixture
def top(tmp_path):
    """A checkout as git-lfs leaves it: contents in the files and in its store, pointers in git."""
    made = make_repository(tmp_path / "user")
    (made / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    for name, content in (("one.bin", ONE), ("src/two.bin", TWO)):
        (made / name).write_bytes(pointer_to(content))
        stored(made, content).parent.mkdir(parents=True)
        stored(made, content).write_bytes(content)
    (made / "one.bin").chmod(0o755)
    git(made, "add", "-A")
    git(made, "commit", "-q", "-m", "binaries")
    (made / "one.bin").write_bytes(ONE)
    (made / "src/two.bin").write_bytes(TWO)
    for kind in ("clean", "smudge", "process"):
        program = plant(tmp_path / f"{kind}.sh", tmp_path / "ran")
        git(made, "config", f"filter.lfs.{kind}", str(program))
    git(made, "config", "filter.lfs.required", "true")
    return made


class Opened:
    def __init__(self, top: Path, state: Path) -> None:
        user = discover(top)
        project = ProjectRepository.open_or_create(state / "project.git", user)
        worktree, index = state / "worktree", state / "index"
        add_worktree(user, worktree, "loopctl/demo", user.head)
        self.contents = WorktreeContents(user, project, worktree, index, user.head)
        self.notes = self.contents.complete(made=True)
        snapshotter = Snapshotter(project, worktree, index, user.head)
        snapshotter.prepare()
        self.loop = Loop(user, project, worktree, snapshotter, index)


@pytest.fixture
def opened(tmp_path):
    made = []

    def make(top):
        made.append(Opened(top, tmp_path / "state"))
        return made[-1]

    yield make
    for each in made:
        each.loop.project.close()
    assert not (tmp_path / "ran").exists(), "a program of a filter has run"


def exported(loop, tree, folder, source) -> Smudged:
    export_tree(loop.project, tree, folder)
    filters = FilteredPaths(loop.project, loop.user.head)
    return smudge(loop.project, filters, tree, folder, source)


@pytest.mark.parametrize("lost", ["store", "checkout"])
def test_worktree_and_export_have_the_contents(opened, top, tmp_path, lost):
    if lost == "store":
        shutil.rmtree(top / ".git" / "lfs")
    else:
        (top / "one.bin").write_bytes(pointer_to(ONE))
        (top / "src/two.bin").unlink()
    found = opened(top)
    assert found.notes == ()
    assert (found.loop.worktree / "src/two.bin").read_bytes() == TWO
    assert found.loop.take().since_base == ()
    exported(found.loop, found.loop.user.head, tmp_path / "export", top)
    assert (tmp_path / "export/one.bin").read_bytes() == ONE
    assert (tmp_path / "export/one.bin").stat().st_mode & 0o111


def test_what_is_nowhere_stays_a_pointer_and_is_named(opened, top, tmp_path):
    shutil.rmtree(top / ".git" / "lfs")
    (top / "one.bin").write_bytes(b"another content\n")
    found = opened(top)
    assert "one.bin" in found.notes[0]
    assert "git lfs pull" in found.notes[0]
    assert (found.loop.worktree / "one.bin").read_bytes() == pointer_to(ONE)
    assert found.loop.take().since_base == ()
    done = exported(found.loop, found.loop.user.head, tmp_path / "export", top)
    assert done == Smudged(("src/two.bin",), ("one.bin",))


def test_without_git_lfs_pointers_are_files_like_others(opened, top):
    for kind in ("clean", "smudge", "process"):
        git(top, "config", "--unset", f"filter.lfs.{kind}")
    git(top, "config", "--unset", "filter.lfs.required")
    found = opened(top)
    assert "install git-lfs" in found.notes[0]
    assert (found.loop.worktree / "one.bin").read_bytes() == pointer_to(ONE)
    assert found.loop.take().since_base == ()
    (found.loop.worktree / "one.bin").write_bytes(NEW)
    assert found.loop.content(found.loop.take().tree, "one.bin") == NEW


def test_changed_and_new_contents_are_stored_as_pointers(opened, top, tmp_path):
    found = opened(top)
    loop, worktree = found.loop, found.loop.worktree
    (worktree / "one.bin").write_bytes(NEW)
    (worktree / "more.bin").write_bytes(TWO * 2)
    (worktree / "src/two.bin").unlink()
    taken = loop.take()
    kinds = {change.path: change.kind for change in taken.since_base}
    assert kinds == {"one.bin": "M", "more.bin": "A", "src/two.bin": "D"}
    assert loop.content(taken.tree, "one.bin") == pointer_to(NEW)
    assert loop.content(taken.tree, "more.bin") == pointer_to(TWO * 2)
    assert taken.notes == ()
    exported(loop, taken.tree, tmp_path / "export", top)
    assert (tmp_path / "export/one.bin").read_bytes() == NEW
    assert (tmp_path / "export/more.bin").read_bytes() == TWO * 2
    loop.index.unlink()  # as after a damaged index
    assert loop.take().tree == taken.tree
    (worktree / "more.bin").write_bytes(ONE)
    (worktree / "src/two.bin").write_bytes(TWO)
    (worktree / "one.bin").write_bytes(ONE)
    again = loop.take()
    assert [change.path for change in again.since_base] == ["more.bin"]
    assert loop.content(again.tree, "more.bin") == pointer_to(ONE)


def test_a_rebuilt_worktree_has_what_the_agent_made(opened, top):
    found = opened(top)
    (found.loop.worktree / "one.bin").write_bytes(NEW)
    taken = found.loop.take()
    for name in ("one.bin", "src/two.bin"):
        (found.loop.worktree / name).write_bytes(found.loop.content(taken.tree, name))
    assert found.contents.complete_again(taken.commit) == ()
    assert (found.loop.worktree / "one.bin").read_bytes() == NEW
    assert found.loop.take().tree == taken.tree


def test_attributes_of_an_agent_make_no_pointers(opened, top):
    found = opened(top)
    (found.loop.worktree / ".gitattributes").write_text("* filter=lfs\n")
    (found.loop.worktree / "new.txt").write_text("x\n")
    assert found.loop.content(found.loop.take().tree, "new.txt") == b"x\n"


def test_published_pointers_have_their_contents_in_the_users_store(opened, top):
    loop = opened(top).loop
    (loop.worktree / "one.bin").write_bytes(NEW)
    taken = loop.take()
    where = {"expected": loop.user.head, "snapshot": taken.commit}
    publish(loop.user, loop.project, "loopctl/demo", **where, subject="x", loop="demo")
    assert stored(top, NEW).read_bytes() == NEW
    shown = git(top, "show", "loopctl/demo:one.bin").encode() + b"\n"
    assert parse_pointer(shown) == parse_pointer(pointer_to(NEW))


def test_a_content_is_applied_and_an_edited_one_is_not_overwritten(opened, top):
    loop = opened(top).loop
    (loop.worktree / "one.bin").write_bytes(NEW)
    (loop.worktree / "more.bin").write_bytes(TWO)
    tree = loop.take().tree
    (top / "one.bin").write_bytes(b"the user's own\n")
    assert plan_squash(loop.project, loop.user, loop.user.head, tree).dirty == ("one.bin",)
    (top / "one.bin").write_bytes(ONE)
    squash = plan_squash(loop.project, loop.user, loop.user.head, tree)
    assert (squash.dirty, squash.conflicts) == ((), ())
    carry_out(loop.project, loop.user, squash)
    assert ((top / "one.bin").read_bytes(), (top / "more.bin").read_bytes()) == (NEW, TWO)
    assert plan_squash(loop.project, loop.user, loop.user.head, tree).after == {}


def test_a_planted_content_is_not_used(opened, top, tmp_path):
    found = opened(top)
    for place in (stored(top, ONE), top / "one.bin"):
        place.write_bytes(b"evil" * 100)
    done = exported(found.loop, found.loop.user.head, tmp_path / "export", top)
    assert done.pointers == ("one.bin",)


@pytest.mark.parametrize(
    ("content", "is_pointer"),
    [
        (pointer_to(ONE), True),
        (pointer_to(ONE) + b"x", False),
        (b"version https://git-lfs.github.com/spec/v1\n" * 40, False),
        (pointer_to(ONE).replace(b"oid", b"ext-0-x sha256:" + b"0" * 64 + b"\noid"), False),
        (b"", False),
    ],
)
def test_pointers(content, is_pointer):
    assert (parse_pointer(content) is not None) == is_pointer


def test_contents_that_go_and_come_back(opened, top):
    loop = opened(top).loop
    (loop.worktree / "more.bin").write_bytes(NEW)
    first = loop.take()
    for name in ("more.bin", "one.bin"):
        (loop.worktree / name).unlink()
    assert {change.path: change.kind for change in loop.take().since_base} == {"one.bin": "D"}
    (loop.worktree / "more.bin").write_bytes(NEW)
    (loop.worktree / "one.bin").write_bytes(ONE)
    (loop.worktree / "one.bin").chmod(0o755)
    assert loop.take().tree == first.tree
