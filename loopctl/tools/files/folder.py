"""A folder, and the only way in which paths of models reach files in it.

A path is first resolved as the system would, links included, and refused when that leads out.
Then each part of the result is opened below the one before it, and no link is followed any more:
a path that is changed meanwhile leads to an error, never out of the folder.

Invariant: what is opened is a plain file or a folder, below the root, and no part of ``.git``.
Hard links are files like others; who can make one, has a shell.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.names import shown

Parts = tuple[str, ...]
"""The names that lead from the root to a file; none for the root itself."""

LONGEST_PATH = 4000
"""Bytes. Folders can be nested deeper, and then most programs cannot even remove them."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a part of the path is a file, or has become a link, and no folder",
    errno.EISDIR: "it is a folder",
    errno.ELOOP: "a part of the path is a link that leads nowhere, or has just become a link",
    errno.ENAMETOOLONG: "the name is too long",
    errno.EACCES: "the permissions of the file do not allow it",
}


class Folder:
    """A root for paths.

    Args:
        root: a folder that exists; links to it are followed once, now.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))

    def resolve(self, path: str) -> Parts:
        """Where ``path`` leads; it need not exist.

        Args:
            path: relative to the root, or absolute; ``""`` and ``.`` are the root.

        Raises:
            FileToolError: it leads out, into a ``.git``, or is no path at all.
        """
        try:
            real = os.path.realpath(self.root / path)
            size = len(os.fsencode(real))
        except ValueError as error:  # a NUL, or half a character
            raise FileToolError(f"{shown(path)} is not a path", why=str(error)) from error
        if size > LONGEST_PATH:
            raise FileToolError(f"{shown(path)} is not a path", why="it is too long")
        parts = self._below(real)
        if parts is None:
            lexical = os.path.normpath(self.root / path)
            why = (
                "it is outside of it" if self._below(lexical) is None else "a link leads out of it"
            )
            raise FileToolError(
                f"{shown(path)} is not in your folder",
                why=why,
                next_step="use paths relative to your folder",
            )
        if any(part.casefold() == ".git" for part in parts):
            raise FileToolError(
                f"{shown(path)} belongs to git", why="file tools neither read nor change it"
            )
        return parts

    @contextlib.contextmanager
    def opened(self, parts: Parts, *, create: bool = False) -> Iterator[int]:
        """A descriptor of the folder at ``parts``, made with its parents when asked.

        Raises:
            OSError: it is not there, or no folder.
        """
        descriptor = os.open(self.root, _FOLDER)
        try:
            for part in parts:
                made = create and _made_folder(part, descriptor)
                inner = os.open(part, _FOLDER, dir_fd=descriptor)
                if made:
                    give_to_owner_of(descriptor, inner)
                os.close(descriptor)
                descriptor = inner
            yield descriptor
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def reading(self, path: str) -> Iterator[BinaryIO]:
        """The plain file at ``path``, open for reading.

        Raises:
            FileToolError: there is none that may be read.
        """
        parts = self.resolve(path)
        with explained(path), self.opened(parts[:-1]) as parent:
            if not parts:
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            require_plain(os.stat(parts[-1], dir_fd=parent, follow_symlinks=False).st_mode)
            descriptor = os.open(parts[-1], _FILE, dir_fd=parent)
            with os.fdopen(descriptor, "rb") as file:
                require_plain(os.fstat(descriptor).st_mode)  # it may be another one by now
                yield file

    def _below(self, path: str) -> Parts | None:
        inside = Path(path).is_relative_to(self.root)
        return Path(path).relative_to(self.root).parts if inside else None


def _made_folder(name: str, parent: int) -> bool:
    """Make a folder; False when there is something of that name."""
    try:
        os.mkdir(name, dir_fd=parent)
    except FileExistsError:
        return False
    return True


def give_to_owner_of(parent: int, descriptor: int) -> None:
    """Give what we have made to the owner of the folder that it is in.

    As root, that may be the user id of a sandboxed agent, whose programs have to change it too.
    """
    owner = os.fstat(parent)
    if os.geteuid() == 0 and owner.st_uid != 0:
        os.fchown(descriptor, owner.st_uid, owner.st_gid)


def require_plain(mode: int) -> None:
    """Make sure that a file of ``mode`` is a plain one.

    Raises:
        OSError: it is not.
    """
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if stat.S_ISLNK(mode):
        raise OSError(errno.ELOOP, "it is a link")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a device, a pipe or a socket, and no file")


@contextlib.contextmanager
def explained(path: str) -> Iterator[None]:
    """Says for a model what the system says of ``path``.

    Raises:
        FileToolError: instead of any OSError.
    """
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0) or error.strerror or str(error)
        raise FileToolError(
            f"{shown(path)} cannot be used",
            why=reason,
            next_step="look with list_files" if error.errno == errno.ENOENT else "",
        ) from error
