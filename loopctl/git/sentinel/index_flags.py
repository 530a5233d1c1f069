"""The flags of an index that hide changes of files from their owner, read without git.

``assume-unchanged`` and ``skip-worktree`` keep git from looking at a file; an fsmonitor extension
says which files need no look. Invariant: an index that is damaged, too large, or of another
format has no flags that we know of, and nothing else follows from it.
"""

import hashlib
import os
from dataclasses import dataclass

from loopctl.git.sentinel.seen import is_settled, read_bounded, stamp_of

_INDEX_BYTES = 100_000_000
_NAMED = 1_000
_STAT_BYTES = 40
_EXTENDED_FROM = 3
_COMPRESSED = 4
_ASSUME_UNCHANGED, _EXTENDED, _NAME_LENGTH = 0x8000, 0x4000, 0x0FFF
_SKIP_WORKTREE = 0x4000
_FSMONITOR = b"FSMN"
FSMONITOR = "fsmonitor"


@dataclass(frozen=True, slots=True)
class IndexFlags:
    """The flags of one index.

    Attributes:
        stamp: as in `Seen`; all zero for no index.
        settled: as in `Seen`.
        flags: a text for each flagged entry, such as ``assume-unchanged src/app.py``.
    """

    stamp: tuple[int, int, int, int] = (0, 0, 0, 0)
    settled: bool = True
    flags: tuple[str, ...] = ()


def look_at_index(path: str, digest_bytes: int, before: IndexFlags | None) -> IndexFlags:
    """The flags of an index file.

    Args:
        path: the file.
        digest_bytes: length of an object id: 20, or 32 in a SHA-256 repository.
        before: what was seen the last time.
    """
    try:
        found = os.lstat(path)
    except OSError:
        return IndexFlags()
    stamp = stamp_of(found)
    if before is not None and before.settled and before.stamp == stamp:
        return before
    content = read_bounded(path, _INDEX_BYTES)
    try:
        flags = _flags(content or b"", digest_bytes)
    except (IndexError, ValueError):
        flags = []
    return IndexFlags(stamp, is_settled(found), _bounded(flags))


def _flags(content: bytes, digest_bytes: int) -> list[str]:
    if content[:4] != b"DIRC":
        return []
    version, entries = _number(content, 4), _number(content, 8)
    head = _STAT_BYTES + digest_bytes
    position, name = 12, b""
    found: list[str] = []
    for _ in range(entries):
        start, position = position, position + head + 2
        flags, further = _short(content, position - 2), 0
        if version >= _EXTENDED_FROM and flags & _EXTENDED:
            further, position = _short(content, position), position + 2
        if version >= _COMPRESSED:
            name, position = _compressed(content, position, name)
        else:
            length = flags & _NAME_LENGTH
            end = content.index(b"\0", position) if length == _NAME_LENGTH else position + length
            name, position = content[position:end], start + ((end - start + 8) & ~7)
        if flags & _ASSUME_UNCHANGED:
            found.append(f"assume-unchanged {os.fsdecode(name)}")
        if further & _SKIP_WORKTREE:
            found.append(f"skip-worktree {os.fsdecode(name)}")
    if _FSMONITOR in _extensions(content, position, digest_bytes):
        found.append(FSMONITOR)
    return found


def _compressed(content: bytes, position: int, previous: bytes) -> tuple[bytes, int]:
    """A name that begins like the one before it, and the position behind it."""
    dropped, position = _variable(content, position)
    end = content.index(b"\0", position)
    return previous[: len(previous) - dropped] + content[position:end], end + 1


def _extensions(content: bytes, position: int, digest_bytes: int) -> list[bytes]:
    found = []
    while position + 8 <= len(content) - digest_bytes:
        found.append(content[position : position + 4])
        position += 8 + _number(content, position + 4)
    return found


def _short(content: bytes, position: int) -> int:
    return content[position] << 8 | content[position + 1]


def _number(content: bytes, position: int) -> int:
    return int.from_bytes(content[position : position + 4], "big")


def _variable(content: bytes, position: int) -> tuple[int, int]:
    """A number of git's variable length, and the position behind it."""
    byte = content[position]
    value = byte & 0x7F
    while byte & 0x80:
        position += 1
        byte = content[position]
        value = ((value + 1) << 7) | (byte & 0x7F)
    return value, position + 1


def _bounded(flags: list[str]) -> tuple[str, ...]:
    """Of a sparse checkout's very many flags only whether they are the same."""
    if len(flags) <= _NAMED:
        return tuple(flags)
    digest = hashlib.sha256("\0".join(flags).encode("utf-8", "surrogateescape")).hexdigest()
    return (f"skip-worktree or assume-unchanged on {len(flags)} paths ({digest[:12]})",)
