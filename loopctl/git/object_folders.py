"""Where git finds objects: a repository's own folder, and all that it borrows from.

Invariant: the order is git's order of search, and nobody can make the list endless.
"""

import codecs
import os
from collections.abc import Iterator
from pathlib import Path

_LONGEST_CHAIN = 5  # git itself follows no more alternates
_MOST = 50


def object_folders(objects: Path) -> tuple[Path, ...]:
    """The folder ``objects`` of a repository, then those that it borrows from."""
    found: dict[Path, None] = {}
    waiting = [(objects, 0)]
    for folder, depth in waiting:  # grows while it is walked
        if folder not in found and depth <= _LONGEST_CHAIN and folder.is_dir():
            found[folder] = None
            if len(waiting) < _MOST:
                waiting += [(each, depth + 1) for each in _borrowed_from(folder)]
    return tuple(found)


def _borrowed_from(objects: Path) -> Iterator[Path]:
    try:
        lines = (objects / "info" / "alternates").read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        if line and not line.startswith(b"#"):
            yield Path(os.path.normpath(objects / os.fsdecode(_unquoted(line))))


def _unquoted(line: bytes) -> bytes:
    if len(line) < len(b'""') or not (line.startswith(b'"') and line.endswith(b'"')):
        return line
    try:
        return codecs.escape_decode(line[1:-1])[0]
    except ValueError:
        return line
