"""Submodules: populated at their pins, from the user's checkout, without network or programs."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from git_world import git, make_loop, plant
from submodule_world import ALLOW, PATHS, make_with_submodules

from loopctl.git.export import export_tree
from loopctl.git.populate import changed_submodules, populate
from loopctl.git.submodule import carry_submodules


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Made once; its places are relative to each other."""
    folder = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        for role in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{role}_NAME", "Ada")
            patch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
        return make_with_submodules(folder / "sources").parent


@pytest.fixture
def top(template, tmp_path):
    return Path(shutil.copytree(template, tmp_path / "sources", symlinks=True)) / "top"


@pytest.fixture
def opened(tmp_path):
    """A loop on a checkout, with what can be copied of its submodules."""
    loops = []

    def make(checkout):
        loops.append(loop := make_loop(checkout, tmp_path / "state"))
        carry_submodules(loop.user, loop.project, loop.user.head)
        return loop

    yield make
    for loop in loops:
        loop.project.close()


@pytest.fixture
def carried(top, opened):
    return opened(top)


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("repositories", [True, False])
def test_an_export_has_what_the_users_checkout_has(carried, top, tmp_path, repositories):
    shutil.rmtree(top / ".git" / "modules")  # from now on nothing is read from there
    export = tmp_path / "export"
    export_tree(carried.project, carried.user.head, export)
    assert populate(carried.project, carried.user.head, export, repositories=repositories) == ()
    assert files(export) == files(top)
    assert (export / "libs/a/check.sh").stat().st_mode & 0o111
    assert (export / "libs/a/.git").exists() == repositories


def test_git_finds_every_submodule_clean_and_at_its_pin(carried):
    populate(carried.project, carried.user.head, carried.worktree)
    assert git(carried.worktree, "status", "--porcelain") == ""
    listed = git(carried.worktree, "submodule", "status", "--recursive").splitlines()
    assert [line.split()[1] for line in listed] == list(PATHS)
    inner = carried.worktree / PATHS[1]
    assert git(inner, "rev-parse", "HEAD") == git(inner, "log", "--format=%H")
    assert git(inner, "fsck", "--no-dangling") == ""


def test_objects_of_a_submodule_that_is_not_checked_out_any_more(top, opened):
    git(top, "submodule", "deinit", "-q", "--all", "-f")
    loop = opened(top)
    assert populate(loop.project, loop.user.head, loop.worktree) == ()


def test_a_submodule_that_was_never_there_is_named(top, opened, tmp_path):
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(top), str(clone))
    loop = opened(clone)
    assert populate(loop.project, loop.user.head, loop.worktree) == ("libs/a",)
    git(clone, *ALLOW, "submodule", "update", "-q", "--init")
    carry_submodules(loop.user, loop.project, loop.user.head)
    assert populate(loop.project, loop.user.head, loop.worktree) == ("libs/a/vendor/inner",)


def test_nothing_of_a_submodules_git_folder_runs(top, opened, tmp_path):
    marker = tmp_path / "ran"
    git_dir = top / ".git" / "modules" / "libs" / "a"
    program = plant(git_dir / "evil.sh", marker)
    for name in ("core.fsmonitor", "core.sshCommand", "filter.evil.smudge", "filter.evil.clean"):
        git(top / "libs" / "a", "config", name, str(program))
    (git_dir / "info" / "attributes").write_text("* filter=evil\n")
    plant(git_dir / "hooks" / "post-checkout", marker)
    loop = opened(top)
    assert populate(loop.project, loop.user.head, loop.worktree) == ()
    assert not marker.exists()


def test_a_forged_object_is_refused(top, opened, tmp_path):
    git_dir = top / ".git" / "modules" / "libs" / "a"
    blob = git(top / "libs" / "a", "rev-parse", "HEAD:src/file")
    other = git(top / "libs" / "a", "hash-object", "-w", "check.sh")
    places = [git_dir / "objects" / name[:2] / name[2:] for name in (blob, other)]
    for pack in (git_dir / "objects" / "pack").glob("*.pack"):
        kept = tmp_path / pack.name
        pack.rename(kept)
        with kept.open("rb") as stream:
            git(top / "libs" / "a", "unpack-objects", "-q", stdin=stream)
    places[0].chmod(0o600)
    shutil.copy(places[1], places[0])
    loop = opened(top)
    assert populate(loop.project, loop.user.head, loop.worktree) == ("libs/a",)


CHANGES = (
    lambda path: (path / "src/file").write_text("other\n"),
    lambda path: (path / "new").write_text("new\n"),
    lambda path: (path / "src/file").unlink(),
    shutil.rmtree,
    lambda path: (shutil.rmtree(path), path.symlink_to("/usr")),
)


@pytest.mark.parametrize("path", PATHS)
def test_what_an_agent_changes_in_a_submodule_is_told_and_not_recorded(carried, path):
    for change in CHANGES:
        populate(carried.project, carried.user.head, carried.worktree, private_index=carried.index)
        assert carried.take().notes == ()
        change(carried.worktree / path)
        taken = carried.take()
        assert taken.since_base == ()
        assert f"submodule {path} was changed" in "\n".join(taken.notes)


def test_links_out_of_a_submodule_are_not_created(top, opened, tmp_path):
    lib = top.parent / "lib"
    (lib / "out").symlink_to("/etc/passwd")
    (lib / "up").symlink_to("../../src/file")
    git(lib, "add", "-A")
    git(lib, "commit", "-q", "-m", "links")
    git(top / "libs/a", "pull", "-q", str(lib), "main")
    git(top, "commit", "-q", "-a", "-m", "links")
    loop = opened(top)
    export = tmp_path / "export"
    export_tree(loop.project, loop.user.head, export)
    populate(loop.project, loop.user.head, export)
    assert not (export / "libs/a/out").is_symlink()
    assert (export / "libs/a/up").read_text() == "top\n"


def test_only_wanted_folders(carried, tmp_path):
    export = tmp_path / "export"
    export_tree(carried.project, carried.user.head, export, folders=("src",))
    populate(carried.project, carried.user.head, export, folders=("src",))
    assert not (export / "libs").exists()
    assert changed_submodules(carried.project, carried.user.head, export, carried.index) == {}


def test_many_loops_copy_at_once(top, tmp_path):
    loops = [make_loop(top, tmp_path / "state", f"loop-{number}") for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        work = [
            pool.submit(carry_submodules, each.user, each.project, each.user.head) for each in loops
        ]
        assert [each.result() for each in work] == [None] * 4
    assert populate(loops[0].project, loops[0].user.head, loops[0].worktree) == ()
    for loop in loops:
        loop.project.close()
