"""The fixtures of the system tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import World, database_without_loops


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return database_without_loops(tmp_path_factory.mktemp("home"))


@pytest.fixture
def world(tmp_path: Path, empty_database: bytes) -> Iterator[World]:
    made = World(tmp_path, empty_database)
    made.make_repository()
    yield made
    made.clean_up()
