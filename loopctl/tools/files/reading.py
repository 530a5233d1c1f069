"""Reading a text file, a part at a time.

Invariant: an answer has at most `MOST_LINES` lines and about `MOST_BYTES` bytes, and says when
there is more.
"""

from dataclasses import dataclass

from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.names import shown

MOST_LINES = 2000
MOST_BYTES = 64 * 1024
LINE_CHARACTERS = 2000
LARGEST_FILE = 32 * 1024 * 1024
_LOOKED_AT = 8 * 1024
"""A NUL in the first bytes makes a file binary."""


@dataclass(frozen=True)
class FilePart:
    """Some lines of a file.

    Attributes:
        path: as it was given.
        first: number of the first of `lines`, from 1.
        lines: without their line ends; an over-long one is cut and says so.
        total: how many lines the file has.
        is_utf8: whether all of the file is; what is not is shown as U+FFFD.
    """

    path: str
    first: int
    lines: tuple[str, ...]
    total: int
    is_utf8: bool = True

    @property
    def text(self) -> str:
        """For a model: each line after its number and a tab, then what is left out."""
        last = self.first + len(self.lines) - 1
        notes = []
        if not self.is_utf8:
            notes.append("[not UTF-8: bytes that cannot be read are shown as \ufffd]")
        if not self.total:
            notes.append("[the file is empty]")
        elif not self.lines:
            notes.append(f"[the file has {self.total} lines]")
        elif last < self.total:
            notes.append(f"[cut: {self.total} lines in all, go on with offset {last + 1}]")
        numbered = (f"{number}\t{line}" for number, line in enumerate(self.lines, self.first))
        return "\n".join((*numbered, *notes))


def read(folder: Folder, path: str, offset: int = 1, limit: int = MOST_LINES) -> FilePart:
    """Lines of a text file from ``offset`` (counted from 1) on, ``limit`` at most.

    Raises:
        FileToolError: there is no such text file.
    """
    data = content(folder, path)
    lines = split(data)
    first = max(1, offset)
    part: list[str] = []
    size = 0
    for line in lines[first - 1 : first - 1 + max(1, min(limit, MOST_LINES))]:
        part.append(_bounded(line))
        size += len(part[-1].encode(errors="replace"))
        if size >= MOST_BYTES:
            break
    return FilePart(path, first, tuple(part), len(lines), is_utf8=_is_utf8(data))


def read_lines(folder: Folder, path: str) -> tuple[str, ...]:
    """All lines of a text file, whole, without their line ends.

    Raises:
        FileToolError: there is no such text file.
    """
    return split(content(folder, path))


def content(folder: Folder, path: str) -> bytes:
    """The bytes of a text file.

    Raises:
        FileToolError: there is no such file, it is binary, or too large.
    """
    with folder.reading(path) as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise FileToolError(
            f"{shown(path)} has more than {LARGEST_FILE // 1024**2} MiB",
            why="file tools take smaller ones",
            next_step="search it, or look at a part of it with another program",
        )
    if b"\0" in data[:_LOOKED_AT]:
        raise FileToolError(
            f"{shown(path)} is a binary file of {len(data)} bytes", why="it has no lines to show"
        )
    return data


def split(data: bytes) -> tuple[str, ...]:
    """The lines of a text; only a line feed, or a carriage return and one, ends a line."""
    lines = data.decode(errors="replace").split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(line.removesuffix("\r") for line in lines)


def _bounded(line: str) -> str:
    more = len(line) - LINE_CHARACTERS
    return line if more <= 0 else f"{line[:LINE_CHARACTERS]}[{more} more characters]"


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
