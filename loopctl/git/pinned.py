"""Pinned paths: what a snapshot takes from base without looking at the file.

Two kinds. A gitlink (submodule) always keeps base's commit: looking into it would run git in a
repository that the agent configures. A file under one of the user's content filters (LFS) keeps
base's blob as long as it is untouched since git wrote it: what lies in the worktree is the
filter's output, and snapshots run no filters. A file of LFS that was changed, or added, is stored
as the pointer to its content, which goes into loopctl's own store. Invariant: git itself never
examines a pinned path, because the private index marks it skip-worktree.
"""

import json
import os
import stat
from pathlib import Path
from typing import NamedTuple

from loopctl.git.change import GITLINK, Entry, index_lines
from loopctl.git.filtered_paths import LFS, FilteredPaths
from loopctl.git.lfs import parse_pointer, pointer_of
from loopctl.git.populate import changed_submodules
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.runner import Git, line, nul_terminated
from loopctl.git.secret_file import looks_secret
from loopctl.git.smudge import kept_output
from loopctl.git.special_file import read_start

Stamp = list[int]
_EXECUTABLE = 0o100


class _Held(NamedTuple):
    """A filtered file: when it was last seen, its filter, and the blob when it is not base's."""

    stamp: Stamp  # empty: it is gone
    filter: str
    mode: str = ""
    blob: str = ""
    pinned: bool = True  # else git looks at it

    @property
    def entry(self) -> Entry | None:
        return Entry(self.mode, self.blob) if self.blob else None


class PinnedPaths:
    """The pinned paths of one loop; what is known of filtered files is kept beside the index."""

    def __init__(self, project: ProjectRepository, git: Git, index: Path, base: str) -> None:
        self._project = project
        self._git = git
        self._index = index
        self._base = base
        self._file = index.with_name(index.name + ".filtered.json")
        self._filters = FilteredPaths(project, base)

    def pin(self) -> None:
        """Mark the pinned paths in a freshly seeded index; the first call stamps the files."""
        if not self._file.exists():
            known = self._filters.own.items() if self._project.filters else ()
            files = {path: name for path, name in known if name in self._project.filters}
            stamps = ((path, _stamp(self._root / path)) for path in files)
            self._save({path: _Held(stamp, files[path]) for path, stamp in stamps if stamp})
        held = self._load()
        self._record({path: each.entry for path, each in held.items() if each.entry})
        paths = [*self._gitlinks(), *(path for path, each in held.items() if each.pinned)]
        if paths:
            self._mark("--skip-worktree", paths)

    def release_touched(self) -> list[str]:
        """Look again at filtered files that changed since they were last seen.

        Returns:
            Those that are now stored as they are: git looks at them as at any other file.
        """
        held = self._load()
        touched = {path: each for path, each in held.items() if self._is_touched(path, each)}
        if not touched:
            return []
        taken = self._take([path for path, each in touched.items() if each.filter == LFS])
        again = {path: each for path, each in touched.items() if path not in taken}
        back = [path for path in again if self._is_output(path)]
        released = [path for path in again if path not in back]
        base = self._project.entries(self._base)
        self._record({path: base[path] for path in back})
        self._record({path: again[path].entry or base[path] for path in released})
        if back:
            self._mark("--skip-worktree", back)
        seen = {path: self._seen(path, again[path], pinned=path in back) for path in again}
        self._save(held | taken | seen)
        return [path for path in released if seen[path].stamp]

    def take_new(self, paths: list[str]) -> list[str]:
        """Store new files of LFS as pointers; return those of these paths that are none."""
        if LFS not in self._project.filters:
            return paths
        wanted = [path for path in paths if not path.endswith("/") and not looks_secret(path)]
        new = self._filters.among(wanted)
        taken = self._take([path for path, name in new.items() if name == LFS])
        if taken:
            self._save(self._load() | taken)
        return [path for path in paths if path not in taken]

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

    def _is_touched(self, path: str, held: _Held) -> bool:
        return (_stamp(self._root / path) or []) != held.stamp

    def _seen(self, path: str, held: _Held, *, pinned: bool) -> _Held:
        return held._replace(stamp=_stamp(self._root / path) or [], pinned=pinned)

    def _is_output(self, path: str) -> bool:
        """Whether a file is, again, what its filter has made of base's blob."""
        entry = self._project.entries(self._base).get(path)
        kept = pointer_of(kept_output(self._project, path, entry.blob)) if entry else None
        return kept is not None and pointer_of(self._root / path) == kept

    def _take(self, paths: list[str]) -> dict[str, _Held]:
        """Put pointers to these files into the index; what holds no content of LFS stays out."""
        taken: dict[str, _Held] = {}
        for path in paths:
            file = self._root / path
            stamp = _stamp(file)
            if stamp is None or file.parent.resolve() != self._root.resolve() / Path(path).parent:
                continue
            is_pointer = parse_pointer(_start(file)) is not None
            pointer = None if is_pointer else self._project.lfs.own.take(file)
            if pointer is None:
                continue
            mode = "100755" if stamp[-1] & _EXECUTABLE else "100644"
            hashed = ("hash-object", "-w", "--stdin", "--no-filters")
            blob = line(self._project.git.run(*hashed, stdin=pointer.text()))
            taken[path] = _Held(stamp, LFS, mode, blob)
        self._record({path: each.entry for path, each in taken.items() if each.entry})
        if taken:
            self._mark("--skip-worktree", list(taken))
        return taken

    def _record(self, entries: dict[str, Entry]) -> None:
        if entries:
            lines = index_lines(entries)
            self._git.run("update-index", "-z", "--index-info", index=self._index, stdin=lines)

    def _mark(self, how: str, paths: list[str]) -> None:
        self._git.run(
            "update-index", how, "-z", "--stdin", index=self._index, stdin=nul_terminated(paths)
        )

    def _load(self) -> dict[str, _Held]:
        if not self._file.exists():
            return {}
        rows = json.loads(self._file.read_text()).items()
        return {
            # A loop of an earlier version has kept the stamp alone.
            path: _Held(*row) if row and isinstance(row[0], list) else _Held(row, self._name(path))
            for path, row in rows
        }

    def _name(self, path: str) -> str:
        return self._filters.own.get(path, "")

    def _save(self, held: dict[str, _Held]) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.touch(mode=0o600)
        fresh.write_text(json.dumps(held))
        fresh.replace(self._file)


def _start(file: Path) -> bytes:
    try:
        return os.fsencode(read_start(file))
    except OSError:
        return b""


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
