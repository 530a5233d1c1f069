"""What one file of a git folder is: its kind, its permissions, its content.

Invariants
* A link is what it says, never what it leads to; what is no plain file is never opened.
* A file is read again only when its stamp says that it may have changed. The time of its last
  change cannot be set by a program; one that changed a moment before it was read is read again.
"""

import contextlib
import hashlib
import os
import stat
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

KEPT_BYTES = 256_000
HASHED_BYTES = 4_000_000
_MOMENT_NS = 20_000_000  # longer than a tick of the clock that file systems use


class Kind(StrEnum):
    """What stands at a path."""

    MISSING = "missing"
    FILE = "file"
    LINK = "link"
    FOLDER = "folder"
    OTHER = "special file"


@dataclass(frozen=True, slots=True)
class Seen:
    """One path as it was seen.

    Attributes:
        kind: what stands there.
        mode: its permission bits.
        stamp: inode, size, and the times of the last changes in nanoseconds.
        settled: the stamp was older than a moment when the content was read.
        digest: SHA-256 of the content; a word where it was not read.
        content: the content, or where a link leads; ``None`` when it is too large to keep.
    """

    kind: Kind
    mode: int = 0
    stamp: tuple[int, int, int, int] = (0, 0, 0, 0)
    settled: bool = True
    digest: str = ""
    content: bytes | None = None

    def is_same(self, other: "Seen") -> bool:
        """Whether nothing that matters differs; times do not matter."""
        mine, theirs = (self.kind, self.mode, self.digest), (other.kind, other.mode, other.digest)
        return mine == theirs


MISSING = Seen(Kind.MISSING)


def look(path: str, before: Seen | None = None) -> Seen:
    """What stands at ``path`` now; ``before`` spares reading what has not changed."""
    try:
        found = os.lstat(path)
    except (OSError, ValueError):
        return MISSING
    kind, mode = _kind(found), stat.S_IMODE(found.st_mode)
    if kind is Kind.FOLDER:  # its times are those of its entries
        return Seen(kind, mode)
    stamp = stamp_of(found)
    if before is not None and before.settled and (before.kind, before.stamp) == (kind, stamp):
        return before
    settled = is_settled(found)
    match kind:
        case Kind.LINK:
            target = b""
            with contextlib.suppress(OSError):  # it went just now
                target = os.fsencode(os.readlink(path))  # noqa: PTH115 - hundreds a turn
            return Seen(kind, 0, stamp, settled, _hash(target), target)
        case Kind.FILE:
            content, digest = _read(path, found.st_size)
            return Seen(kind, mode, stamp, settled, digest, content)
        case _:
            return Seen(kind, mode, stamp, settled, "special")


def read_bounded(path: str, limit: int) -> bytes | None:
    """The content of a plain file; ``None`` when it is none, is longer, or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            content = file.read(limit + 1)
        except OSError:
            return None
    return content if len(content) <= limit else None


def names_in(folder: str, limit: int) -> list[str]:
    """The names in a real folder, sorted, no more than ``limit``; none in a link to one."""
    if not is_folder(folder):
        return []
    try:
        with os.scandir(folder) as entries:
            found = [entry.name for entry, _ in zip(entries, range(limit), strict=False)]
    except OSError:
        return []
    return sorted(found)


def is_folder(path: str) -> bool:
    """Whether a real folder stands there."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def stamp_of(found: os.stat_result) -> tuple[int, int, int, int]:
    """What changes whenever the content does."""
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def is_settled(found: os.stat_result) -> bool:
    """Whether a later change is sure to have another stamp."""
    return found.st_ctime_ns < time.time_ns() - _MOMENT_NS


def _read(path: str, size: int) -> tuple[bytes | None, str]:
    if size > HASHED_BYTES:
        return None, f"{size} bytes"
    content = read_bounded(path, HASHED_BYTES)
    if content is None:
        return None, "unreadable"
    return (content if len(content) <= KEPT_BYTES else None), _hash(content)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _kind(found: os.stat_result) -> Kind:
    if stat.S_ISREG(found.st_mode):
        return Kind.FILE
    if stat.S_ISLNK(found.st_mode):
        return Kind.LINK
    return Kind.FOLDER if stat.S_ISDIR(found.st_mode) else Kind.OTHER


def text_path(*parts: str | Path) -> str:
    """The parts as one path, as text: joining `Path` objects would cost more than looking."""
    return str(os.path.join(*parts))  # noqa: PTH118 - see above
