"""The refs of a git folder, read without git: loose files, and ``packed-refs`` behind them.

Invariant: links to folders are not followed, and of very many refs no more than a bound is looked
at; files that have not changed are not read again.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

from loopctl.git.sentinel.seen import (
    MISSING,
    Kind,
    Seen,
    is_settled,
    read_bounded,
    stamp_of,
    text_path,
)

MOST_REFS = 50_000
_REF_BYTES = 4_096
_PACKED_BYTES = 64_000_000
_STASH_LOG_BYTES = 4_000_000
_ID_DIGITS = 40

Loose = tuple[tuple[int, int, int, int], bool, str]


@dataclass(frozen=True)
class Refs:
    """What the refs were.

    Attributes:
        loose: stamp, settled and value of each file below ``refs``, by the ref's name.
        packed_file: ``packed-refs`` itself.
        packed: the values in it.
        stash_log: the file in which the stash's entries are.
        stash: commit ids of the stash's entries, the newest first.
        is_cut: there are more than were looked at.
    """

    loose: dict[str, Loose] = field(default_factory=dict)
    packed_file: Seen = MISSING
    packed: dict[str, str] = field(default_factory=dict)
    stash_log: Seen = MISSING
    stash: tuple[str, ...] = ()
    is_cut: bool = False

    @property
    def values(self) -> dict[str, str]:
        """Every ref with what it points at."""
        return self.packed | {name: value for name, (_, _, value) in self.loose.items()}


def look_at_refs(git_dir: str, before: Refs, packed_file: Seen, stash_log: Seen) -> Refs:
    """The refs as they are now.

    Args:
        git_dir: the shared git folder.
        before: what was seen the last time.
        packed_file: ``packed-refs`` as it is now.
        stash_log: ``logs/refs/stash`` as it is now.
    """
    loose: dict[str, Loose] = {}
    is_cut = False
    for name, entry in _files(text_path(git_dir, "refs"), "refs"):
        if len(loose) >= MOST_REFS:
            is_cut = True
            break
        if not name.endswith(".lock"):
            loose[name] = _look_at(entry, before.loose.get(name))
    packed = before.packed
    if packed_file is not before.packed_file:
        packed = _packed(text_path(git_dir, "packed-refs"), packed_file)
    stash = before.stash
    if stash_log is not before.stash_log:
        stash = _stash(text_path(git_dir, "logs/refs/stash"))
    return Refs(loose, packed_file, packed, stash_log, stash, is_cut)


def _files(folder: str, name: str) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    """Every file below a real folder, with its name as a ref."""
    try:
        if os.path.islink(folder):  # noqa: PTH114 - a `Path` for each folder of refs is slow
            return
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield from _files(entry.path, f"{name}/{entry.name}")
                else:
                    yield f"{name}/{entry.name}", entry
    except (OSError, RecursionError):
        return


def _look_at(entry: "os.DirEntry[str]", before: Loose | None) -> Loose:
    try:
        found = entry.stat(follow_symlinks=False)
        stamp = stamp_of(found)
        if before is not None and before[1] and before[0] == stamp:
            return before
        if entry.is_symlink():
            value = f"link to {os.readlink(entry.path)}"  # noqa: PTH115 - as above
        else:
            content = read_bounded(entry.path, _REF_BYTES)
            value = "(unreadable)" if content is None else os.fsdecode(content).strip()
    except OSError:
        return (0, 0, 0, 0), False, "(unreadable)"
    return stamp, is_settled(found), value


def _packed(path: str, file: Seen) -> dict[str, str]:
    content = file.content
    if content is None and file.kind is Kind.FILE:
        content = read_bounded(path, _PACKED_BYTES)
    rows = os.fsdecode(content or b"").split("\n")
    words = (row.split(" ", 1) for row in rows if row and row[0] not in "#^")
    return {pair[1]: pair[0] for pair in words if len(pair) > 1}


def _stash(log: str) -> tuple[str, ...]:
    """Each line of the log of a stash begins with the entry below it and the entry itself."""
    rows = (read_bounded(log, _STASH_LOG_BYTES) or b"").decode("ascii", "replace").splitlines()
    entries = [row.split(" ", 2)[1] for row in rows if row.count(" ") > 1]
    return tuple(reversed([entry for entry in entries if len(entry) >= _ID_DIGITS]))
