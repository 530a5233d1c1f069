"""The fixtures of the honest repositories."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from building import build
from harness import World, database_without_loops
from repository import Repository
from toolchains import missing
from virtual_environment import make_environment

Builder = Callable[[Repository], World]


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return database_without_loops(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def environments(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Repository], Path]:
    """One virtual environment for each set of packages."""
    made: dict[tuple[str, ...], Path] = {}

    def environment(repository: Repository) -> Path:
        wanted = repository.distributions
        if wanted not in made:
            made[wanted] = tmp_path_factory.mktemp("environment")
            make_environment(made[wanted], wanted)
        return made[wanted]

    return environment


@pytest.fixture
def user_of(
    tmp_path: Path, empty_database: bytes, environments: Callable[[Repository], Path]
) -> Iterator[Builder]:
    """Makes a world in which one of the repositories is the user's; or skips the test."""
    world = World(tmp_path, empty_database)

    def make(repository: Repository) -> World:
        if reason := missing(repository.tools):
            pytest.skip(reason)
        build(world, repository, environments(repository))
        return world

    yield make
    world.clean_up()
