"""Reading what is stored: opening the database, choosing a loop by name, saying how it stands."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loopctl.cli.checkout import project_of
from loopctl.domain.stop import Status
from loopctl.store.database import Database
from loopctl.store.home import StateHome, state_home
from loopctl.store.lease import Owner
from loopctl.store.loops import StoredLoop, find, list_loops


@dataclass(frozen=True)
class Stored:
    """The database with the folder that it is in."""

    home: StateHome
    database: Database

    def choose(self, name: str, folder: Path) -> StoredLoop:
        """The loop called ``name``: of the project around ``folder``, else of any.

        Raises:
            UnknownNameError: there is none, or there are several.
        """
        project = project_of(folder)
        if project is not None and any(
            name in {loop.name, loop.id} for loop in list_loops(self.database, project)
        ):
            return find(self.database, project, name)
        return find(self.database, None, name)

    def logs_folder(self, loop_id: str) -> Path:
        """Where the log files of a loop are."""
        return self.home.loop_folder(loop_id) / "logs"


@contextmanager
def open_stored(environment: Mapping[str, str]) -> Iterator[Stored]:
    """Open the database for reading."""
    home = state_home(environment)
    database = Database.open(home)
    try:
        yield Stored(home, database)
    finally:
        database.close()


def is_abandoned(loop: StoredLoop, owner: Owner | None) -> bool:
    """Whether the loop counts as running, but nobody drives it."""
    return loop.status is Status.RUNNING and (owner is None or not owner.alive)


def standing(loop: StoredLoop, owner: Owner | None) -> str:
    """The status in words."""
    return f"{loop.status} (driver gone)" if is_abandoned(loop, owner) else str(loop.status)
