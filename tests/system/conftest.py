"""The fixtures of the system tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import World

from loopctl.store.database import Database
from loopctl.store.home import state_home


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The database of somebody who has used loopctl before, without a loop in it."""
    home = state_home({"LOOPCTL_HOME": str(tmp_path_factory.mktemp("home") / "state")})
    Database.open(home).close()
    return home.database.read_bytes()


@pytest.fixture
def world(tmp_path: Path, empty_database: bytes) -> Iterator[World]:
    made = World(tmp_path, empty_database)
    made.make_repository()
    yield made
    made.clean_up()
