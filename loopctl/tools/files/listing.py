"""Listing what is in a folder, to any depth.

Invariant: an answer is sorted, has at most `MOST_ENTRIES` entries, and says when there are more.
Links are named and never followed.
"""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass

from loopctl.domain.globs import matches_any
from loopctl.tools.files.folder import Folder, Parts, explained
from loopctl.tools.files.names import shown

MOST_ENTRIES = 1000
MOST_SEEN = 200_000
"""A walk ends after this many entries, whatever they are."""


@dataclass(frozen=True)
class Listing:
    """Entries of a folder.

    Attributes:
        entries: paths below the root; ``/`` follows a folder's, ``@`` a link's, ``?`` a special
            file's.
        is_cut: there are more.
        skipped: folders that were not looked into, because of their names.
    """

    entries: tuple[str, ...]
    is_cut: bool = False
    skipped: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """For a model: an entry a line, then what is left out."""
        notes = [] if self.entries else ["[nothing]"]
        if self.is_cut:
            notes.append(f"[cut after {len(self.entries)} entries: name a folder or a glob]")
        if self.skipped:
            notes.append(f"[not looked into: {', '.join(self.skipped)}]")
        return "\n".join((*self.entries, *notes))


def list_files(
    folder: Folder, path: str = ".", glob: str = "", skip: frozenset[str] = frozenset()
) -> Listing:
    """What is in the folder at ``path``; with a glob, every file below it that matches.

    Args:
        folder: the root.
        path: where to look.
        glob: over paths below ``path``; without a slash, over names at any depth.
        skip: names of folders that are only looked into when ``path`` leads there.

    Raises:
        FileToolError: there is no such folder.
    """
    start = folder.resolve(path)
    patterns = (anchored(glob),) if glob else ()
    found: list[str] = []
    skipped: list[str] = []
    with explained(path), folder.opened(start):
        pass
    for number, (parts, mark) in enumerate(_walk(folder, start, deep=bool(glob), skip=skip)):
        if number >= MOST_SEEN or len(found) >= MOST_ENTRIES:
            return Listing(tuple(found), is_cut=True, skipped=tuple(skipped))
        name = shown("/".join(parts))
        if glob and mark == "/":
            skipped += [f"{name}/"] if parts[-1] in skip and len(skipped) < 10 else []  # noqa: PLR2004
        elif not glob or matches_any("/".join(parts[len(start) :]), patterns):
            found.append(name + mark)
    return Listing(tuple(found), skipped=tuple(skipped))


def anchored(glob: str) -> str:
    """The glob over whole paths that ``glob`` stands for."""
    return glob.removeprefix("./").removeprefix("/") if "/" in glob else f"**/{glob}"


def _walk(
    folder: Folder, start: Parts, *, deep: bool, skip: frozenset[str]
) -> Iterator[tuple[Parts, str]]:
    """Every entry with its mark, in the order of the paths' parts."""
    left = [((*start, name), mark) for name, mark in reversed(_entries(folder, start))]
    while left:
        parts, mark = left.pop()
        yield parts, mark
        if deep and mark == "/" and parts[-1] not in skip:
            left += [((*parts, name), mark) for name, mark in reversed(_entries(folder, parts))]


def _entries(folder: Folder, parts: Parts) -> list[tuple[str, str]]:
    try:
        with folder.opened(parts) as descriptor, os.scandir(descriptor) as entries:
            return sorted(
                (entry.name, _mark(entry)) for entry in entries if entry.name.casefold() != ".git"
            )
    except OSError:  # removed meanwhile, or not readable
        return []


def _mark(entry: "os.DirEntry[str]") -> str:
    if entry.is_symlink():
        return "@"
    if entry.is_dir(follow_symlinks=False):
        return "/"
    return "" if stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode) else "?"
