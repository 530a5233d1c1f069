"""Staging: from the files of a worktree to a tree, through the loop's private index.

The index is seeded from base and kept between rounds, so that only changed files are read.
Invariant: the worktree is data. Its ``.git``, the repositories nested in it and its submodules
are never opened as repositories, and no symlink is followed. What is not recorded is listed.
"""

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loopctl.git.pinned import PinnedPaths
from loopctl.git.project_repository import ProjectRepository
from loopctl.git.recent_files import RecentFiles
from loopctl.git.runner import CommandFailed, Git, nul_terminated, records
from loopctl.git.secret_file import looks_secret
from loopctl.git.special_file import special_files

LARGEST_UNTRACKED = 50_000_000  # bytes
_FATAL = 128
_MANY_PATTERNS = 50

Reason = Literal["secret", "oversized", "special", "unreadable"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A path that the snapshot does not contain although git can see it."""

    path: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Staged:
    """A tree made from the worktree, what it lacks, and what the user should know."""

    tree: str
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


class Staging:
    """The private index of one loop. One caller at a time."""

    def __init__(self, project: ProjectRepository, worktree: Path, index: Path, base: str) -> None:
        self._project = project
        self._root = worktree
        self._index = index
        self._base = base
        self._git = Git(project.path, worktree)
        self._pinned = PinnedPaths(project, self._git, index, base)
        self._folders: set[str] = set()  # those that hold, or held, visible files
        self._written: tuple[tuple[int, int, int], str] | None = None
        self._recent = RecentFiles(worktree)
        self._noted = project.empty_tree  # the tree up to which recent files were noted

    def seed(self) -> None:
        """Fill the index from base. Call it before the agent first runs."""
        self._index.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._index.unlink(missing_ok=True)
        # Entries come without file times: the first `add` reads every file, none is trusted.
        self._run("read-tree", self._project.tree_of(self._base))
        self._pinned.pin()
        self._noted = self._project.empty_tree

    def stage(self) -> Staged:
        """Record the worktree's files and return their tree.

        Raises:
            GitError: git could not do it; a damaged index is rebuilt first.
        """
        # The index is ours alone: a lock on it was left by a driver that was killed.
        self._index.with_name(self._index.name + ".lock").unlink(missing_ok=True)
        if not self._index.exists():
            self.seed()
        try:
            return self._stage()
        except CommandFailed as failed:
            if failed.status != _FATAL:
                raise
            self.seed()
            return self._stage()

    def _stage(self) -> Staged:
        if not self._folders:
            known = records(self._run("ls-files", "-z"))
            self._folders = {path.rpartition("/")[0] for path in known} | {""}
        second = int(time.time())
        self._look_again(self._recent.hidden())
        specials = special_files(self._root)
        touched = self._pinned.release_touched()
        found, differing = self._survey()
        others = self._pinned.take_new(found)
        nested = [name for name in others if name.endswith("/")]
        inside = [path for folder in nested for path in self._files_of(folder)]
        left = self._refused([name for name in others if not name.endswith("/")])
        left += (refused := self._refused(inside))
        left += self._add(others, differing, left, nested)
        kept = set(inside) - {each.path for each in refused}
        if kept:
            self._run("update-index", "--add", "-z", "--stdin", stdin=nul_terminated(sorted(kept)))
        tree = self._write_tree()
        staged = self._project.diff(self._noted, tree)
        self._recent.note((change.path for change in staged if change.new), second)
        self._noted = tree
        notes = [f"{name} is stored as it is: its git filter was not applied" for name in touched]
        notes += [f"nested repository {name} is stored as plain files" for name in nested]
        fresh = {path.rpartition("/")[0] for path in others} - self._folders
        self._folders |= fresh
        visible = (path for path in specials if path.rpartition("/")[0] in self._folders)
        left += [LeftOut(path, "special") for path in visible]
        left_out = sorted(set(left), key=lambda each: each.path)
        return Staged(tree, tuple(left_out), tuple(notes + self._pinned.notes()))

    def _look_again(self, paths: list[str]) -> None:
        """Take the file times of these entries from the index, so that git reads the files."""
        if not paths:
            return
        known = self._run("ls-files", "-z", "--stage", "--", *(f":(top,literal){p}" for p in paths))
        entries = (entry.partition("\t") for entry in records(known))
        lines = [f"{entry.rpartition(' ')[0]}\t{path}" for entry, _, path in entries]
        self._run("update-index", "-z", "--index-info", stdin=nul_terminated(lines))

    def _write_tree(self) -> str:
        """The index's tree; git is spared when it did not rewrite the index since the last one."""
        if self._written is None or self._written[0] != self._stamp():
            tree = self._run("write-tree").decode().strip()
            self._written = (self._stamp(), tree)
        return self._written[1]

    def _stamp(self) -> tuple[int, int, int]:
        """Changes whenever git rewrites the index: it does so by renaming a new file over it."""
        found = self._index.stat()
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _run(self, *argv: str, stdin: bytes = b"") -> bytes:
        return self._git.run(*argv, index=self._index, stdin=stdin)

    def _list(self, *which: str) -> list[str]:
        return records(self._run("ls-files", "-z", "--exclude-standard", *which))

    def _survey(self) -> tuple[list[str], list[str]]:
        """Untracked files, and entries whose file is not as git remembers it, found side by side.

        Both questions only read, and each looks at every file or folder of the worktree.
        """
        with ThreadPoolExecutor(1) as second:
            answer = second.submit(self._run, "diff-files", "-z", "--name-only")
            others = self._list("--others")
            return others, records(answer.result())

    def _add(
        self, others: list[str], differing: list[str], left: list[LeftOut], nested: list[str]
    ) -> list[LeftOut]:
        """Stage all but what is left out or nested; return what turned out to be unreadable."""
        avoided = [each.path for each in left] + [name.removesuffix("/") for name in nested]
        known = {*avoided, *nested}
        wanted = [path for path in [*others, *differing] if path not in known]
        if not wanted:
            return []
        excluded = [f":(top,exclude,literal){path}" for path in avoided]
        status = _FATAL
        # Git compares each pattern with each file: many are slower than all.
        if len(wanted) + len(avoided) <= _MANY_PATTERNS:
            included = [f":(top,literal){path}" for path in wanted]
            status = self._add_matching([*included, *excluded], expect=(0, 1, _FATAL))
        if status == _FATAL:  # also when a link is in the place of a path's folder
            status = self._add_matching([":/", *excluded] if avoided else [])
        if not status:
            return []
        failed = self._list("--others", "--modified")
        return [LeftOut(path, "unreadable") for path in failed if path not in known]

    def _add_matching(self, patterns: list[str], expect: tuple[int, ...] = (0, 1)) -> int:
        """Stage what matches, everything without a pattern; return git's exit status."""
        command = ["add", "--all", "--ignore-errors"]
        if patterns:
            command += ["--pathspec-from-file=-", "--pathspec-file-nul"]
        stdin = nul_terminated(patterns)
        return self._git.answer(*command, index=self._index, stdin=stdin, expect=expect)[0]

    def _refused(self, paths: list[str]) -> list[LeftOut]:
        """Those of these untracked files that must not enter a snapshot."""
        judged = ((path, self._reason(path)) for path in paths)
        return [LeftOut(path, reason) for path, reason in judged if reason]

    def _reason(self, path: str) -> Reason | None:
        if looks_secret(path):
            return "secret"
        try:
            found = os.lstat(self._root / path)
        except OSError:
            return "unreadable"
        if stat.S_ISLNK(found.st_mode):
            return None
        if not stat.S_ISREG(found.st_mode):
            return "special"
        if found.st_size > LARGEST_UNTRACKED:
            return "oversized"
        return None if os.access(self._root / path, os.R_OK) else "unreadable"

    def _files_of(self, folder: str) -> list[str]:
        """Files of a nested repository that the ignore rules leave, without its ``.git``."""
        found = []
        for parent, folders, names in os.walk(self._root / folder):
            here = Path(parent).relative_to(self._root)
            folders[:] = [name for name in folders if name.lower() != ".git"]
            links = [name for name in folders if (Path(parent) / name).is_symlink()]
            kept = [name for name in names if name.lower() != ".git"]
            found += [str(here / name) for name in kept + links]
        if not found:
            return []
        question = ("check-ignore", "-z", "--stdin")
        _, raw = self._git.answer(*question, index=self._index, stdin=nul_terminated(found))
        return sorted(set(found) - set(records(raw)))
