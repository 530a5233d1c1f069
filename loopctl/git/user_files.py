"""The user's files at some paths: what lies there now, next to what git says should.

Invariant: only read, and read as data. The content settings are those frozen in loopctl's own
repository, so no filter, hook or monitor that stands in the user's configuration is started, and
no symlink is followed. A file under a filter therefore looks changed (see ``smudge``).
"""

import stat
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from loopctl.git.change import Entry, index_lines
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.repository import UserRepository
from loopctl.git.runner import Git, nul_terminated, records

_SKIPPED = "S "  # git ls-files -t

Targets = Mapping[str, Entry | None]


def entries_on_disk(
    project: ProjectRepository, root: Path, known: Mapping[str, Entry], paths: Iterable[str]
) -> dict[str, Entry]:
    """What git would record of these paths now; those where no file or symlink lies are left out.

    Args:
        project: lends its settings; the contents are stored there.
        root: top of the checkout.
        known: the entries at HEAD: a file system without modes or links keeps theirs.
        paths: relative to the root.

    Raises:
        GitError: a file cannot be read.
    """
    present = [path for path in paths if _is_file(root, path)]
    git = Git(project.path, root)
    with project.scratch_index() as index:
        seed = index_lines({path: known[path] for path in present if path in known})
        git.run("update-index", "-z", "--index-info", index=index, stdin=seed)
        command = ("update-index", "--add", "-z", "--stdin")
        git.run(*command, index=index, stdin=nul_terminated(present))
        return _staged(git.run("ls-files", "--stage", "-z", index=index))


def entries_in_index(user: UserRepository) -> dict[str, Entry]:
    """What the user has staged. An unmerged path has an entry that equals no other."""
    return _staged(Git(user.git_dir).run("ls-files", "--stage", "-z"))


def absent_by_choice(user: UserRepository, root: Path, paths: Iterable[str]) -> set[str]:
    """Those of these paths that a sparse checkout of the user leaves out."""
    absent = [path for path in paths if _look(root, path)[1] is None]
    if not absent:
        return set()
    asked = ("ls-files", "-t", "-z", "--", *(f":(top,literal){path}" for path in absent))
    found = records(Git(user.git_dir).run(*asked))
    return {row.removeprefix(_SKIPPED) for row in found if row.startswith(_SKIPPED)}


def is_blocked(root: Path, path: str, targets: Targets) -> bool:
    """Whether something lies in the way that is not among the paths that are replaced.

    Args:
        root: top of the checkout.
        path: one of the targets.
        targets: what each path is to hold; None: nothing.
    """
    reached, mode = _look(root, path)
    if mode is None:
        return False
    if reached != path:
        return reached not in targets
    if stat.S_ISDIR(mode):
        return targets[path] is not None and not _is_emptied(root, path, targets)
    return not _is_plain(mode)


def _is_emptied(root: Path, folder: str, targets: Targets) -> bool:
    """Whether a folder holds nothing but what is going to be removed."""
    found = list((root / folder).iterdir())
    for entry in found:
        path = f"{folder}/{entry.name}"
        if entry.is_dir() and not entry.is_symlink():
            if not _is_emptied(root, path, targets):
                return False
        elif targets.get(path, path) is not None:
            return False
    return bool(found)


def _is_file(root: Path, path: str) -> bool:
    reached, mode = _look(root, path)
    return reached == path and mode is not None and _is_plain(mode)


def _is_plain(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _look(root: Path, path: str) -> tuple[str, int | None]:
    """The path, or the first of its parents that is no folder, with its mode; None: not there."""
    parents = [str(parent) for parent in PurePosixPath(path).parents][-2::-1]
    for reached in (*parents, path):
        try:
            mode = (root / reached).lstat().st_mode
        except FileNotFoundError:
            return reached, None
        if not stat.S_ISDIR(mode):
            break
    return reached, mode


def _staged(raw: bytes) -> dict[str, Entry]:
    found = {}
    for record in records(raw):
        fields, _, path = record.partition("\t")
        mode, blob, stage = fields.split(" ")
        found[path] = Entry(mode, blob if stage == "0" else f"{blob} {stage}")
    return found
