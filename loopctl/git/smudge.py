"""Smudging: filtered files of a tree as the user's checkout has them, without running a filter.

Git writes a filtered file as it is stored. Here it becomes what the user works with: for LFS the
content behind the pointer; for another filter the output that the user's git wrote when the first
worktree was made. Invariant: only files that are stored as they were at a known commit are
replaced, and no program of a filter runs.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.change import Entry
from loopctl.git.filtered_paths import LFS, FilteredPaths
from loopctl.git.lfs import LARGEST_POINTER, Pointer, parse_pointer, place_content, pointer_of
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, nul_terminated

_KEPT = "smudged"


@dataclass(frozen=True, slots=True)
class Smudged:
    """What became of the filtered files of a folder.

    Attributes:
        filled: those that are as in the user's checkout.
        pointers: those of LFS whose content is nowhere: they are pointers.
    """

    filled: tuple[str, ...] = ()
    pointers: tuple[str, ...] = ()


def smudge(
    project: ProjectRepository, filters: FilteredPaths, tree: str, root: Path, checkout: Path
) -> Smudged:
    """Smudge the files of a tree that git has just written into a folder.

    Args:
        project: where the objects are.
        filters: which paths are filtered.
        tree: id of the commit or tree.
        root: the folder. Nobody else is at work there.
        checkout: root of the user's checkout, one of the places with contents of LFS.

    Raises:
        OSError: a content could not be written.
    """
    entries, paths = project.entries(tree), filters.in_tree(tree)
    return smudge_files(project, {path: entries[path] for path in paths}, paths, root, checkout)


def smudge_files(
    project: ProjectRepository,
    entries: Mapping[str, Entry],
    filters: Mapping[str, str],
    root: Path,
    checkout: Path,
) -> Smudged:
    """As `smudge`, for single files: what git stores of each, and the name of its filter."""
    filled: list[str] = []
    pointers: list[str] = []
    for path, name in filters.items():
        if not (root / path).is_file():  # not among the folders that were wanted
            continue
        kept = kept_output(project, path, entries[path].blob)
        pointer = pointer_in(project, entries[path].blob) if name == LFS else None
        if pointer is not None and LFS in project.filters:
            places = project.lfs.places(pointer, checkout / path)
            found = place_content(pointer, places, root / path)
            (filled if found else pointers).append(path)
        elif pointer is not None:
            pointers.append(path)
        elif kept.exists():
            shutil.copyfile(kept, root / path)
            filled.append(path)
    return Smudged(tuple(filled), tuple(pointers))


def keep_outputs(project: ProjectRepository, filters: FilteredPaths, tree: str, root: Path) -> None:
    """Keep what the user's filters have written into a fresh worktree, before an agent exists."""
    entries = project.entries(tree)
    for path, name in filters.own.items():
        file = root / path
        if name == LFS or name not in project.filters or not file.is_file():
            continue
        stored = project.read(entries[path].blob)
        if stored is None or stored[2] == file.read_bytes():
            continue
        kept = kept_output(project, path, entries[path].blob)
        kept.parent.mkdir(exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as fresh:
            fresh.write(file.read_bytes())
        Path(fresh.name).replace(kept)


def kept_output(project: ProjectRepository, path: str, blob: str) -> Path:
    """Where the output of a filter for a file is, if it was kept; the path may matter to it."""
    name = hashlib.sha256(os.fsencode(path) + b"\0" + blob.encode()).hexdigest()
    return project.path / _KEPT / name


def pointer_in(project: ProjectRepository, blob: str) -> Pointer | None:
    """The LFS pointer that a blob holds."""
    found = project.read(blob)
    return parse_pointer(found[2]) if found and len(found[2]) < LARGEST_POINTER else None


def stand_still(project: ProjectRepository, root: Path, index: Path, paths: Iterable[str]) -> None:
    """Let git believe that these files of an index are as it has written them into ``root``."""
    names = nul_terminated(list(paths))
    if names:
        git = Git(project.path, root)
        git.run("update-index", "--assume-unchanged", "-z", "--stdin", index=index, stdin=names)


def unchanged_filtered(
    project: ProjectRepository,
    filters: FilteredPaths,
    known: Mapping[str, Entry],
    root: Path,
    paths: Iterable[str],
) -> Iterator[str]:
    """Those of these paths whose files in the user's checkout are what a filter makes of them.

    Args:
        project: where the objects are.
        filters: which paths are filtered.
        known: what git stores of each.
        root: top of the checkout.
        paths: relative to the root.
    """
    for path, name in filters.among([path for path in paths if path in known]).items():
        pointer = pointer_in(project, known[path].blob) if name == LFS else None
        if pointer is None:
            kept = kept_output(project, path, known[path].blob)
            pointer = pointer_of(kept)
        if pointer is not None and pointer_of(root / path) == pointer:
            yield path
