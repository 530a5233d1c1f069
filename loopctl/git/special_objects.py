"""Files among git's objects that are none, such as a FIFO: git waits for it for ever.

Invariant: nothing is opened here, and what is a plain file is not looked at any further.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from loopctl.git.object_folders import object_folders


def special_objects(objects: Path) -> tuple[Path, ...]:
    """What git would wait for, in a folder of objects and in those that it borrows from."""
    return tuple(found for folder in object_folders(objects) for found in _special_in(folder))


def _special_in(folder: Path) -> Iterator[Path]:
    for below in _entries(folder):
        if below.is_dir():
            for entry in _entries(Path(below.path)):
                if not (entry.is_file() or entry.is_dir()) and Path(entry.path).exists():
                    yield Path(entry.path)


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []
