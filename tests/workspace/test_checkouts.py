"""The places in which evaluators run."""

import asyncio
import os
import stat
from pathlib import Path

import pytest

from loopctl.domain.evaluator_spec import Isolation
from loopctl.domain.supplies import EvaluatorSupplies
from loopctl.errors import UsageError
from loopctl.workspace.checkout_environment import CheckoutEnvironment
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.checkouts import LoopCheckouts
from loopctl.workspace.short_folder import make_short_folder

USER = {"PATH": "/bin", "HOME": "/home/ada", "TOKEN": "t", "PASSED": "p", "PYTEST_ADDOPTS": "-k x"}


@pytest.fixture
def checkouts(world, tmp_path):
    world.start()
    return make_checkouts(world, tmp_path)


def make_checkouts(world, tmp_path, **supplied):
    supplies = EvaluatorSupplies(**({"git": "none"} | supplied))
    return LoopCheckouts(
        tmp_path / "checkouts",
        CheckoutFiles(world.project, world.base, supplies, world.top),
        CheckoutEnvironment(USER, ("PASSED",), {}, supplies, world.top),
    )


def visit(world, checkouts, look, tree="", isolation=Isolation.SEPARATE_WORKTREE):
    """Open a checkout and look at it; its folders are gone when the event loop has ended."""

    async def opened():
        place = checkouts.open(tree or world.spec.base_tree, isolation, world.folder)
        async with place as checkout:
            return look(checkout), checkout.environment["HOME"]

    seen, home = asyncio.run(opened())
    assert not Path(home).parent.exists()
    return seen


def test_a_cancelled_export_leaves_nothing(world, checkouts, tmp_path):
    async def cancel():
        place = checkouts.open(
            world.spec.base_tree, Isolation.SEPARATE_WORKTREE, world.folder
        ).__aenter__()
        task = asyncio.create_task(place)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(cancel())
    assert list((tmp_path / "checkouts").iterdir()) == []


def test_a_checkout_holds_the_judged_tree_and_nothing_else(world, checkouts, tmp_path):
    world.write("conftest.py", "x\n")
    world.write("ignored/secret", "x\n")
    world.write("app.py", "work\n")
    snapshot = world.take()

    def look(checkout):
        names = {
            str(path.relative_to(checkout.folder))
            for path in checkout.folder.rglob("*")
            if path.is_file()
        }
        assert (checkout.tree, checkout.isolation) == (snapshot.judged_tree, "separate-worktree")
        assert (checkout.folder / "app.py").read_text() == "work\n"
        assert stat.S_IMODE(checkout.folder.parent.stat().st_mode) == 0o700
        assert checkout.folder.stat().st_uid == os.getuid()
        return names, checkout.folder

    names, folder = visit(world, checkouts, look, snapshot.judged_tree)
    assert names == set(world.files(snapshot.judged_tree))
    assert not folder.exists()
    assert list((tmp_path / "checkouts").iterdir()) == []


def test_every_checkout_has_new_folders_and_an_environment_of_its_own(world, checkouts):
    def look(checkout):
        variables = dict(checkout.environment)
        assert checkout.places["TMPDIR"] == Path(variables["TMPDIR"])
        assert checkout.places["CHECKOUT"] == checkout.folder
        assert not [*Path(variables["HOME"]).iterdir(), *Path(variables["TMPDIR"]).iterdir()]
        assert variables["PASSED"] == "p"
        assert not {"TOKEN", "PYTEST_ADDOPTS", "LOOPCTL_LOOP"} & variables.keys()
        return variables

    for isolation in (Isolation.SEPARATE_WORKTREE, Isolation.SAME_WORKSPACE):
        first, second = (visit(world, checkouts, look, isolation=isolation) for _ in range(2))
        for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME"):
            assert first[name] != second[name]


def test_same_workspace_is_the_worktree_itself(world, checkouts):
    folder = visit(world, checkouts, lambda each: each.folder, isolation=Isolation.SAME_WORKSPACE)
    assert folder == world.folder
    assert (folder / "app.py").exists()


def test_links_that_lead_out_are_warned_of(world, checkouts, tmp_path):
    (world.folder / "out").symlink_to(tmp_path)
    (world.folder / "in").symlink_to("app.py")

    def look(checkout):
        assert not os.path.lexists(checkout.folder / "out")
        assert (checkout.folder / "in").is_symlink()
        return checkout.warnings

    warnings = visit(world, checkouts, look, world.take().judged_tree)
    assert warnings == ("out is a link that leads out of the tree: it was left out",)


def test_what_an_evaluator_leaves_behind_is_removed_and_links_not_followed(
    world, checkouts, tmp_path
):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")

    def look(checkout):
        locked = checkout.folder / "a" / "b"
        locked.mkdir(parents=True)
        (locked / "file").write_text("x")
        (locked / "link").symlink_to(precious)
        locked.chmod(0)
        locked.parent.chmod(0o500)
        os.mkfifo(checkout.folder / "pipe")

    visit(world, checkouts, look)
    assert list((tmp_path / "checkouts").iterdir()) == []
    assert (precious / "file").exists()


def test_a_checkout_is_removed_when_the_evaluator_fails_or_the_tree_is_unknown(
    world, checkouts, tmp_path
):
    def fail(_):
        raise ValueError("evaluator")

    with pytest.raises(ValueError, match="evaluator"):
        visit(world, checkouts, fail)
    with pytest.raises(Exception, match="not a commit or tree"):
        visit(world, checkouts, fail, tree="f" * 40)
    assert list((tmp_path / "checkouts").iterdir()) == []


def test_an_evaluator_that_removed_its_own_checkout_is_no_error(world, checkouts, tmp_path):
    def look(checkout):
        checkout.folder.parent.rename(tmp_path / "stolen")
        return Path(checkout.environment["TMPDIR"])

    assert not visit(world, checkouts, look).exists()
    assert (tmp_path / "stolen").exists()


@pytest.mark.parametrize("isolation", [Isolation.CONTAINER, Isolation.REMOTE])
def test_other_isolations_are_refused_and_never_replaced(world, checkouts, isolation, tmp_path):
    with pytest.raises(UsageError) as refused:
        visit(world, checkouts, lambda each: each, isolation=isolation)
    assert "separate-worktree or container or same-workspace" in refused.value.next_step
    assert not (tmp_path / "checkouts").exists()


def test_sweep_removes_what_a_dead_driver_left(checkouts, tmp_path):
    checkouts.sweep()
    left = tmp_path / "checkouts" / "abc" / "work"
    left.mkdir(parents=True)
    (left / "file").write_text("x")
    left.chmod(0o500)
    short = make_short_folder(left.parent)
    checkouts.sweep()
    assert list((tmp_path / "checkouts").iterdir()) == []
    assert not short.exists()
