import pytest
from store_world import Run, new_home, new_loop

from loopctl.store.database import Database


@pytest.fixture
def home(tmp_path):
    return new_home(tmp_path)


@pytest.fixture
def database(home):
    database = Database.open(home, busy_s=10)
    yield database
    database.close()


@pytest.fixture
def run(database, home):
    run = Run(database, home, new_loop(database, home))
    yield run
    run.close()
