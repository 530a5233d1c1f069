"""The version of the database: found by one query, brought up to date under a lock.

Invariant: creating and upgrading happen in one transaction each, so that a process that dies in
between leaves the database as it was. A database without content beside traces of loops is
damaged, not new.
"""

from pathlib import Path

from sqlalchemy import Engine, text
from tenacity import RetryError, Retrying, retry_if_result, stop_after_delay, wait_random

from loopctl.store.connection import WRITES, open_engine
from loopctl.store.file_lock import FileLock
from loopctl.store.home import StateHome
from loopctl.store.problems import (
    BusyDatabaseError,
    NewerDatabaseError,
    UnreadableDatabaseError,
    corrupt,
    explained,
)

VERSION = "0004"
"""The newest revision in the migrations; revisions are numbers that sort as text."""

_LOCK_WAIT_S = 30.0
_FILE_MODE = 0o600
_PAGE_BYTES = 8192  # prompts and evidence have a few kilobytes: they fill such pages well
_TABLES = text("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'")
_VERSION = text("SELECT version_num FROM alembic_version")


def ensure_current(home: StateHome) -> None:
    """Create or upgrade the database of ``home`` when that is due.

    Raises:
        StoreError: it is newer than this program, damaged or out of reach.
    """
    path = home.database
    with explained(path):
        if _size(path) and _stored_version(path) == VERSION:
            return
        lock = _wait_for(home.locks / "schema.lock")
        try:
            _create_or_upgrade(home)
        finally:
            lock.release()


def _create_or_upgrade(home: StateHome) -> None:
    path = home.database
    refuse_loss(home)
    path.touch(mode=_FILE_MODE)  # -wal and -shm take its mode
    version = _stored_version(path)
    refuse_newer(path, version)
    if version is None and home.has_loops:
        raise corrupt(path, f"it is empty, but {path.parent / 'loops'} holds loops")
    if version != VERSION:
        _upgrade(path)


def _wait_for(path: Path) -> FileLock:
    patience = Retrying(
        retry=retry_if_result(lambda lock: lock is None),
        stop=stop_after_delay(_LOCK_WAIT_S),
        wait=wait_random(0.01, 0.1),
    )
    try:
        lock = patience(FileLock.try_acquire, path)
    except RetryError as error:
        raise BusyDatabaseError(
            "the database is being created or upgraded for too long",
            why=f"another process holds {path}",
            next_step=f"find that process with: fuser {path}",
        ) from error
    if lock is None:
        raise AssertionError
    return lock


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def refuse_newer(path: Path, version: str | None) -> None:
    """Refuse a database of a later program.

    Raises:
        StoreError: it has a version that this program does not know.
    """
    if version is not None and version > VERSION:
        raise NewerDatabaseError(
            f"the database {path} was written by a newer loopctl",
            why=f"it has version {version}; this program knows versions up to {VERSION}",
            next_step="python -m pip install --upgrade loopctl",
        )


def refuse_loss(home: StateHome) -> None:
    """Refuse to begin afresh where something was.

    Raises:
        StoreError: a database was here and is gone.
    """
    path = home.database
    if _size(path):
        return
    state = "is empty" if path.exists() else "is missing"
    if home.has_loops:
        raise corrupt(path, f"it {state}, but {path.parent / 'loops'} holds loops")
    journal = path.with_name(path.name + "-wal")
    if _size(journal):
        raise corrupt(path, f"it {state}, but {journal.name} holds changes to it")


def _stored_version(path: Path) -> str | None:
    engine = open_engine(path)
    try:
        with engine.connect() as connection:
            if not connection.scalar(_TABLES):
                return None
            version: str | None = connection.scalar(_VERSION)
            return version
    finally:
        engine.dispose()


def _upgrade(path: Path) -> None:
    # Alembic takes 300 ms to import: only when it has something to do.
    from loopctl.store.migration import upgrade  # noqa: PLC0415

    engine = open_engine(path)
    try:
        _use_wal(engine, path)
        with engine.execution_options(**{WRITES: True}).begin() as connection:
            upgrade(connection)
    finally:
        engine.dispose()


def _use_wal(engine: Engine, path: Path) -> None:
    """Readers and one writer at a time; a property of the file, set once."""
    raw = engine.raw_connection()
    try:
        cursor = raw.cursor()
        cursor.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        mode = cursor.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    finally:
        raw.close()
    if mode != "wal":
        raise UnreadableDatabaseError(
            f"the database {path} cannot be shared between processes",
            why="its file system does not support SQLite's write-ahead log",
            next_step="export LOOPCTL_HOME=DIRECTORY (a folder on a local disk)",
        )
