"""Evaluations of a big tree use one folder after the other, and none sees what another has left."""

import asyncio
import os
import shutil
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from workspace_world import git

from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.supplies import EvaluatorSupplies
from loopctl.errors import SupplyError
from loopctl.workspace import standing_checkout
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.checkouts import LoopCheckouts

SEPARATE = Isolation.SEPARATE_WORKTREE


class Bench:
    """The checkouts of a loop."""

    def __init__(self, world, root: Path, **supplied) -> None:
        self.world = world
        self.root = root
        supplies = EvaluatorSupplies(**supplied)
        self.checkouts = LoopCheckouts(
            root,
            CheckoutFiles(world.project, world.base, supplies, world.top),
            CheckoutEnvironment({"PATH": os.environ["PATH"]}, (), {}, supplies, world.top),
        )

    def open(self, tree="", *, fresh=False):
        tree = tree or self.world.spec.base_tree
        return self.checkouts.open(tree, SEPARATE, self.world.folder, fresh=fresh)

    def play(self, scene):
        asyncio.run(scene)
        return [place for place in self.root.iterdir() if (place / "work").exists()]


@pytest.fixture(autouse=True)
def every_tree_is_big(monkeypatch):
    monkeypatch.setattr(standing_checkout, "SMALLEST", 1)


@pytest.fixture
def bench(world, tmp_path):
    world.start()
    return Bench(world, tmp_path / "checkouts")


def names(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if ".git" not in p.parts}


def test_one_folder_is_used_again_with_new_homes_and_a_new_repository(bench):
    bench.world.write("app.py", "work\n")
    second = bench.world.take().judged_tree
    seen = []

    async def scene():
        for tree in ("", second, second):
            async with bench.open(tree) as checkout:
                folder = checkout.folder
                seen.append((folder, checkout.reused, checkout.environment["HOME"]))
                assert git(folder, "diff-files", "--name-only") == ""
                assert git(folder, "status", "--porcelain") == ""
                assert git(folder, "rev-parse", "HEAD^{tree}") == (
                    tree or bench.world.spec.base_tree
                )
                assert git(folder, "config", "--local", "--get-all", "user.name") == "loopctl"
                assert names(Path(checkout.environment["TMPDIR"])) == set()
                git(folder, "config", "--add", "user.name", "mallory")
                (folder / ".git" / "hooks").mkdir()
                (folder / "app.py").write_text("cheat\n")
                (folder / "__pycache__").mkdir()
                (folder / "__pycache__" / "app.pyc").write_text("cheat")
                (Path(checkout.environment["HOME"]) / "left").write_text("x")
        async with bench.open(second) as checkout:
            assert (checkout.folder / "app.py").read_text() == "work\n"
            assert not (checkout.folder / "__pycache__").exists()

    assert len(bench.play(scene())) == 1
    assert len({folder for folder, _, _ in seen}) == 1
    assert [reused for _, reused, _ in seen] == [False, True, True]
    assert len({home for _, _, home in seen}) == 3
    bench.checkouts.sweep()
    assert list(bench.root.iterdir()) == []


def test_a_fresh_one_is_asked_for_and_the_standing_one_stays(bench):
    async def scene():
        async with bench.open() as standing:
            pass
        async with bench.open(fresh=True) as checkout:
            assert not checkout.reused
            assert checkout.folder != standing.folder
        async with bench.open() as again:
            assert (again.folder, again.reused) == (standing.folder, True)

    assert len(bench.play(scene())) == 1


def test_two_evaluations_at_once_never_share_it(bench):
    async def scene():
        async with AsyncExitStack() as stack:
            opened = await asyncio.gather(
                *(stack.enter_async_context(bench.open()) for _ in range(4))
            )
            assert len({each.folder for each in opened}) == 4
            for each in opened:
                assert "app.py" in names(each.folder)
        async with bench.open() as later:
            assert later.reused

    assert len(bench.play(scene())) == 1


