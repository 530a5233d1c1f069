"""How large a file or a folder is, without following links out of it."""

import os
from pathlib import Path
from typing import NamedTuple


class Size(NamedTuple):
    """Files, and the bytes that they hold."""

    files: int
    bytes: int


def size_of(path: Path) -> Size:
    """The size of everything at and below ``path``; what cannot be read is left out."""
    pending = [path.resolve()]
    files = total = 0
    while pending:
        place = pending.pop()
        try:
            if not place.is_dir():
                files, total = files + 1, total + place.lstat().st_size
                continue
            with os.scandir(place) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(Path(entry.path))
                    else:
                        files, total = files + 1, total + entry.stat(follow_symlinks=False).st_size
        except OSError:
            continue
    return Size(files, total)
