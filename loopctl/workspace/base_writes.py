"""What the evaluators write to outside of their checkouts also when they judge the base commit.

A command that installs something each time it runs changes the environment that judges, and
nobody has cheated. Invariant: only a run on the base tree, in which no line of an agent's is, adds
to this; it is kept in the loop's folder, so that a restart knows it.
"""

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path


class BaseWrites:
    """The paths of one loop.

    Args:
        file: where they are kept; None keeps them as long as this object.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._paths: set[str] = set()
        if file is not None:
            with contextlib.suppress(OSError, ValueError, TypeError):
                self._paths = {*map(str, json.loads(file.read_bytes()))}

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def add(self, paths: Iterable[str]) -> None:
        """Note what a run on the base tree has written to.

        Raises:
            OSError: it could not be kept.
        """
        new = set(paths) - self._paths
        if not new:
            return
        self._paths |= new
        if self._file is not None:
            self._file.touch(mode=0o600)
            self._file.write_text(json.dumps(sorted(self._paths)), encoding="utf-8")
