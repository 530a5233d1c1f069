"""Looking at a database without opening it for work: is it there, and which version has it?

Invariant: nothing is created or changed, not even the files beside the database; so one that
nobody has open is read as it lies there.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from loopctl.store.home import StateHome
from loopctl.store.problems import explained
from loopctl.store.schema import VERSION, refuse_loss, refuse_newer


def stored_version(home: StateHome) -> str | None:
    """The version of the database of ``home``; None when none was made yet.

    Raises:
        StoreError: it is damaged, lost, or newer than this program.
    """
    path = home.database
    if not path.exists() or not path.stat().st_size:
        refuse_loss(home)
        return None
    with explained(path):
        version = _version(path)
    refuse_newer(path, version)
    return version


def is_current(version: str | None) -> bool:
    """Whether a start would leave a database of this version as it is."""
    return version == VERSION


@contextmanager
def looking(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to the database at ``path`` that leaves no trace."""
    # Reading a write-ahead log needs the file with its index, and would make it.
    is_open = path.with_name(f"{path.name}-shm").exists()
    mode = "mode=ro" if is_open else "mode=ro&immutable=1"
    uri = f"file:{quote(str(path))}?{mode}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        yield connection


def _version(path: Path) -> str | None:
    with looking(path) as connection:
        known = "SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'"
        if not connection.execute(known).fetchone()[0]:
            return None
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return None if row is None else str(row[0])
