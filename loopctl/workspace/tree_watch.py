"""Whether the files of a tree stood still while they were judged.

A verdict about files that were written to meanwhile is about nothing. Invariants: a file counts as
moved when its content, its kind or its permission to run changed, or when it is gone; a protected
one when it was written to at all. What the evaluator adds does not count.
"""

import filecmp
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from loopctl.domain.protection import Protection
from loopctl.git.change import GITLINK
from loopctl.git.swept_folder import Stamp, stamps_of
from loopctl.workspace.checkout_files import CheckoutFiles
from loopctl.workspace.path_text import path_text

# Builds bring these up to date by themselves, also where nobody has cheated.
_KEPT_BY_TOOLS = frozenset(
    {"Cargo.lock", "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml"}
    | {"bun.lock", "bun.lockb", "deno.lock", "go.mod", "go.sum", "go.work.sum", "poetry.lock"}
    | {"uv.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock", "composer.lock", "mix.lock"}
    | {"Package.resolved", "packages.lock.json", "gradle.lockfile", "flake.lock"}
)
_MODE = 2  # in a stamp
_RUN = stat.S_IXUSR


@dataclass(frozen=True, slots=True)
class Moved:
    """What did not stand still.

    Attributes:
        paths: the files that make a verdict worthless, sorted.
        kept_by_tools: those that tools rewrite of their own accord.
    """

    paths: tuple[str, ...] = ()
    kept_by_tools: tuple[str, ...] = ()


class TreeWatch:
    """Watches the files of one checkout. Make it when all of them are there.

    Args:
        files: what the checkout was filled with.
        tree: id of the judged tree.
        root: root of the checkout.
        protection: which of its paths may not even be written to.
        known: stamps of its files that were taken since nobody else could write to them.
    """

    def __init__(
        self,
        files: CheckoutFiles,
        tree: str,
        root: Path,
        protection: Protection,
        known: Mapping[str, Stamp] | None = None,
    ) -> None:
        self._files = files
        self._tree = tree
        self._root = root
        self._protection = protection
        entries = files.entries(tree)
        watched = (path for path, entry in entries.items() if entry.mode != GITLINK)
        self._stamps = stamps_of(root, watched) if known is None else known

    def look(self, beside: Path) -> Moved:
        """What has moved since; call it when nothing runs in the checkout any more.

        Args:
            beside: an empty folder outside of it, for what the files should be.

        Raises:
            GitError: git could not write the files anew.
        """
        now = stamps_of(self._root, self._stamps)
        touched = [path for path, stamp in self._stamps.items() if now.get(path) != stamp]
        if not touched:
            return Moved()
        certain = {path for path in touched if self._is_certain(path, now.get(path))}
        doubtful = [path for path in touched if path not in certain]
        moved = sorted(certain | set(self._differing(doubtful, beside)))
        tools = [path for path in moved if self._is_kept_by_tools(path)]
        return Moved(
            tuple(path_text(path) for path in moved if path not in tools),
            tuple(path_text(path) for path in tools),
        )

    def _is_certain(self, path: str, stamp: Stamp | None) -> bool:
        """Whether it has moved, whatever its content is."""
        if stamp is None or self._protection.covers(path):
            return True
        before, now = self._stamps[path][_MODE], stamp[_MODE]
        return stat.S_IFMT(before) != stat.S_IFMT(now) or before & _RUN != now & _RUN

    def _differing(self, paths: list[str], beside: Path) -> Iterator[str]:
        """Those of these paths whose content is not what a checkout of the tree would have."""
        if not paths:
            return
        self._files.write_again(self._tree, paths, beside)
        for path in paths:
            if not _same(self._root / path, beside / path):
                yield path

    def _is_kept_by_tools(self, path: str) -> bool:
        return PurePosixPath(path).name in _KEPT_BY_TOOLS and not self._protection.covers(path)


def _same(one: Path, other: Path) -> bool:
    """Whether two files or links of one kind have the same content."""
    try:
        if one.is_symlink() or other.is_symlink():
            return one.readlink() == other.readlink()
        return filecmp.cmp(one, other, shallow=False)
    except OSError:
        return False
