"""A change: one path that differs between two trees.

Invariant: paths are byte-exact (undecodable bytes as surrogate escapes), relative to the root,
with ``/``. A rename is a deletion and an addition: git's guess of similarity is not a fact.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loopctl.git.runner import nul_terminated, text

Kind = Literal["A", "M", "D", "T"]

ABSENT = "000000"
SYMLINK = "120000"
GITLINK = "160000"

_RAW = re.compile(rb":(\d{6}) (\d{6}) ([0-9a-f]+) ([0-9a-f]+) ([AMDT])\0([^\0]+)\0")


@dataclass(frozen=True, slots=True)
class Entry:
    """What a tree holds at a path: a git file mode and an object id."""

    mode: str
    blob: str


@dataclass(frozen=True, slots=True)
class Change:
    """One changed path.

    Attributes:
        path: relative to the root of the tree.
        kind: added, modified, deleted, or type changed (file, symlink, gitlink).
        old_mode: six octal digits; ``000000`` when the path was absent. `new_mode` alike.
        old_blob: object id; all zeros when the path was absent. `new_blob` alike.
    """

    path: str
    kind: Kind
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str

    @property
    def old(self) -> Entry | None:
        """The entry before the change."""
        return None if self.old_mode == ABSENT else Entry(self.old_mode, self.old_blob)

    @property
    def new(self) -> Entry | None:
        """The entry after the change."""
        return None if self.new_mode == ABSENT else Entry(self.new_mode, self.new_blob)


def parse_raw(raw: bytes) -> tuple[Change, ...]:
    """Read the output of ``git diff-tree -r -z --raw --no-renames``."""
    changes = []
    for old_mode, new_mode, old_blob, new_blob, kind, path in _RAW.findall(raw):
        fields = [field.decode() for field in (old_mode, new_mode, old_blob, new_blob)]
        changes.append(Change(text(path), kind.decode(), *fields))
    return tuple(changes)


def index_lines(entries: Mapping[str, Entry | None]) -> bytes:
    """The entries as ``git update-index -z --index-info`` reads them; a None is passed over."""
    held = ((path, entry) for path, entry in entries.items() if entry)
    return nul_terminated([f"{entry.mode} {entry.blob}\t{path}" for path, entry in held])
