"""Git LFS without its program: pointers, and the contents that they stand for.

A pointer is a small text that names a content by its SHA-256 and its size. Contents are looked for
in loopctl's own store, in the user's LFS store and at the file's place in the user's checkout;
nothing is ever downloaded. Invariant: a content is used only when it has the size and the hash that
its pointer says, wherever it was found.
"""

import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:ext-\d-[^\n]+\n)*"
    rb"oid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
LARGEST_POINTER = 1024  # bytes, by the format's definition
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Pointer:
    """A content: its SHA-256 in hexadecimal digits, and its size in bytes."""

    oid: str
    size: int

    def text(self) -> bytes:
        """The pointer as git stores it."""
        return (
            f"version https://git-lfs.github.com/spec/v1\noid sha256:{self.oid}\nsize {self.size}\n"
        ).encode()


def parse_pointer(content: bytes) -> Pointer | None:
    """The pointer in a blob; None for any other content.

    A pointer with extensions stands for a content that other programs have changed: it is none
    that can be followed here.
    """
    found = _POINTER.fullmatch(content) if len(content) < LARGEST_POINTER else None
    if found is None or b"\next-" in content:
        return None
    return Pointer(found[1].decode(), int(found[2]))


class LfsStore:
    """A folder of contents, each in a file that is called by its hash.

    Args:
        root: the folder; made when something is put into it.
        private: for the user alone; otherwise as git-lfs does it.
    """

    def __init__(self, root: Path, *, private: bool = True) -> None:
        self.root = root
        self._folder_mode, self._file_mode = (0o700, 0o600) if private else (0o755, 0o644)

    def path(self, oid: str) -> Path:
        """Where a content is, if it is there."""
        return self.root / oid[:2] / oid[2:4] / oid

    def take(self, file: Path) -> Pointer | None:
        """Keep the content of a file; None when it is no regular file.

        Raises:
            OSError: it cannot be read or kept.
        """
        with _opened(file) as source:
            if source is None:
                return None
            self.root.mkdir(parents=True, exist_ok=True, mode=self._folder_mode)
            with tempfile.NamedTemporaryFile(dir=self.root, prefix="new-", delete=False) as fresh:
                pointer = _copy(source, fresh)
        kept = self.path(pointer.oid)
        kept.parent.mkdir(parents=True, exist_ok=True, mode=self._folder_mode)
        new = Path(fresh.name)
        new.chmod(self._file_mode)
        new.replace(kept)
        return pointer

    def give(self, pointer: Pointer, other: "LfsStore") -> None:
        """Copy a content into another store, if it is here and not there.

        Raises:
            OSError: it cannot be copied.
        """
        if self.path(pointer.oid).exists() and not other.path(pointer.oid).exists():
            other.take(self.path(pointer.oid))


@dataclass(frozen=True, slots=True)
class LfsStores:
    """The stores of a project: loopctl's own, and the user's."""

    own: LfsStore
    users: LfsStore

    def places(self, pointer: Pointer, file: Path) -> tuple[Path, ...]:
        """Where a content may be; ``file`` is the user's file that the pointer stands for."""
        return self.own.path(pointer.oid), self.users.path(pointer.oid), file


def place_content(pointer: Pointer, places: Iterable[Path], destination: Path) -> bool:
    """Replace a file by the content of its pointer; its permissions stay.

    Args:
        pointer: what the file stands for.
        places: where the content may be; the first that has it is used.
        destination: the file, in a folder in which nobody else is at work.

    Returns:
        Whether the content was found.
    """
    for place in places:
        with _opened(place) as source:
            if source is None or os.fstat(source.fileno()).st_size != pointer.size:
                continue
            with tempfile.NamedTemporaryFile(dir=destination.parent, delete=False) as fresh:
                copied = _copy(source, fresh)
        new = Path(fresh.name)
        if copied == pointer:
            new.chmod(stat.S_IMODE(destination.lstat().st_mode))
            new.replace(destination)
            return True
        new.unlink()
    return False


def pointer_of(file: Path) -> Pointer | None:
    """The pointer that stands for a file's content; None when it is no regular file."""
    with _opened(file) as source:
        return None if source is None else _copy(source, None)


class _opened:  # noqa: N801 - used like a function
    """A regular file, opened without following a link or waiting; None for everything else."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: IO[bytes] | None = None

    def __enter__(self) -> IO[bytes] | None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            stream = os.fdopen(os.open(self._path, flags), "rb")
        except OSError:
            return None
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            stream.close()
            return None
        self._stream = stream
        return stream

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.close()


def _copy(source: IO[bytes], destination: IO[bytes] | None) -> Pointer:
    digest, size = hashlib.sha256(), 0
    while chunk := source.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if destination is not None:
            destination.write(chunk)
    return Pointer(digest.hexdigest(), size)
