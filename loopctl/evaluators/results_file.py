"""The files in which a command leaves its results, and the proof that this run wrote them.

Invariant: a file that was there before the command started and has not been written since says
nothing, nor does one that is not a plain file inside the checkout.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from loopctl.domain.suite import Outcome, collect
from loopctl.evaluators.junit import read_junit

MAX_FILES = 10_000
MAX_BYTES = 32_000_000  # parsed, they take a dozen times as much memory
_MAGIC = frozenset("*?[")

Stamp = tuple[int, int, int, int]


class ResultsUnreadableError(Exception):
    """There are no results of this run; the text says why."""


class ResultsFiles:
    """Make it before the command starts; read it when nothing of the command is alive.

    Args:
        folder: where the command runs, and where the files must be.
        pattern: their path or glob below it.
        places: folders that have other names in every run, and may be part of a test's id.
    """

    def __init__(
        self, folder: Path, pattern: str, places: Mapping[str, Path] | None = None
    ) -> None:
        self._folder = folder
        self._pattern = pattern
        self._places = _stand_ins(places or {})
        self._before = self._stamps()

    def read(self) -> dict[str, Outcome]:
        """The outcome of every test of this run.

        Raises:
            ResultsUnreadableError: nothing was written, or what was written cannot be read.
        """
        now = self._stamps()
        written = [path for path, stamp in now.items() if self._before.get(path) != stamp]
        if not written:
            was = "was not written by this run" if now else "was not written"
            raise ResultsUnreadableError(f"{self._pattern} {was}")
        if len(written) > MAX_FILES or sum(now[path][2] for path in written) > MAX_BYTES:
            raise ResultsUnreadableError(f"{self._pattern} is too large to be read")
        cases = []
        for path in sorted(written):
            try:
                cases += read_junit(path.read_bytes())
            except (OSError, ValueError) as error:
                name = os.path.relpath(path, self._folder)
                raise ResultsUnreadableError(f"{name} cannot be read: {error}") from error
        return collect(cases, self._places)

    def _stamps(self) -> dict[Path, Stamp]:
        """What tells a new or rewritten file, for each plain file that matches."""
        inside = os.path.realpath(self._folder)
        found: dict[Path, Stamp] = {}
        for path in self._matches():
            try:
                seen = path.lstat()
            except OSError:
                continue
            real = os.path.realpath(path)
            if stat.S_ISREG(seen.st_mode) and os.path.commonpath([inside, real]) == inside:
                found[path] = (seen.st_ino, seen.st_ctime_ns, seen.st_size, seen.st_mtime_ns)
        return found

    def _matches(self) -> list[Path]:
        if _MAGIC.isdisjoint(self._pattern):
            return [self._folder / self._pattern]
        return list(self._folder.glob(self._pattern))


def _stand_ins(places: Mapping[str, Path]) -> dict[str, str]:
    """What stands for each folder, in every spelling that an id may have; inner ones first."""
    forms = {
        form: f"${name}"
        for name, path in places.items()
        for form in (os.fspath(path), os.path.realpath(path))
    }
    return {form: forms[form] for form in sorted(forms, key=len, reverse=True)}
