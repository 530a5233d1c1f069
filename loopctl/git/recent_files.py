"""Recent files: those that were staged in the very second in which they last changed.

Git compares a file's times by whole seconds. A further edit in the same second that keeps size
and modification time would be invisible to it. Invariant: such an edit is found here, by the
file's content, and git is made to look again.
"""

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class _Held:
    """What a recent file was when it was staged: what git compares, and what it holds."""

    size: int
    modified: int
    digest: bytes


class RecentFiles:
    """The recent files of one worktree."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._held: dict[str, _Held] = {}

    def note(self, paths: Iterable[str], second: int) -> None:
        """Remember those of ``paths`` that changed at or after ``second`` (Unix time)."""
        found = ((path, _hold(self._root / path, second)) for path in paths)
        self._held = {path: held for path, held in found if held}

    def hidden(self) -> list[str]:
        """Those with another content, of which git could not tell by size and time."""
        return [path for path, held in self._held.items() if self._is_hidden(path, held)]

    def _is_hidden(self, path: str, held: _Held) -> bool:
        now = _hold(self._root / path, 0)
        return (
            now is not None
            and (now.size, now.modified) == (held.size, held.modified)
            and now.digest != held.digest
        )


def _hold(path: Path, second: int) -> _Held | None:
    """A regular file that changed at or after ``second``; nothing for all others."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or int(status.st_ctime) < second:
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            digest = hashlib.file_digest(file, "sha256").digest()
        return _Held(status.st_size, int(status.st_mtime), digest)
    finally:
        os.close(descriptor)