def test_small_trees_get_a_new_folder_each_time(bench, monkeypatch):
    files = len(bench.world.files(bench.world.base))
    monkeypatch.setattr(standing_checkout, "SMALLEST", files + 1)

    async def scene():
        async with bench.open() as first:
            pass
        async with bench.open() as second:
            assert (second.reused, second.folder == first.folder) == (False, False)

    assert bench.play(scene()) == []


def vanish(checkout) -> None:
    shutil.rmtree(checkout.folder.parent)


def move(checkout) -> None:
    precious = checkout.folder.parent.parent.parent / "precious"
    (precious / "work").mkdir(parents=True)
    (precious / "work" / "mine").write_text("x")
    checkout.folder.parent.rename(precious.with_name("stolen"))
    checkout.folder.parent.symlink_to(precious)


@pytest.mark.parametrize("trick", [vanish, move])
def test_what_cannot_be_made_as_fresh_is_made_anew(bench, tmp_path, trick):
    async def scene():
        async with bench.open() as checkout:
            trick(checkout)
        async with bench.open() as checkout:
            assert not checkout.reused
            assert "app.py" in names(checkout.folder)
        async with bench.open() as checkout:
            assert checkout.reused

    bench.play(scene())
    assert trick is vanish or (tmp_path / "precious" / "work" / "mine").exists()


def test_changed_attributes_lead_to_a_new_export(bench):
    bench.world.write(".gitattributes", "*.py eol=crlf\n")
    changed = bench.world.take().tree  # the judged one has no new attributes

    async def scene():
        async with bench.open() as checkout:
            assert b"\r" not in (checkout.folder / "app.py").read_bytes()
        for tree in (changed, changed):
            async with bench.open(tree) as checkout:
                assert b"\r\n" in (checkout.folder / "app.py").read_bytes()

    bench.play(scene())


def test_an_evaluation_that_fails_or_is_cancelled_takes_it_along(bench):
    async def scene():
        async with bench.open():
            pass
        with pytest.raises(ValueError, match="evaluator"):
            async with bench.open():
                raise ValueError("evaluator")
        opening = asyncio.create_task(bench.open().__aenter__())
        await asyncio.sleep(0.005)
        opening.cancel()
        await asyncio.gather(opening, return_exceptions=True)

    assert bench.play(scene()) == []

    async def after():
        async with bench.open() as checkout:
            assert not checkout.reused

    assert len(bench.play(after())) == 1


def test_shares_are_new_copies_and_their_absence_is_told(world, tmp_path):
    world.start()
    shared = world.top / "ignored"
    shared.mkdir()
    (shared / "tool").write_text("good")
    bench = Bench(world, tmp_path / "checkouts", share=("ignored",))

    async def scene():
        for _ in range(2):
            async with bench.open() as checkout:
                tool = checkout.folder / "ignored" / "tool"
                assert tool.read_text() == "good"
                tool.write_text("bad")
                (tool.parent / "more").write_text("bad")
        (shared / "tool").write_text("new")
        async with bench.open() as checkout:
            assert names(checkout.folder / "ignored") == {"tool"}
            assert (checkout.folder / "ignored" / "tool").read_text() == "new"
        shutil.rmtree(shared)
        with pytest.raises(SupplyError):
            async with bench.open():
                pass

    assert bench.play(scene()) == []


def test_limits_hold_in_every_evaluation(world, tmp_path):
    world.start()
    bench = Bench(world, tmp_path / "checkouts", paths=("tests/golden",))
    world.write("app.py", "work\n")
    world.write("lib/more.py", "outside\n")
    outside = world.take().judged_tree

    async def scene():
        for tree, reused in (("", False), ("", True), (outside, False), (outside, True)):
            async with bench.open(tree) as checkout:
                found = names(checkout.folder)
                assert checkout.reused == reused
                assert {"app.py", "tests/golden/out.txt"} <= found
                assert not {"tests/test_app.py", "lib/more.py"} & found
                assert "limited to: tests/golden" in checkout.warnings[0]
                assert git(checkout.folder, "status", "--porcelain") == ""

    bench.play(scene())
