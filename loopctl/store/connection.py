"""How the database is spoken to: every connection alike, every transaction of a known kind.

Invariant: a connection never creates a file. A transaction that writes says so when it begins:
one that first reads and then writes would fail at once when another process is writing.
"""

import sqlite3
from enum import StrEnum
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from sqlalchemy import Connection, Engine, QueuePool, create_engine, event

WRITES = "loopctl_writes"
"""The execution option of a connection whose transactions write; its value is a `Durability`."""


class Durability(StrEnum):
    """What a commit survives: both the death of every process, only ``FULL`` a power cut too.

    Commits are kept in order: a ``FULL`` one makes everything before it as safe as itself.
    """

    FULL = "FULL"
    NORMAL = "NORMAL"


ENGINE_WAIT_S = 2.0  # inside SQLite, for one attempt


def open_engine(path: Path, *, wait_s: float = ENGINE_WAIT_S) -> Engine:
    """An engine on an existing database file; ``wait_s`` bounds one attempt to write."""
    uri = f"file:{quote(str(path))}?mode=rw"

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(
            uri, uri=True, timeout=wait_s, isolation_level=None, check_same_thread=False
        )

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: sqlite3.Connection, _record: Any) -> None:
    connection.execute("PRAGMA foreign_keys = ON")


def _begin(connection: Connection) -> None:
    raw = cast("sqlite3.Connection", connection.connection.dbapi_connection)
    durability = connection.get_execution_options().get(WRITES)
    if durability is None:
        raw.execute("BEGIN")
    else:
        begin_writing(raw, connection.info, durability)


def begin_writing(
    connection: sqlite3.Connection, info: dict[str, Any], durability: Durability
) -> None:
    """Begin a transaction that writes.

    Args:
        connection: from an engine of ours.
        info: what the pool knows of it; the durability that was last set is in there.
        durability: of the transaction.
    """
    if info.get(WRITES) != durability:
        connection.execute(f"PRAGMA synchronous = {durability}")
        info[WRITES] = durability
    connection.execute("BEGIN IMMEDIATE")
