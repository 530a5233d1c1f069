"""Writing and editing text files.

A file is replaced in one step: a reader, or a crash, sees the old content or the new one. What is
written under a name keeps the permissions of the file that had it, and no other name of that file
(a hard link) changes with it.

Invariant: a call that fails has changed no file.
"""

import contextlib
import errno
import os
import stat
from dataclasses import dataclass
from uuid import uuid4

from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder, explained, give_to_owner_of, require_plain
from loopctl.tools.files.names import shown
from loopctl.tools.files.reading import content

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_PLAIN_MODE = 0o666
_KEPT_MODE = 0o777
_NAMED_LINES = 10


@dataclass(frozen=True)
class Written:
    """A file that was written; ``is_new``: there was none of that name."""

    path: str
    size: int
    is_new: bool

    @property
    def text(self) -> str:
        """For a model."""
        return f"{'created' if self.is_new else 'replaced'} {shown(self.path)} ({self.size} bytes)"


@dataclass(frozen=True)
class Edited:
    """A file in which text was replaced, first in line ``line``."""

    path: str
    count: int
    line: int

    @property
    def text(self) -> str:
        """For a model."""
        places = "1 place" if self.count == 1 else f"{self.count} places"
        return f"edited {shown(self.path)} in {places}, first in line {self.line}"


def write(folder: Folder, path: str, text: str) -> Written:
    """Make ``text`` the whole content of a file; parents are made.

    Raises:
        FileToolError: it cannot be written.
    """
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise FileToolError("the text cannot be written as UTF-8", why=str(error)) from error
    return Written(path, len(data), is_new=_replace(folder, path, data))


def edit(folder: Folder, path: str, old: str, new: str, *, replace_all: bool = False) -> Edited:
    """Replace ``old``, which must be in the file exactly once, or all of it.

    Raises:
        FileToolError: it is not there, or more than once; or the file cannot be written.
    """
    before = content(folder, path)
    try:
        wanted, given = old.encode(), new.encode()
    except UnicodeEncodeError as error:
        raise FileToolError("the text cannot be written as UTF-8", why=str(error)) from error
    if b"\r\n" in before and b"\r" not in wanted:  # lines are shown without their ends
        wanted, given = (part.replace(b"\n", b"\r\n") for part in (wanted, given))
    count = before.count(wanted) if wanted else 0
    _require_match(path, before, wanted, count, replace_all=replace_all)
    if wanted == given:
        raise FileToolError("nothing to do", why="the old text and the new one are the same")
    _replace(folder, path, before.replace(wanted, given))
    return Edited(path, count, before[: before.find(wanted)].count(b"\n") + 1)


def _require_match(
    path: str, before: bytes, wanted: bytes, count: int, *, replace_all: bool
) -> None:
    if not wanted:
        raise FileToolError("the old text is empty", why="write_file makes a new file")
    if not count:
        raise FileToolError(
            f"the old text is not in {shown(path)}",
            why="it must be the same to the last blank, without line numbers",
            next_step="read the file again",
        )
    if count > 1 and not replace_all:
        lines = ", ".join(map(str, _lines_of(before, wanted)))
        raise FileToolError(
            f"the old text is in {shown(path)} {count} times, in the lines {lines}",
            why="it must be there once",
            next_step="take in more lines around it, or set replace_all",
        )


def _lines_of(before: bytes, wanted: bytes) -> list[int]:
    """The lines in which the first few occurrences begin."""
    lines: list[int] = []
    position = before.find(wanted)
    while position >= 0 and len(lines) < _NAMED_LINES:
        lines.append(before.count(b"\n", 0, position) + 1)
        position = before.find(wanted, position + len(wanted))
    return lines


def _replace(folder: Folder, path: str, data: bytes) -> bool:
    """Put ``data`` under the name; whether there was no file before."""
    parts = folder.resolve(path)
    with explained(path):
        if not parts:
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with folder.opened(parts[:-1], create=True) as parent:
            mode = _mode(parts[-1], parent)
            temporary = f".loopctl-{uuid4().hex}"
            try:
                descriptor = os.open(temporary, _NEW, _PLAIN_MODE, dir_fd=parent)
                with os.fdopen(descriptor, "wb") as file:
                    give_to_owner_of(parent, descriptor)
                    file.write(data)
                    if mode is not None:
                        os.fchmod(descriptor, mode)
                os.replace(temporary, parts[-1], src_dir_fd=parent, dst_dir_fd=parent)
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=parent)
                raise
    return mode is None


def _mode(name: str, parent: int) -> int | None:
    """The permissions of the file that is there; ``None`` for none.

    Raises:
        OSError: there is something else, or a file that may not be written.
    """
    try:
        mode = os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return None
    require_plain(mode)
    if not mode & stat.S_IWUSR:
        raise PermissionError(errno.EACCES, "it is read-only")
    return mode & _KEPT_MODE
