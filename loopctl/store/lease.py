"""The right to drive a loop: a lock that dies with its holder, and a row that names the holder.

Invariant: at most one process holds the lease of a loop, and each holder has an epoch of its
own, by which everything it writes is fenced. A living driver on this host never loses its lease,
however long it was silent. The lock is taken before the row is written, so that a process that
dies in between leaves nothing behind.

On a file system that several hosts share, the lock alone tells whether a foreign driver lives.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from loopctl.errors import LeaseError, UnknownNameError
from loopctl.process.identity import ProcessIdentity, is_alive
from loopctl.store.database import Database
from loopctl.store.file_lock import FileLock
from loopctl.store.tables import driver_leases, loops

FOREIGN_SILENCE_S = 60.0
"""A driver on another host counts as gone after so many seconds without a sign of life."""

_LOOP = select(loops.c.epoch, loops.c.updated_at).where(loops.c.id == bindparam("of_loop"))
_FENCE = update(loops).where(loops.c.id == bindparam("of_loop"))
_ROW = select(driver_leases).where(driver_leases.c.loop_id == bindparam("of_loop"))
_ALL = select(driver_leases)
_REMOVE = delete(driver_leases).where(driver_leases.c.loop_id == bindparam("of_loop"))
_RELEASE = _REMOVE.where(driver_leases.c.epoch == bindparam("of_epoch"))
_ADD = insert(driver_leases)


@dataclass(frozen=True)
class Owner:
    """The driver of a loop, as it was when it last showed itself.

    Attributes:
        identity: the process.
        alive: whether it still runs.
        heartbeat_at: its last sign of life, Unix seconds.
    """

    identity: ProcessIdentity
    alive: bool
    heartbeat_at: float


@dataclass(frozen=True)
class Lease:
    """The right to drive one loop.

    Attributes:
        loop_id: the loop.
        epoch: fences everything that its holder writes.
        unaccounted_s: seconds between the newest event of the loop and the last sign of life of
            a driver that died.
    """

    loop_id: str
    epoch: int
    unaccounted_s: float
    _database: Database
    _lock: FileLock

    def release(self) -> None:
        """Give the right back; the loop then has no driver."""
        try:
            with self._database.write() as connection:
                connection.execute(_RELEASE, {"of_loop": self.loop_id, "of_epoch": self.epoch})
        finally:
            self._lock.release()


def acquire(database: Database, loop_id: str, identity: ProcessIdentity, lock_dir: Path) -> Lease:
    """Take the lease of a loop, from a dead driver if need be.

    Args:
        database: where the row is.
        loop_id: the loop.
        identity: of the process that is going to drive it.
        lock_dir: the folder of the lock files.

    Raises:
        LeaseError: another driver lives; it is named.
    """
    lock = FileLock.try_acquire(lock_dir / f"{loop_id}.lock")
    if lock is None:
        raise _refusal(loop_id, owner(database, loop_id))
    try:
        with database.write() as connection:
            epoch, unaccounted_s = _take_over(connection, loop_id, identity)
    except BaseException:
        lock.release()
        raise
    return Lease(loop_id, epoch, unaccounted_s, database, lock)


def owner(database: Database, loop_id: str) -> Owner | None:
    """Who drives a loop or died while driving it; ``None`` when nobody does."""
    with database.read() as connection:
        row = connection.execute(_ROW, {"of_loop": loop_id}).one_or_none()
    return None if row is None else _owner(row)


def owners(database: Database) -> dict[str, Owner]:
    """The owners of all loops that have one, by the id of the loop."""
    with database.read() as connection:
        rows = connection.execute(_ALL).all()
    return {row.loop_id: _owner(row) for row in rows}


def _take_over(
    connection: Connection, loop_id: str, identity: ProcessIdentity
) -> tuple[int, float]:
    """Write the row of a new holder; return its epoch and the unaccounted seconds."""
    key = {"of_loop": loop_id}
    loop = connection.execute(_LOOP, key).one_or_none()
    if loop is None:
        raise UnknownNameError(
            f"there is no loop with the id {loop_id!r}", next_step="loopctl list"
        )
    row = connection.execute(_ROW, key).one_or_none()
    unaccounted_s = 0.0
    if row is not None:
        holder = _identity(row)
        if holder != identity and is_alive(holder):
            raise _refusal(loop_id, _owner(row))
        unaccounted_s = max(row.heartbeat_at - loop.updated_at, 0.0)
    epoch = loop.epoch + 1
    now = time.time()
    connection.execute(_FENCE, {**key, "epoch": epoch})
    connection.execute(_REMOVE, key)
    connection.execute(
        _ADD,
        {
            "loop_id": loop_id,
            "epoch": epoch,
            "acquired_at": now,
            "heartbeat_at": now,
            "host": identity.host,
            "boot_id": identity.boot_id,
            "pid": identity.pid,
            "start_time": identity.start_time,
        },
    )
    return epoch, unaccounted_s


def _owner(row: Row[Any]) -> Owner:
    identity = _identity(row)
    foreign_life = not identity.is_local and time.time() - row.heartbeat_at < FOREIGN_SILENCE_S
    return Owner(identity, is_alive(identity) or foreign_life, row.heartbeat_at)


def _identity(row: Row[Any]) -> ProcessIdentity:
    return ProcessIdentity(row.host, row.boot_id, row.pid, row.start_time)


def _refusal(loop_id: str, holder: Owner | None) -> LeaseError:
    if holder is None:
        return LeaseError(
            f"another process is just taking over the loop {loop_id}", next_step="loopctl status"
        )
    return LeaseError(
        f"the loop {loop_id} is driven by process {holder.identity.pid}",
        why=f"it is alive on {holder.identity.host}",
        next_step="loopctl status, or loopctl cancel",
    )
