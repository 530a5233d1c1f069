"""Pinned paths: what a snapshot takes from base without looking at the file.

Two kinds. A gitlink (submodule) always keeps base's commit: looking into it would run git in a
repository that the agent configures. A file under one of the user's content filters (LFS) keeps
base's blob as long as it is untouched since git wrote it: what lies in the worktree is the
filter's output, and snapshots run no filters. Invariant: git itself never examines a pinned
path, because the private index marks it skip-worktree.
"""

import json
import os
import stat
from pathlib import Path

from loopctl.git.change import GITLINK
from loopctl.git.populate import changed_submodules
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, nul_terminated, records
from loopctl.git.special_file import read_start

_FIELDS = 3  # git check-attr -z: path, attribute, value

Stamp = list[int]


class PinnedPaths:
    """The pinned paths of one loop; the stamps of filtered files are kept beside the index."""

    def __init__(self, project: ProjectRepository, git: Git, index: Path, base: str) -> None:
        self._project = project
        self._git = git
        self._index = index
        self._base = base
        self._file = index.with_name(index.name + ".filtered.json")

    def pin(self) -> None:
        """Mark the pinned paths in a freshly seeded index; the first call stamps the files."""
        if not self._file.exists():
            stamps = {path: _stamp(self._root / path) for path in self._filtered()}
            self._save({path: stamp for path, stamp in stamps.items() if stamp})
        paths = [*self._gitlinks(), *self._load()]
        if paths:
            self._mark("--skip-worktree", paths)

    def release_touched(self) -> list[str]:
        """Let git look again at filtered files that changed since they were written."""
        stamps = self._load()
        touched = [path for path in stamps if _stamp(self._root / path) != stamps[path]]
        if touched:
            self._mark("--no-skip-worktree", touched)
            self._save({path: stamps[path] for path in stamps if path not in touched})
        return touched

    def notes(self) -> list[str]:
        """What the user should know about gitlinks that are not as in base."""
        gitlinks = self._gitlinks()
        if not gitlinks:
            return []
        changed = changed_submodules(self._project, self._base, self._root, self._index)
        notes = [
            f"submodule {path} was changed: the snapshot keeps its commit {commit[:12]}, "
            "and what changed in it is neither judged nor published"
            for path, commit in changed.items()
        ]
        for path, commit in gitlinks.items():
            if path not in changed and _moved(self._root / path, commit):
                at = commit[:12]
                notes.append(f"submodule {path} is not at its commit {at}: the snapshot keeps it")
        return notes

    @property
    def _root(self) -> Path:
        assert self._git.work_tree is not None  # noqa: S101 - built with one
        return self._git.work_tree

    def _gitlinks(self) -> dict[str, str]:
        base = self._project.entries(self._base).items()
        return {path: entry.blob for path, entry in base if entry.mode == GITLINK}

    def _filtered(self) -> list[str]:
        """Paths whose ``filter`` attribute names a filter that the user has configured."""
        if not self._project.filters:
            return []
        raw = self._git.run(
            *("check-attr", "--cached", "--stdin", "-z", "filter"),
            index=self._index,
            stdin=nul_terminated(list(self._project.entries(self._base))),
        )
        fields = records(raw)
        answers = zip(fields[::_FIELDS], fields[2::_FIELDS], strict=True)
        return [path for path, value in answers if value in self._project.filters]

    def _mark(self, how: str, paths: list[str]) -> None:
        self._git.run(
            "update-index", how, "-z", "--stdin", index=self._index, stdin=nul_terminated(paths)
        )

    def _load(self) -> dict[str, Stamp]:
        if not self._file.exists():
            return {}
        loaded: dict[str, Stamp] = json.loads(self._file.read_text())
        return loaded

    def _save(self, stamps: dict[str, Stamp]) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(stamps))
        fresh.replace(self._file)


def _stamp(path: Path) -> Stamp | None:
    """What changes whenever a file is written: size, times (ns), inode; None when it is gone."""
    try:
        found = path.lstat()
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_mode]


def _moved(folder: Path, commit: str) -> bool:
    """Whether a submodule's folder holds another commit, read without running git.

    An empty folder is a submodule that nobody initialised: not moved.
    """
    try:
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return True
        names = os.listdir(folder)  # noqa: PTH208 - only the names
        if ".git" not in names:
            return bool(names)
        marker = folder / ".git"
        if marker.is_file():
            marker = folder / read_start(marker).removeprefix("gitdir:").strip()
        return read_start(marker / "HEAD").strip() != commit
    except (OSError, ValueError):
        return True
