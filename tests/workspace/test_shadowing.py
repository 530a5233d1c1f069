"""Added modules that hide the test runner's are no part of the judged tree."""

import pytest
from workspace_world import World, git

from loopctl.workspace.command_programs import import_roots


@pytest.fixture
def started(repository, tmp_path):
    world = World(repository, tmp_path / "s", "s", commands=("cd ci && python tools/run.py",))
    world.start()
    yield world
    world.project.close()


def undone(world: World, path: str) -> list[str]:
    world.write(path, "import os\nos._exit(0)\n")
    return [each.path for each in world.take().restored]


@pytest.mark.parametrize(
    "path",
    [
        "pytest.py",
        "_pytest/__init__.py",
        "json.py",
        "pytest_cov.py",
        "pytest_asyncio/__init__.py",
        "_hypothesis_pytestplugin.py",
        "json.cpython-311-x86_64-linux-gnu.so",
        "ci/pdb.py",
        "ci/tools/json/__init__.py",
        "evil-1.dist-info/entry_points.txt",
        "evil.egg-info/entry_points.txt",
        ".gitattributes",
        "deep/.gitattributes",
    ],
)
def test_undone(started, path):
    assert undone(started, path) == [path]


@pytest.mark.parametrize(
    "path", ["lib/types.py", "html/index.html", "json/data.json", "jsonpath.py", "ci/app.py"]
)
def test_the_agents_to_add(started, path):
    assert undone(started, path) == []


def test_a_link_to_a_package_is_undone(started):
    started.write("lib/__init__.py", "")
    (started.folder / "json").symlink_to("lib")
    assert [each.path for each in started.take().restored] == ["json"]


def test_a_module_that_base_has_is_the_agents_to_change(repository, tmp_path):
    (repository / "types.py").write_text("a = 1\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "types")
    world = World(repository, tmp_path / "s", "s")
    world.start()
    assert undone(world, "types.py") == []
    world.project.close()


def test_the_user_opens_a_module(repository, tmp_path):
    world = World(repository, tmp_path / "s", "s", allow=("calendar.py",))
    world.start()
    assert undone(world, "calendar.py") == []
    world.project.close()


@pytest.mark.parametrize(
    ("command", "roots"),
    [
        ("python -m pytest", ()),
        ("./check.sh", ()),
        ("python tools/run.py", ("tools",)),
        ("cd ci && python -m pytest", ("ci",)),
        ("PYTHONPATH=src:lib python -m unittest", ("src", "lib")),
        ('PYTHONPATH="src" python -m unittest; export PYTHONPATH=.', ("src",)),
    ],
)
def test_import_roots(command, roots):
    assert import_roots(command) == roots
