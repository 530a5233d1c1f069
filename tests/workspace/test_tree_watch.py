"""A verdict about files that did not stand still is told from others."""

import asyncio
import os
from pathlib import Path

import pytest
from workspace_world import git

from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.supplies import EvaluatorSupplies
from loopctl.workspace import standing_checkout
from loopctl.workspace.base_writes import BaseWrites
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.checkouts import LoopCheckouts
from loopctl.workspace.installed_files import look
from loopctl.workspace.installed_watch import InstalledWatch
from loopctl.workspace.watched_inputs import WatchedInputs

ISOLATIONS = (Isolation.SEPARATE_WORKTREE, Isolation.SAME_WORKSPACE)


def judged(world, tmp_path, work, isolation=Isolation.SEPARATE_WORKTREE, **supplied):
    """Let an evaluator do ``work`` in a checkout; what moved, and the warnings of its end."""
    supplies = EvaluatorSupplies(**supplied)
    files = CheckoutFiles(world.project, world.base, supplies, world.top)
    checkouts = LoopCheckouts(
        tmp_path / "checkouts",
        files,
        CheckoutEnvironment({"PATH": os.defpath}, (), {}, supplies, world.top),
        inputs=WatchedInputs(files, world.spec.protection),
    )

    async def opened():
        async with checkouts.open(world.spec.base_tree, isolation, world.folder) as checkout:
            work(checkout.folder)
            return await checkout.moved(), await checkout.finish()

    return asyncio.run(opened())


@pytest.fixture(autouse=True)
def started(world):
    world.start()


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_what_an_evaluator_adds_and_reads_has_not_moved(world, tmp_path, isolation):
    def work(folder: Path):
        (folder / "tests/report.xml").write_text("x")
        (folder / "build").mkdir()
        (folder / "app.py").read_text()

    assert judged(world, tmp_path, work, isolation) == ((), ())


def rewrite(path: Path):
    path.write_text("x")


def become_a_link(path: Path):
    path.rename(path.with_name("other"))
    path.symlink_to("other")


def become_a_fifo(path: Path):
    path.unlink()
    os.mkfifo(path)


def become_a_folder(path: Path):
    path.unlink()
    path.mkdir()


def run_it(path: Path):
    path.chmod(0o755)


def swap_and_keep_the_times(path: Path):
    found = path.stat()
    path.write_bytes(b"x" * found.st_size)
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


@pytest.mark.parametrize(
    "work",
    [
        rewrite,
        Path.unlink,
        become_a_link,
        become_a_fifo,
        become_a_folder,
        run_it,
        swap_and_keep_the_times,
    ],
)
def test_a_file_that_is_another_one_has_moved(world, tmp_path, work):
    assert judged(world, tmp_path, lambda folder: work(folder / "app.py"))[0] == ("app.py",)


@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_file_with_the_same_content_has_not_moved_unless_it_is_protected(
    world, tmp_path, isolation
):
    def work(folder: Path):
        for name in ("app.py", "tests/test_app.py"):
            (folder / name).write_bytes((folder / name).read_bytes())
        (folder / "setup.cfg").touch()

    assert judged(world, tmp_path, work, isolation)[0] == ("tests/test_app.py",)


def test_a_swap_that_is_undone_leaves_its_trace_on_a_protected_file(world, tmp_path):
    def work(folder: Path):
        script = folder / "check.sh"
        content = script.read_bytes()
        script.write_bytes(b"exit 0\n")
        script.write_bytes(content)

    assert judged(world, tmp_path, work)[0] == ("check.sh",)


def test_a_lock_file_is_told_and_nothing_more(world, tmp_path):
    git(world.top, "checkout", "-q", "-b", "other")
    (world.top / "Cargo.lock").write_text("old\n")
    git(world.top, "add", "-A")
    git(world.top, "commit", "-q", "-m", "lock")
    tree = world.project.tree_of(git(world.top, "rev-parse", "HEAD"))
    world.spec = world.spec.evolve(base_tree=tree)

    def work(folder: Path):
        (folder / "Cargo.lock").write_text("new\n")

    assert judged(world, tmp_path, work) == ((), ("rewritten while it was judged: Cargo.lock",))


def test_contents_that_git_converts_are_compared_as_they_are_checked_out(world, tmp_path):
    (world.folder / ".gitattributes").write_text("*.txt text eol=crlf\n")
    (world.folder / "windows.txt").write_bytes(b"one\r\n")
    world.spec = world.spec.evolve(base_tree=world.take().tree)

    def same(folder: Path):
        assert (folder / "windows.txt").read_bytes() == b"one\r\n"
        (folder / "windows.txt").write_bytes(b"one\r\n")

    def other(folder: Path):
        (folder / "windows.txt").write_bytes(b"one\n")

    assert judged(world, tmp_path, same)[0] == ()
    assert judged(world, tmp_path, other)[0] == ("windows.txt",)


def test_a_standing_checkout_is_watched_with_the_stamps_it_has(world, tmp_path, monkeypatch):
    monkeypatch.setattr(standing_checkout, "SMALLEST", 1)

    def work(folder: Path):
        (folder / "app.py").write_text("x")

    assert judged(world, tmp_path, work)[0] == ("app.py",)
    assert judged(world, tmp_path, lambda folder: (folder / "new").touch())[0] == ()


def test_a_new_module_that_hides_an_installed_package_is_told(world, tmp_path):
    site = tmp_path / "lib/python3.12/site-packages"
    (site / "wants").mkdir(parents=True)
    installed = InstalledWatch(lambda: look([site]), lambda _: False, BaseWrites())
    supplies = EvaluatorSupplies()
    files = CheckoutFiles(world.project, world.base, supplies, world.top)
    checkouts = LoopCheckouts(
        tmp_path / "checkouts",
        files,
        CheckoutEnvironment({"PATH": os.defpath}, (), {}, supplies, world.top),
        inputs=WatchedInputs(
            files, world.spec.protection, base_tree=world.spec.base_tree, installed=installed
        ),
    )
    world.write("wants.py", "")
    world.write("inside/wants.py", "")
    tree = world.take().judged_tree

    async def warned():
        async with checkouts.open(tree, Isolation.SEPARATE_WORKTREE, world.folder) as checkout:
            return checkout.warnings

    assert asyncio.run(warned()) == ("hides an installed package: wants.py",)
