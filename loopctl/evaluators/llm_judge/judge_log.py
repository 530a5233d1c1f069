"""The log file of a judgement: what was asked, what was looked at, what was answered.

Invariant: nothing is written unmasked, the file has about `MOST_CHARACTERS` at most, and a log
that cannot be written keeps no judge from judging.
"""

from collections.abc import Callable
from pathlib import Path

MOST_CHARACTERS = 2_000_000


class JudgeLog:
    """Appends to a file.

    Args:
        path: the file.
        mask: takes secrets out of a text.
    """

    def __init__(self, path: Path, mask: Callable[[str], str]) -> None:
        self._path = path
        self._mask = mask
        self._room = MOST_CHARACTERS
        self.problem = ""

    def write(self, title: str, text: str = "") -> None:
        """Add a title, and a text below it."""
        entry = self._mask(f"== {title}\n{text}\n" if text else f"== {title}\n")
        if self.problem or self._room <= 0:
            return
        shown = entry if len(entry) <= self._room else f"{entry[: self._room]}\n== cut here\n"
        self._room -= len(entry)
        try:
            self._path.touch(mode=0o600)
            with self._path.open("a", encoding="utf-8", errors="replace") as file:
                file.write(shown)
        except OSError as error:
            self.problem = f"the log is incomplete: {error}"
