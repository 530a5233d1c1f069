"""The database as a whole: opened, created or upgraded on first use, read and written.

Invariant: a transaction is seen by others whole or not at all. Waiting for other writers is
bounded, and done before the first statement, so that nothing has to be done twice.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

from loopctl.store.connection import ENGINE_WAIT_S, WRITES, Durability, open_engine
from loopctl.store.home import StateHome
from loopctl.store.problems import explained, is_busy
from loopctl.store.schema import ensure_current
from loopctl.store.writer import Writer

_T = TypeVar("_T")

BUSY_S = 20.0
"""Seconds for which a writer waits for its turn."""


class Database:
    """An open database; safe to use from several threads."""

    def __init__(self, path: Path, engine: Engine, busy_s: float) -> None:
        self.path = path
        self._engine = engine
        self._writing = {kind: engine.execution_options(**{WRITES: kind}) for kind in Durability}
        # The jitter keeps many writers from asking in step.
        self._patience = Retrying(
            retry=retry_if_exception(is_busy),
            stop=stop_after_delay(busy_s),
            wait=wait_random(0.001, 0.05),
            reraise=True,
        )

    @classmethod
    def open(cls, home: StateHome, *, busy_s: float = BUSY_S) -> Self:
        """Open the database of ``home``; create or upgrade it when that is due.

        Raises:
            StoreError: it cannot be used; the message says what to do.
        """
        ensure_current(home)
        engine = open_engine(home.database, wait_s=min(busy_s, ENGINE_WAIT_S))
        return cls(home.database, engine, busy_s)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A connection that sees one state of the database."""
        with explained(self.path), self._engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self, durability: Durability = Durability.FULL) -> Iterator[Connection]:
        """A transaction: committed at the end, undone on any exception.

        Raises:
            StoreError: nothing was written.
        """
        with (
            explained(self.path),
            self._writing[durability].connect() as connection,
            self._patiently(connection.begin),
        ):
            yield connection

    def writer(self) -> Writer:
        """A connection for many transactions; whoever takes it closes it.

        Raises:
            StoreError: the database cannot be reached.
        """
        with explained(self.path):
            return Writer(self.path, self._engine, self._patiently)

    def _patiently(self, begin: Callable[[], _T]) -> _T:
        try:
            return begin()
        except (DBAPIError, sqlite3.Error) as error:
            if not is_busy(error):
                raise
        return self._patience.copy()(begin)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()
