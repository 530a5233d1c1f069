"""Tests that an agent adds are in no judged tree; on request a second tree has them."""

import pytest
from workspace_world import FILES, git

BASE = {path: content.encode() for path, content in FILES.items()}
MORE = {"tests/test_more.py": b"x\n", "tests/data/more.json": b"x\n"}


@pytest.fixture(autouse=True)
def started(world):
    world.spec = world.spec.evolve(allow_new_tests=True)
    world.start()
    world.workspace = world.restarted()


def add_tests(world):
    for path in MORE:
        world.write(path, "x\n")


def test_nobody_asked(world):
    world.spec = world.spec.evolve(allow_new_tests=False)
    world.workspace = world.restarted()
    add_tests(world)
    snapshot = world.take()
    assert snapshot.new_tests == tuple(sorted(MORE))
    assert snapshot.new_tests_tree == ""
    assert world.files(snapshot.judged_tree) == BASE


def test_no_new_tests(world):
    world.write("app.py", "work\n")
    world.write("tests/test_app.py", "pass\n")
    snapshot = world.take()
    assert (snapshot.new_tests, snapshot.new_tests_tree) == ((), "")


def test_the_second_tree_has_the_tests_and_no_settings(world):
    add_tests(world)
    world.write("app.py", "work\n")
    world.write("tests/test_app.py", "pass\n")
    for path in ("tests/conftest.py", "pytest.ini", "pytest.py", "sitecustomize.py"):
        world.write(path, "x\n")
    world.write("tests/__pycache__/test_more.pyc", "x\n")
    snapshot = world.take()
    work = BASE | {"app.py": b"work\n"}
    assert world.files(snapshot.judged_tree) == work
    assert snapshot.new_tests == tuple(sorted(MORE))
    assert world.files(snapshot.new_tests_tree) == work | MORE


def test_links_submodules_and_what_stands_in_the_way_are_no_tests(world, tmp_path):
    (world.folder / "check.sh").unlink()
    world.write("check.sh/test_inside.py", "x\n")
    (world.folder / "tests/test_link.py").symlink_to("../app.py")
    nested = world.folder / "tests/nested"
    nested.mkdir()
    git(nested, "init", "-q")
    snapshot = world.take()
    assert snapshot.new_tests == ()
    assert world.files(snapshot.judged_tree) == BASE
