"""A lock that dies with the process that holds it, however that process dies.

Invariant: lock files are never removed, so that two processes cannot hold "the same" lock on
two different files.
"""

import fcntl
import os
from pathlib import Path
from typing import Self

_MODE = 0o600


class FileLock:
    """An exclusive lock on a file. Programs that are started meanwhile do not inherit it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def try_acquire(cls, path: Path) -> Self | None:
        """Take the lock, or return ``None`` when somebody holds it. Never waits."""
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _MODE)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        return cls(descriptor)

    def release(self) -> None:
        """Give the lock back."""
        os.close(self._descriptor)
