"""Looks for signs in a judged tree, reading each content once for as long as the loop is driven.

Invariant: it never fails a round. What was not looked at, and why, is a note.
"""

from collections.abc import Iterator, Sequence

from loopctl.domain.globs import matches_any
from loopctl.domain.protection import Protection
from loopctl.domain.sign import Sign
from loopctl.domain.signs.changed_source import ExaminedChange, new_signs
from loopctl.domain.signs.examined import Examined, examine
from loopctl.domain.signs.language import language_of
from loopctl.domain.signs.literal_places import Placed, test_literals
from loopctl.git.change import GITLINK, SYMLINK, Change, Entry
from loopctl.git.project_repository import ProjectRepository
from loopctl.workspace.path_text import listed, path_text

MOST_FILES = 300
MOST_BYTES = 400_000
_MOST_BYTES_A_ROUND = 3_000_000
_MOST_TEST_FILES = 1_000
_MOST_TEST_BYTES = 4_000_000
_KEPT = 2_000


class SignReader:
    """Finds the signs of one loop's rounds. One caller at a time.

    Args:
        project: where the contents are.
        protection: which paths are no part of the product.
        base_commit: commit id that the loop started from; its tests are compared with the product.
    """

    def __init__(
        self, project: ProjectRepository, protection: Protection, base_commit: str
    ) -> None:
        self._project = project
        self._protection = protection
        self._base = base_commit
        self._examined: dict[tuple[str, str], Examined | None] = {}
        self._tests: dict[str, tuple[Placed, ...]] = {}
        self._left = 0

    def find(self, changes: Sequence[Change]) -> tuple[tuple[Sign, ...], tuple[str, ...]]:
        """The signs that are new in changed files, and notes on what was not looked at.

        Args:
            changes: what differs between the base commit and the judged tree.
        """
        try:
            return self._find(changes)
        except Exception as failed:  # noqa: BLE001 - evidence that is missing fails no round
            why = f"{type(failed).__name__}: {failed}"
            return (), (f"signs of code that could deceive tests were not looked for: {why}",)

    def _find(self, changes: Sequence[Change]) -> tuple[tuple[Sign, ...], tuple[str, ...]]:
        product = [
            each
            for each in changes
            if language_of(each.path) and not matches_any(each.path, self._protection.patterns)
        ]
        self._left = _MOST_BYTES_A_ROUND
        looked, skipped = [], [each.path for each in product[MOST_FILES:]]
        for change in product[:MOST_FILES]:
            before, after = self._look(change, change.old), self._look(change, change.new)
            if before is None or after is None:
                skipped.append(change.path)
            else:
                looked.append(ExaminedChange(path_text(change.path), before, after))
        signs = new_signs(looked, self._test_literals())
        unread = [
            each.path for each in looked if each.after.unreadable and not each.before.unreadable
        ]
        return signs, _notes(skipped, unread)

    def _look(self, change: Change, entry: Entry | None) -> Examined | None:
        """What one side of a change holds; ``None`` when it is too much to look at."""
        if entry is None or entry.mode in (SYMLINK, GITLINK):
            return Examined()
        key = (entry.blob, str(language_of(change.path)))
        if key not in self._examined:
            found = self._project.read(entry.blob)
            content = found[2] if found else b""
            if len(content) > MOST_BYTES:
                self._examined[key] = None
            elif len(content) > self._left:
                return None
            else:
                self._left -= len(content)
                self._examined[key] = examine(change.path, content.decode(errors="replace"))
            while len(self._examined) > _KEPT:
                self._examined.pop(next(iter(self._examined)))
        return self._examined[key]

    def _test_literals(self) -> Iterator[tuple[Placed, ...]]:
        """The literals of the base commit's tests, up to a bound; read when they are asked for."""
        files, left = 0, _MOST_TEST_BYTES
        for path, entry in self._project.entries(self._base).items():
            if entry.mode in (SYMLINK, GITLINK) or not self._protection.covers(path):
                continue
            files += 1
            if files > _MOST_TEST_FILES or left <= 0:
                return
            if entry.blob not in self._tests:
                found = self._project.read(entry.blob)
                content = found[2] if found else b""
                is_text = len(content) <= MOST_BYTES and b"\0" not in content
                left -= len(content) if is_text else 0
                text = content.decode(errors="replace") if is_text else ""
                self._tests[entry.blob] = test_literals(path, text)
            yield self._tests[entry.blob]


def _notes(skipped: list[str], unread: list[str]) -> tuple[str, ...]:
    notes = []
    if skipped:
        notes.append(f"signs were not looked for, it is too much to read: {listed(skipped)}")
    if unread:
        notes.append(
            f"signs were not looked for, it is no source that can be read: {listed(unread)}"
        )
    return tuple(notes)
