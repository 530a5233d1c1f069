"""The connection that a driver writes through: kept open, its statements compiled once.

A driver commits eight times a round. Taking a connection from the pool and preparing every
statement anew takes several times what SQLite itself needs, so the statements (the same as
everywhere) are compiled when they first occur, and go to SQLite as text from then on.

Invariant: as in every transaction of a `Database`, the lock is taken before the first statement,
and everything is committed or nothing.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from sqlalchemy import Dialect, Engine, UpdateBase

from loopctl.store.connection import Durability, begin_writing
from loopctl.store.problems import explained

Row = Mapping[str, Any]


class Writer:
    """One connection. One caller at a time.

    Args:
        path: the database.
        engine: where the connection comes from.
        patiently: calls what it is given until the database is not busy.
    """

    def __init__(
        self, path: Path, engine: Engine, patiently: Callable[[Callable[[], None]], None]
    ) -> None:
        self._path = path
        self._dialect = engine.dialect
        self._pooled = engine.raw_connection()
        self._connection: sqlite3.Connection = self._pooled.dbapi_connection  # type: ignore[assignment]
        self._patiently = patiently

    @contextmanager
    def transaction(self, durability: Durability) -> Iterator[Self]:
        """A transaction: committed at the end, undone on any exception.

        Raises:
            StoreError: nothing was written.
        """
        with explained(self._path):
            self._patiently(lambda: begin_writing(self._connection, self._pooled.info, durability))
            try:
                yield self
                self._connection.commit()
            except BaseException:
                self._connection.rollback()
                raise

    def execute(self, statement: UpdateBase, row: Row) -> sqlite3.Cursor:
        """Carry out one statement with the values of one row."""
        compiled = _compiled(statement, tuple(row), self._dialect)
        return self._connection.execute(compiled.text, compiled.values(row))

    def execute_many(self, statement: UpdateBase, rows: Sequence[Row]) -> None:
        """Carry out one statement for each row; all rows have the same names."""
        for row in rows:
            self.execute(statement, row)

    def close(self) -> None:
        """Give the connection back."""
        self._pooled.close()


class _Compiled(NamedTuple):
    """A statement as text, the names of its parameters in order, and those that never change."""

    text: str
    names: tuple[str, ...]
    constants: Row

    def values(self, row: Row) -> tuple[Any, ...]:
        known = {**self.constants, **row}
        return tuple(known[name] for name in self.names)


@cache
def _compiled(statement: UpdateBase, names: tuple[str, ...], dialect: Dialect) -> _Compiled:
    compiled = statement.compile(dialect=dialect, column_keys=list(names))
    # Raises when a parameter has no value.
    parameters = compiled.construct_params(dict.fromkeys(names))
    constants = {name: value for name, value in parameters.items() if name not in names}
    return _Compiled(str(compiled), tuple(compiled.positiontup or ()), constants)
