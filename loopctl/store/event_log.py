"""The event log: everything that happened to a loop, in order, append-only.

Invariant: the entries of a loop are numbered from 1 without gaps, and folding ``decide`` over
its events gives its state (see ``replay``).
"""

from collections.abc import Iterator
from typing import Any, get_args

from sqlalchemy import Row, bindparam, insert, select

from loopctl.domain.events import AnyEvent, Event
from loopctl.domain.records import AnyRecord
from loopctl.domain.value import Value
from loopctl.ports import LogEntry
from loopctl.store.database import Database
from loopctl.store.payload import load
from loopctl.store.tables import events

APPEND = insert(events)
_SINCE = (
    select(events)
    .where(events.c.loop_id == bindparam("of_loop"), events.c.seq > bindparam("since"))
    .order_by(events.c.seq)
    .limit(bindparam("limit"))
)
_LOGGED: tuple[type[Value], ...] = (
    *get_args(AnyEvent),
    *(record for record in get_args(AnyRecord) if record.logged),
)
_TYPES = {entry.model_fields["kind"].default: entry for entry in _LOGGED}
_EVERYTHING = 2**63 - 1


def as_entry(seq: int, at: float, round_number: int, kind: str, text: str) -> LogEntry | None:
    """The entry that a row stands for, with all its fields; ``None`` when it is invalid."""
    value = _read(seq, kind, text)
    if value is None:
        return None
    payload = value.model_dump(mode="json", exclude={"kind", "at"})
    return LogEntry(seq, at, round_number, kind, payload)


def events_of(
    database: Database, loop_id: str, since_seq: int = 0, limit: int = _EVERYTHING
) -> tuple[LogEntry, ...]:
    """The entries after ``since_seq``, oldest first, at most ``limit``."""
    entries = (
        as_entry(row.seq, row.at, row.round, row.kind, row.payload_json)
        for row in _rows(database, loop_id, since_seq, limit)
    )
    return tuple(entry for entry in entries if entry is not None)


def stored_events(database: Database, loop_id: str) -> Iterator[Event]:
    """The events of a loop as the machine got them, in their logged form."""
    for row in _rows(database, loop_id, 0, _EVERYTHING):
        value = _read(row.seq, row.kind, row.payload_json)
        if isinstance(value, Event):
            yield value.evolve(at=row.at)


def _rows(database: Database, loop_id: str, since_seq: int, limit: int) -> list[Row[Any]]:
    key = {"of_loop": loop_id, "since": since_seq, "limit": limit}
    with database.read() as connection:
        return list(connection.execute(_SINCE, key))


def _read(seq: int, kind: str, text: str) -> Value | None:
    return load(_TYPES.get(kind, _Unknown), text, f"log entry {seq} ({kind})")


class _Unknown(Value):
    """A kind of entry that this version does not know: nothing fits it."""

    known_kind: None
