"""loopctl's own bare repository of a project: where snapshots live.

It borrows the user's objects through ``objects/info/alternates``, so that a snapshot stores only
what changed. Invariant: its configuration, excludes, attributes and refs are written by loopctl
alone, so every git command on it is safe whatever an agent did elsewhere.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from loopctl.errors import GitError
from loopctl.git.change import Change, Entry, parse_raw
from loopctl.git.helper import Helper, read_exactly, read_line
from loopctl.git.lfs import LfsStore, LfsStores
from loopctl.git.project_folder import prepare_folder
from loopctl.git.repository import UserRepository
from loopctl.git.runner import CommandFailed, Git, line

_CACHED_TREES = 4


class RefMoved(GitError):
    """A ref did not have the value that a compare-and-swap expected."""


class ProjectRepository:
    """An open project repository with its long-lived git processes. Thread-safe."""

    def __init__(
        self,
        path: Path,
        object_format: str,
        filters: frozenset[str],
        lfs_objects: Path | None = None,
    ) -> None:
        self.path = path
        self.filters = filters
        own = LfsStore(path / "lfs")
        self.lfs = LfsStores(own, LfsStore(lfs_objects, private=False) if lfs_objects else own)
        self.git = Git(path)
        self.zero = "0" * (64 if object_format == "sha256" else 40)
        self.empty_tree = line(self.git.run("hash-object", "-t", "tree", "-w", os.devnull))
        self._objects = Helper(self.git, "cat-file", "--batch")
        self._diffs = Helper(
            self.git,
            *("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames"),
            *("--no-abbrev", "--ignore-submodules=none"),
        )
        self._line_counts = Helper(
            self.git, "diff-tree", "--stdin", "-r", "-z", "--numstat", "--no-renames"
        )
        self._commits = Helper(self.git, "hash-object", "-t", "commit", "-w", "--stdin-paths")
        self._refs = Helper(self.git, "update-ref", "--no-deref", "--stdin")
        self._trees: dict[str, dict[str, Entry]] = {}

    @classmethod
    def open_or_create(cls, path: Path, user: UserRepository) -> "ProjectRepository":
        """Open the project's repository, creating it when it is not there.

        Many processes may do this at once: each builds its own, the first to rename wins. The
        content settings follow the user's repository as it is now.
        """
        prepare_folder(path, user)
        found = user.configuration
        return cls(path, user.object_format, found.filters, found.lfs_objects)

    def close(self) -> None:
        """End the long-lived processes."""
        for helper in self._helpers:
            helper.close()

    def forget_packs(self) -> None:
        """Let what reads objects open the packs anew: a new one goes before what is borrowed."""
        self._objects.close()

    def helper_pids(self) -> tuple[int, ...]:
        """Process ids of the long-lived processes that live now."""
        return tuple(pid for helper in self._helpers if (pid := helper.pid))

    @property
    def _helpers(self) -> tuple[Helper, ...]:
        return self._objects, self._diffs, self._line_counts, self._commits, self._refs

    def read(self, name: str) -> tuple[str, str, bytes] | None:
        """Read an object by id or full ref name: (id, type, content), None when missing."""

        def answer(stream: IO[bytes]) -> tuple[str, str, bytes] | None:
            found = read_line(stream).decode(errors="surrogateescape").rsplit(" ", 2)
            if found[-1] in {"missing", "ambiguous"}:
                return None
            content = read_exactly(stream, int(found[2]))
            read_exactly(stream, 1)
            return found[0], found[1], content

        return self._objects.ask(os.fsencode(name) + b"\n", answer)

    def resolve(self, ref: str) -> str | None:
        """The object id that a full ref name holds, None when there is no such ref."""
        found = self.read(ref)
        return found[0] if found else None

    def tree_of(self, name: str) -> str:
        """The tree id of a commit, or of a tree itself.

        Raises:
            GitError: the object is missing or is neither.
        """
        found = self.read(name)
        if found and found[1] == "tree":
            return found[0]
        if found and found[1] == "commit":
            return found[2].partition(b"\n")[0].removeprefix(b"tree ").decode()
        raise GitError(f"{name} is not a commit or tree", why="the object is missing or damaged")

    def diff(self, old: str, new: str) -> tuple[Change, ...]:
        """Every path that differs between two commits or trees."""
        return parse_raw(self._compare(self._diffs, old, new))

    def numstat(self, old: str, new: str) -> bytes:
        """The output of ``git diff-tree --numstat -z`` between two commits or trees."""
        return self._compare(self._line_counts, old, new)

    def _compare(self, helper: Helper, old: str, new: str) -> bytes:
        trees = self.tree_of(old), self.tree_of(new)
        if trees[0] == trees[1]:
            return b""
        # diff-tree echoes a line that names no object: the random word marks the answer's end.
        end = b"end " + os.urandom(16).hex().encode() + b"\n"
        question = " ".join(trees).encode() + b"\n"

        def answer(stream: IO[bytes]) -> bytes:
            raw = bytearray()
            while not raw.endswith(end):
                raw += read_line(stream) + b"\n"
            # diff-tree repeats the question before its answer.
            return bytes(raw).removeprefix(question).removesuffix(end)

        return helper.ask(question + end, answer)

    def entries(self, name: str) -> dict[str, Entry]:
        """Every path of a commit or tree with its mode and object id. Do not change the answer."""
        tree = self.tree_of(name)
        entries = self._trees.get(tree)
        if entries is None:
            near, known = next(reversed(list(self._trees.items())), (self.empty_tree, {}))
            entries = dict(known)
            for change in self.diff(near, tree):
                if change.new:
                    entries[change.path] = change.new
                else:
                    del entries[change.path]
            while len(self._trees) >= _CACHED_TREES:
                self._trees.pop(next(iter(self._trees)), None)
            self._trees[tree] = entries
        return entries

    def write_commit(self, tree: str, parents: tuple[str, ...], message: str, time: int) -> str:
        """Store a commit by loopctl's identity and return its id.

        Args:
            tree: tree id.
            parents: commit ids, possibly none.
            message: subject, body and trailers.
            time: seconds since the epoch.
        """
        who = f"loopctl <loopctl@localhost> {time} +0000"
        head = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        body = "\n".join([*head, f"author {who}", f"committer {who}", "", message])
        with tempfile.NamedTemporaryFile(dir=self.path, prefix="commit-") as file:
            file.write(body.encode(errors="surrogateescape"))
            file.flush()
            name = Path(file.name).name.encode()
            return self._commits.ask(name + b"\n", read_line).decode()

    def swap_ref(self, ref: str, new: str, old: str | None) -> None:
        """Set a ref if it still holds `old` (None: if it does not exist).

        Raises:
            RefMoved: it holds something else.
        """
        order = f"start\nupdate {ref} {new} {old or self.zero}\ncommit\n".encode()
        try:
            # A refused transaction ends the process; it is never sent twice.
            self._refs.ask(order, lambda s: (read_line(s), read_line(s)), twice=False)
        except CommandFailed as failed:
            if self.resolve(ref) != new:
                raise RefMoved(f"{ref} has moved", why=failed.stderr) from failed

    @contextmanager
    def scratch_index(self) -> Iterator[Path]:
        """A name for an index file that is gone afterwards."""
        with tempfile.TemporaryDirectory(dir=self.path, prefix="index-") as folder:
            yield Path(folder) / "index"
