"""The fixtures of the cheats."""

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from cheat import Cheat
from cheated_kind import Kind
from cheating import CheatedWorld
from harness import World, database_without_loops
from toolchains import missing
from virtual_environment import PYTEST, make_environment

Maker = Callable[..., CheatedWorld]


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return database_without_loops(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with pytest, and a linter beside it.

    It holds all that it needs: a link that leads out of it leads nowhere in a container.
    """
    folder = tmp_path_factory.mktemp("environment")
    site = make_environment(folder, PYTEST)
    for link in [path for path in site.iterdir() if path.is_symlink()]:
        target = link.resolve()
        link.unlink()
        copy = shutil.copytree if target.is_dir() else shutil.copy2
        copy(target, link)
    shutil.copy2(Path(sys.executable).with_name("ruff"), folder / "bin")
    folder.chmod(0o755)  # whoever the evaluators are in a container
    return folder


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the repositories of the kinds are kept once made."""
    return tmp_path_factory.mktemp("templates")


@pytest.fixture
def cheated(
    tmp_path: Path, empty_database: bytes, environment: Path, templates: Path
) -> Iterator[Maker]:
    """Makes the world of a kind of repository, or skips the test."""
    world = World(tmp_path, empty_database)

    def make(kind: Kind, cheat: Cheat | None = None) -> CheatedWorld:
        if reason := missing((*kind.tools, *(cheat.tools if cheat else ()))):
            pytest.skip(reason)
        used = environment
        if cheat is not None and cheat.own_environment:
            used = tmp_path / "environment"
            shutil.copytree(environment, used, symlinks=True)
        made = CheatedWorld(world, used, templates)
        made.make(kind)
        return made

    yield make
    world.clean_up()
