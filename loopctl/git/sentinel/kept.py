"""What was taken away is kept: nobody loses what they did themselves.

Invariant: a file that is kept is readable for its owner alone and cannot act where it lies.
"""

import os
import re
from itertools import count
from pathlib import Path

from loopctl.git.sentinel.seen import Kind, Seen

_ODD = re.compile(r"[^A-Za-z0-9._-]")
_LONGEST_NAME = 100


class Kept:
    """The folder of one loop for what was put back.

    Args:
        folder: made when something is kept.
        beside: where a thing is kept that cannot be moved to another file system.
    """

    def __init__(self, folder: Path, beside: Path) -> None:
        self._folder = folder
        self._beside = beside

    def copy(self, name: str, content: bytes) -> Path:
        """Keep a content under a free name like ``name``."""
        target = self._free(self._folder, name)
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        return target

    def take(self, path: Path, seen: Seen) -> str:
        """Take away what stands at ``path``; return where it is now, ``""`` for nowhere.

        Raises:
            OSError: it could not be taken away.
        """
        if seen.kind is Kind.MISSING:
            return ""
        if seen.kind in {Kind.FILE, Kind.LINK} and seen.content is not None:
            target = self.copy(path.name, seen.content)
            path.unlink(missing_ok=True)
            return str(target)
        if seen.kind is Kind.OTHER:
            path.unlink(missing_ok=True)
            return ""
        return str(self._move(path))

    def _move(self, path: Path) -> Path:
        for folder in (self._folder, self._beside):
            target = self._free(folder, path.name)
            try:
                path.rename(target)
            except OSError:  # another file system: not a copy of something that may be huge
                continue
            if not target.is_dir():
                target.chmod(0o600)
            return target
        raise OSError(f"{path} cannot be moved away")

    def _free(self, folder: Path, name: str) -> Path:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        plain = _ODD.sub("_", name.lstrip("."))[:_LONGEST_NAME]
        names = (folder / f"put-back-{number}-{plain}" for number in count(1))
        return next(path for path in names if not os.path.lexists(path))
