"""The lists and tables of a Markdown text, as far as a rubric needs them.

Invariant: an entry is a whole one: what is nested in it or goes on below it is a part of its text.
What a code block or a comment holds is never an entry.
"""

import re
from enum import StrEnum
from typing import NamedTuple

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_RULE = re.compile(r"\s*([-*_])(?:\s*\1){2,}\s*")
_MARK = re.compile(r"(?P<indent>\s*)(?:[-*+]|\d{1,9}[.)])(?:\s+(?:\[[ xX]\]\s+)?(?P<text>.*))?")
_SEPARATOR = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*")
_BAR = re.compile(r"(?<!\\)\|")
_NESTED = 2
"""Blanks that put a line into the entry above it."""


class Source(StrEnum):
    """What an entry is a part of."""

    LIST = "list"
    TABLE = "table"


class Entry(NamedTuple):
    """An entry of a list, or a row of a table: its first cell is the name."""

    source: Source
    name: str
    text: str


def entries(text: str) -> tuple[Entry, ...]:
    """All entries and rows that say something, in their order."""
    plain = _COMMENT.sub("", text.removeprefix("\ufeff").replace("\r\n", "\n"))
    return _Reader(plain.split("\n")).read()


class _Reader:
    """Goes through the lines once.

    Args:
        lines: without their ends.
    """

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._found: list[Entry] = []
        self._item: list[str] | None = None
        self._indent = 0
        self._after_blank = False

    def read(self) -> tuple[Entry, ...]:
        position = 0
        while position < len(self._lines):
            position += self._take(position)
        self._end_item()
        return tuple(self._found)

    def _take(self, position: int) -> int:
        """Use the line at ``position``; return how many lines were used."""
        line = self._lines[position]
        if not line.strip():
            self._after_blank = True
            return 1
        if _FENCE.match(line):
            return self._take_code(position)
        if self._is_nested(line):
            self._go_on(line)
        elif _RULE.fullmatch(line) or line.startswith("#"):
            self._end_item()
        elif _BAR.search(line) and self._is_separator(position + 1):
            self._end_item()
            return self._take_table(position)
        elif mark := _MARK.fullmatch(line):
            self._end_item()
            self._item, self._indent = [mark["text"] or ""], len(mark["indent"].expandtabs(4))
        elif self._item is not None and not self._after_blank:
            self._go_on(line)
        else:
            self._end_item()
        self._after_blank = False
        return 1

    def _is_nested(self, line: str) -> bool:
        indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
        return self._item is not None and indent >= self._indent + _NESTED

    def _take_code(self, position: int) -> int:
        """A code block belongs to the entry that it is nested in, else to nothing."""
        opening = self._lines[position]
        keeps = self._is_nested(opening)
        if not keeps:
            self._end_item()
        fence = opening.strip()[:3]
        rest = self._lines[position + 1 :]
        closing = (n for n, line in enumerate(rest, 2) if line.strip().startswith(fence))
        size = next(closing, len(rest) + 1)
        for line in self._lines[position : position + size] if keeps else ():
            self._go_on(line)
        self._after_blank = False
        return size

    def _is_separator(self, position: int) -> bool:
        below = self._lines[position] if position < len(self._lines) else ""
        return "-" in below and _SEPARATOR.fullmatch(below) is not None

    def _take_table(self, position: int) -> int:
        size = 2
        for line in self._lines[position + 2 :]:
            if not line.strip() or not _BAR.search(line):
                break
            size += 1
            name, text, *_ = (*_cells(line), "", "")
            if name or text:
                self._found.append(Entry(Source.TABLE, name, text))
        return size

    def _go_on(self, line: str) -> None:
        if self._item is not None:
            self._item.append(line)

    def _end_item(self) -> None:
        if self._item is not None and (text := _joined(self._item)):
            self._found.append(Entry(Source.LIST, "", text))
        self._item = None


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    inner = inner[:-1] if _BAR.search(inner[-1:]) and not inner.endswith("\\|") else inner
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def _joined(lines: list[str]) -> str:
    """The lines of an entry, moved to the left as far as all that follow the first allow."""
    rest = [line for line in lines[1:] if line.strip()]
    least = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return "\n".join((lines[0].strip(), *(line[least:].rstrip() for line in rest))).strip()
