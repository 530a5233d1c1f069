"""Files among git's objects that are none, such as a FIFO: git waits for it for ever.

Invariants: nothing is opened here, and what is a plain file is not looked at any further. Only
what git itself would open counts: a folder that somebody has made git borrow from may be anything,
with pipes and sockets of programs that have nothing to do with it.
"""

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from loopctl.git.object_folders import object_folders

_OPENED_BY_GIT = re.compile(
    r"[0-9a-f]{2}/(?:[0-9a-f]{38}|[0-9a-f]{62})|info/(?:packs|alternates|commit-graph)"
    r"|pack/(?:multi-pack-index|pack-[0-9a-f]{40,64}\.[a-z]{3,8})"
)


def special_objects(objects: Path) -> tuple[Path, ...]:
    """What git would wait for, in a folder of objects and in those that it borrows from."""
    return tuple(found for folder in object_folders(objects) for found in _special_in(folder))


def _special_in(folder: Path) -> Iterator[Path]:
    for below in _entries(folder):
        if below.is_dir():
            for entry in _entries(Path(below.path)):
                if not _OPENED_BY_GIT.fullmatch(f"{below.name}/{entry.name}"):
                    continue
                if not (entry.is_file() or entry.is_dir()) and Path(entry.path).exists():
                    yield Path(entry.path)


def _entries(folder: Path) -> list["os.DirEntry[str]"]:
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        return list(entries)
    return []
