"""What can be wrong with the database, told so that the user can do something about it.

Invariant: an error of the database engine never reaches the user as such, and none of them ends
in a new, empty database.
"""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from loopctl.errors import StoreError

_PRIMARY = 0xFF  # extended result codes keep the primary one in their low byte
_FULL_BELOW = 256 * 1024
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT}


class NewerDatabaseError(StoreError):
    """A newer loopctl has written the database."""


class CorruptDatabaseError(StoreError):
    """The file is not, or no longer, a whole database."""


class UnreadableDatabaseError(StoreError):
    """The file cannot be opened or written."""


class DiskFullError(StoreError):
    """There is no room left for the database."""


class BusyDatabaseError(StoreError):
    """Another process held the database for longer than we wait."""


class InvalidRowError(StoreError):
    """A row that the work depends on does not fit its type."""


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn errors of the database at ``path`` into ones that say what to do."""
    try:
        yield
    except DBAPIError as error:
        raise explain(error.orig, path) from error
    except (sqlite3.Error, OSError) as error:
        raise explain(error, path) from error


def is_busy(error: BaseException) -> bool:
    """Whether another process has the database right now."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return _code(original) in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


def corrupt(path: Path, why: str) -> CorruptDatabaseError:
    """The refusal to go on with a damaged database."""
    return CorruptDatabaseError(
        f"the database {path} is damaged",
        why=why,
        next_step=f"restore {path.name} (with -wal and -shm) from a backup, or move the whole "
        f"folder {path.parent} away to begin afresh",
    )


def explain(error: BaseException | None, path: Path) -> StoreError:
    """The error that tells the user about ``error``."""
    why = str(error)
    match _code(error):
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return corrupt(path, why)
        case sqlite3.SQLITE_FULL:
            return _full(path, why)
        case sqlite3.SQLITE_IOERR if shutil.disk_usage(path.parent).free < _FULL_BELOW:
            return _full(path, why)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return BusyDatabaseError(
                f"the database {path} was busy for too long",
                why=f"another process holds it ({why})",
                next_step=f"find that process with: fuser {path}",
            )
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return _unreadable(path, why)
        case _:
            return StoreError(f"the database {path} refused", why=why, next_step="loopctl status")


def _code(error: BaseException | None) -> int:
    """The primary result code of SQLite that says the same."""
    if isinstance(error, OSError):
        return sqlite3.SQLITE_FULL if error.errno in _NO_ROOM else sqlite3.SQLITE_CANTOPEN
    return int(getattr(error, "sqlite_errorcode", 0)) & _PRIMARY


def _unreadable(path: Path, why: str) -> UnreadableDatabaseError:
    return UnreadableDatabaseError(
        f"the database {path} cannot be opened for writing",
        why=why,
        next_step=f"ls -l {path.parent}",
    )


def _full(path: Path, why: str) -> DiskFullError:
    return DiskFullError(
        f"there is no room left for the database {path}",
        why=why,
        next_step=f"free some space (df -h {path.parent}), then restart the loop",
    )
