"""Kept copies: folders copied into a standing checkout, and used again while nobody touched them.

Invariant: after `copy` the destination is what a new copy would be. The copy is swept like the rest
of the checkout; when a file of it or of the original is not as it was, the whole is copied anew.
"""

from dataclasses import dataclass
from pathlib import Path

from loopctl.errors import GitError
from loopctl.git.swept_folder import Survey, outlast, survey, sweep, throw_away
from loopctl.workspace.folder_copy import Move, copy_moved


@dataclass(frozen=True, slots=True)
class _Kept:
    """A copy as it was made: of what, what that was like, and what it is like itself."""

    source: Path
    move: Move
    original: Survey
    copied: Survey
    identity: tuple[int, int]

    def made_of(self, source: Path, move: Move, original: Survey | None) -> bool:
        """Whether a new copy would be the same."""
        return (self.source, self.move, self.original) == (source, move, original)


class KeptCopies:
    """The copies in one standing checkout. One caller at a time.

    Args:
        folder: the checkout.
        beside: a folder outside of it, on the same file system.
        trash: a folder there, to which unwanted folders are moved.
    """

    def __init__(self, folder: Path, beside: Path, trash: Path) -> None:
        self._folder = folder
        self._probe = beside / "copy-probe"
        self._trash = trash
        self._kept: dict[Path, _Kept] = {}
        self._asked: set[Path] = set()

    def begin(self) -> tuple[str, ...]:
        """Begin to fill the checkout; return the folders that are not to be swept away."""
        self._asked = set()
        return tuple(str(path.relative_to(self._folder)) for path in self._kept)

    def copy(self, source: Path, destination: Path, move: Move) -> None:
        """As `copy_moved`, to a place in the checkout.

        Raises:
            GitError: what is there cannot be removed; the checkout is to be thrown away.
            OSError: something could not be read or written.
        """
        self._asked.add(destination)
        original = survey(source) if source.is_dir() and not source.is_symlink() else None
        kept = self._kept.pop(destination, None)
        try:
            if kept and kept.made_of(source, move, original) and self._is_whole(destination, kept):
                self._kept[destination] = kept
                return
            self._remove(destination)
        except OSError as error:
            raise GitError(f"{destination} cannot be used again", why=str(error)) from error
        copy_moved(source, destination, move)
        if original is not None:
            copied = survey(destination)
            if outlast(copied[0], self._probe):
                identity = _identity(destination)
                self._kept[destination] = _Kept(source, move, original, copied, identity)

    def end(self) -> None:
        """Remove the copies that were not asked for this time.

        Raises:
            OSError: one cannot be removed.
        """
        for path in self._kept.keys() - self._asked:
            del self._kept[path]
            self._remove(path)

    def _is_whole(self, destination: Path, kept: _Kept) -> bool:
        """Whether every file of the copy is untouched, once it is swept."""
        try:
            if _identity(destination) != kept.identity:
                return False
        except FileNotFoundError:
            return False
        stamps, modes = kept.copied
        return not sweep(destination, stamps, modes, self._trash)

    def _remove(self, path: Path) -> None:
        if path.is_dir() and not path.is_symlink():
            throw_away(path, self._trash)


def _identity(folder: Path) -> tuple[int, int]:
    found = folder.lstat()
    return found.st_dev, found.st_ino
