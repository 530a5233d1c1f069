"""Evaluations of a big tree use one folder after the other, and none sees what another has left."""

import asyncio
import os
import shutil
import stat
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


def write_beside(checkout) -> None:
    (checkout.folder.parent / "pytest.ini").write_text("[pytest]\naddopts = -k nothing\n")


@pytest.mark.parametrize("trick", [vanish, move, write_beside])
def test_what_cannot_be_made_as_fresh_is_made_anew(bench, tmp_path, trick):
    async def scene():
        async with bench.open() as checkout:
            trick(checkout)
        async with bench.open() as checkout:
            assert not checkout.reused
            assert "app.py" in names(checkout.folder)
            assert names(checkout.folder.parent) == {"work"} | {
                f"work/{name}" for name in names(checkout.folder)
            }
        async with bench.open() as checkout:
            assert checkout.reused

    bench.play(scene())
    assert trick is not move or (tmp_path / "precious" / "work" / "mine").exists()


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


def look(root: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for path in [root, *root.rglob("*")]:
        status = path.lstat()
        content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
        target = os.fsencode(path.readlink()) if path.is_symlink() else b""
        found[str(path.relative_to(root))] = (status.st_mode, content + target)
    return found


def hidden_edit(path: Path) -> None:
    before = path.stat()
    path.write_bytes(bytes(reversed(path.read_bytes())))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


COPY = {
    "an edit": lambda copy, _: (copy / "bin" / "tool").write_text("bad"),
    "a hidden edit": lambda copy, _: hidden_edit(copy / "lib" / "a.py"),
    "a new file": lambda copy, _: (copy / "lib" / "new.py").write_text("bad"),
    "a new folder": lambda copy, _: (copy / "lib" / "cache" / "x").mkdir(parents=True),
    "a removed file": lambda copy, _: (copy / "lib" / "a.py").unlink(),
    "a mode": lambda copy, _: (copy / "lib" / "a.py").chmod(0o777),
    "a mode of a folder": lambda copy, _: (copy / "lib").chmod(0),
    "a removed folder": lambda copy, _: shutil.rmtree(copy / "lib"),
    "all of it": lambda copy, _: shutil.rmtree(copy),
    "a file in its place": lambda copy, _: (shutil.rmtree(copy), copy.write_text("bad")),
    "a link in its place": lambda copy, shared: (shutil.rmtree(copy), copy.symlink_to(shared)),
    "another in its place": lambda copy, _: (
        copy.rename(copy.with_name("aside")),
        shutil.copytree(copy.with_name("aside"), copy, symlinks=True),
    ),
}
ORIGINAL = {
    "an edit": lambda shared: (shared / "lib" / "a.py").write_text("new"),
    "a hidden edit": lambda shared: hidden_edit(shared / "lib" / "a.py"),
    "a new file": lambda shared: (shared / "lib" / "new.py").write_text("new"),
    "a new folder": lambda shared: (shared / "more").mkdir(),
    "a mode of a folder": lambda shared: (shared / "lib").chmod(0o750),
    "a removed file": lambda shared: (shared / "lib" / "new.py").unlink(),
    "a link": lambda shared: (shared / "other").symlink_to("lib"),
}


@pytest.fixture
def sharing(world, tmp_path):
    world.start()
    shared = world.top / "ignored"
    (shared / "bin").mkdir(parents=True)
    (shared / "lib").mkdir()
    (shared / "lib" / "a.py").write_text("abc\n")
    (shared / "link").symlink_to("lib")
    (shared / "bin" / "tool").write_text(f"#!{shared}/bin/python\n")
    return Bench(world, tmp_path / "checkouts", share=("ignored",)), shared


def test_a_share_is_copied_once_and_again_when_it_or_its_original_was_touched(sharing):
    bench, shared = sharing

    async def copied(tamper=None):
        async with bench.open() as checkout:
            copy = checkout.folder / "ignored"
            seen = look(copy), (copy / "bin" / "tool").lstat().st_ino
            if tamper:
                tamper(copy, shared)
        return seen

    async def fresh():
        async with bench.open(fresh=True) as checkout:
            found = look(checkout.folder / "ignored")
            mode, tool = found["bin/tool"]
            here = os.fsencode(checkout.folder)
        return found | {"bin/tool": (mode, tool.replace(here, b"HERE"))}

    def placed(found, folder):
        mode, tool = found["bin/tool"]
        return found | {"bin/tool": (mode, tool.replace(os.fsencode(folder), b"HERE"))}

    async def scene():
        async with bench.open() as checkout:
            folder = checkout.folder
        wanted = await fresh()
        first, inode = await copied()
        assert placed(first, folder) == wanted
        assert (await copied())[1] == inode
        for name, tamper in COPY.items():
            await copied(tamper)
            assert placed((await copied())[0], folder) == wanted, name
        for name, change in ORIGINAL.items():
            await copied()
            change(shared)
            assert placed((await copied())[0], folder) == await fresh(), name
        async with bench.open() as checkout:
            assert (checkout.folder, checkout.reused) == (folder, True)

    bench.play(scene())


def test_a_share_that_is_gone_is_told(sharing):
    bench, shared = sharing

    async def scene():
        async with bench.open():
            pass
        shutil.rmtree(shared)
        with pytest.raises(SupplyError):
            async with bench.open():
                pass

    assert bench.play(scene()) == []


def test_a_tree_that_takes_a_shares_place_does_not_get_it(sharing):
    bench, _ = sharing
    git(bench.world.folder, "add", "-f", ".")
    bench.world.write(".gitignore", "")
    bench.world.write("ignored/lib/a.py", "the agent's\n")
    tree = bench.world.take().tree

    async def scene():
        for each in ("", tree, tree, "", ""):
            async with bench.open(each) as checkout:
                assert (checkout.folder / "ignored" / "lib" / "a.py").read_text() == "abc\n"
                assert (checkout.folder / "ignored" / "link").is_symlink()

    bench.play(scene())


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
