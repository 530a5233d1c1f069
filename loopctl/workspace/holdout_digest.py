"""The digest of a hold-out's folder: does it hold what it held when the loop was started?

Invariant: two folders have the same digest only when every file in them has the same path, the
same permissions and the same content. Links and special files have no digest: what they stand for
could be changed without a trace.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from loopctl.errors import UsageError

MOST_FILES = 20_000
MOST_BYTES = 1_000_000_000
_CHUNK = 1 << 20


def digest_of(folder: Path) -> str:
    """SHA-256, hexadecimal, of all paths, permissions and contents below ``folder``.

    Raises:
        UsageError: it is no folder, cannot be read, holds no file, too many of them, or something
            that is no plain file.
    """
    digest = hashlib.sha256()
    try:
        for path in held_files(folder):
            digest.update(_line(folder, path))
    except OSError as error:
        raise _refusal(folder, f"{error.filename}: {error.strerror}") from error
    return digest.hexdigest()


def held_files(folder: Path) -> tuple[Path, ...]:
    """Every file below ``folder``, in an order that depends on the names alone.

    Raises:
        UsageError: see `digest_of`.
        OSError: something cannot be read.
    """
    if not folder.is_dir():
        raise _refusal(folder, "it is not a folder" if os.path.lexists(folder) else "it is missing")
    found: list[Path] = []
    size = 0
    for path, status in _files(folder, folder):
        found.append(path)
        size += status.st_size
        if len(found) > MOST_FILES or size > MOST_BYTES:
            most = f"{MOST_FILES:,} files or {MOST_BYTES:,} bytes"
            raise _refusal(folder, f"it holds more than {most}")
    if not found:
        raise _refusal(folder, "it holds no file")
    return tuple(found)


def _files(root: Path, folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries)
    for name in names:
        path = folder / name
        status = path.lstat()
        inside = path.relative_to(root)
        if name.lower() == ".git":
            raise _refusal(root, f"{inside} would be laid over what belongs to git")
        if stat.S_ISDIR(status.st_mode):
            yield from _files(root, path)
        elif stat.S_ISREG(status.st_mode):
            yield path, status
        else:
            kind = "a link" if stat.S_ISLNK(status.st_mode) else "neither a file nor a folder"
            raise _refusal(root, f"{inside} is {kind}")


def _line(folder: Path, file: Path) -> bytes:
    digest = hashlib.sha256()
    # What has taken the file's place since it was seen must neither lead elsewhere nor block.
    handle = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(handle).st_mode & 0o777
        while chunk := os.read(handle, _CHUNK):
            digest.update(chunk)
    finally:
        os.close(handle)
    name = os.fsencode(file.relative_to(folder))
    return b"%o %s %s\0" % (mode, digest.hexdigest().encode(), name)


def _refusal(folder: Path, why: str) -> UsageError:
    return UsageError(
        f"the hold-out folder {folder} cannot be used",
        why=why,
        next_step="give a folder with the plain files that are to be laid over the checkout",
    )
