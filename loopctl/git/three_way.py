"""Three-way: what a path becomes when the change from base to theirs is applied onto ours.

Invariant: nothing is guessed. Where both sides changed a path, only text files are merged, and
only when no line was changed by both; everything else is a conflict.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loopctl.git.change import GITLINK, SYMLINK, Change, Entry
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import line

_SPECIAL = (GITLINK, SYMLINK)
_MOST_CONFLICTS = 127  # git merge-file's statuses up to this one count conflicts; above: cannot


@dataclass(frozen=True, slots=True)
class Merge:
    """The outcome for every changed path.

    Attributes:
        targets: what each path is to hold, where that differs from ours; None: nothing.
        conflicts: paths that both sides changed in ways that exclude each other.
    """

    targets: Mapping[str, Entry | None]
    conflicts: tuple[str, ...]


def merge(
    project: ProjectRepository, changes: tuple[Change, ...], ours: Mapping[str, Entry]
) -> Merge:
    """Apply changes onto ours.

    Args:
        project: where the objects are; merged files are stored there.
        changes: what differs from base to theirs.
        ours: every path that we have.

    Raises:
        GitError: an object is missing.
    """
    targets: dict[str, Entry | None] = {}
    conflicts = []
    for change in changes:
        mine = ours.get(change.path)
        if mine == change.new:
            continue
        if GITLINK in {change.old_mode, change.new_mode}:
            conflicts.append(change.path)
        elif mine == change.old:
            targets[change.path] = change.new
        elif (merged := _merge_files(project, change, mine)) is None:
            conflicts.append(change.path)
        elif merged != mine:
            targets[change.path] = merged
    return Merge(targets, tuple(conflicts))


def _merge_files(project: ProjectRepository, change: Change, mine: Entry | None) -> Entry | None:
    """The file with both sides' changes; None when they exclude each other."""
    base, theirs = change.old, change.new
    if mine is None or base is None or theirs is None:
        return None
    if {mine.mode, base.mode, theirs.mode} & set(_SPECIAL):
        return None
    mode = theirs.mode if mine.mode == base.mode else mine.mode
    if base.blob in {theirs.blob, mine.blob}:
        return Entry(mode, mine.blob if base.blob == theirs.blob else theirs.blob)
    with tempfile.TemporaryDirectory(dir=project.path, prefix="merge-") as folder:
        names = []
        for name, blob in (("ours", mine.blob), ("base", base.blob), ("theirs", theirs.blob)):
            names.append(str(Path(folder) / name))
            with Path(names[-1]).open("wb") as file:
                project.git.run("cat-file", "blob", blob, stdout=file)
        known = tuple(range(256))
        status, _ = project.git.answer("merge-file", "-q", *names, expect=known)
        if status:
            return None
        merged = project.git.run("hash-object", "-w", "--no-filters", names[0])
    return Entry(mode, line(merged))
