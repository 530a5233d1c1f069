"""Searching the lines of files.

Invariant: the number of lines that match is exact, or said to be a lower bound; of the lines
themselves a bounded number is shown. A search ends in `DEADLINE_S`.
"""

import asyncio
import os
import re
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from loopctl.process.run import ProcessResult
from loopctl.process.toolbox import Toolbox, exit_state
from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder, explained, require_plain
from loopctl.tools.files.names import shown
from loopctl.tools.files.search_call import COLUMNS, Query, ripgrep, search_spec

MOST_MATCHES = 200
DEADLINE_S = 30.0
_ERROR_CHARACTERS = 300
_LINE = re.compile(rb"([^\n\0]+)\0(\d+):([^\n]*)\n")
_TOTAL = re.compile(r"^(\d+) matched lines$", re.MULTILINE)


@dataclass(frozen=True)
class Match:
    """One line that matches; ``path`` is below the root, ``text`` may be cut."""

    path: str
    line: int
    text: str


@dataclass(frozen=True)
class SearchResult:
    """What a search came to.

    Attributes:
        query: what was looked for.
        matches: the first of them, in the order of paths and lines.
        total: how many lines match.
        is_exact: otherwise there may be more.
        problem: why it is not exact.
    """

    query: Query
    matches: tuple[Match, ...]
    total: int
    is_exact: bool
    problem: str = ""

    @property
    def text(self) -> str:
        """For a model: how many lines match, then `path:line: text` for the first of them."""
        number = f"{'' if self.is_exact else 'at least '}{self.total}"
        head = f"{number} matching {'line' if number == '1' else 'lines'}"
        if self.total > len(self.matches):
            head += f", the first {len(self.matches)}"
        if self.problem:
            head += f" ({self.problem})"
        lines = (f"{shown(match.path)}:{match.line}: {match.text}" for match in self.matches)
        return "\n".join((head, *lines))


async def search(
    folder: Folder,
    query: Query,
    tools: Toolbox,
    *,
    skip: frozenset[str] = frozenset(),
    program: str | None = None,
    deadline_s: float = DEADLINE_S,
) -> SearchResult:
    """Search the files at the path of ``query``. The guard of ``tools`` must have no other job.

    Args:
        folder: the root.
        query: what to look for.
        tools: what starts the program that searches.
        skip: names (in small letters) that are only looked into when the path leads there.
        program: ripgrep's path; ``""`` does without, ``None`` looks for it.
        deadline_s: seconds after which it is ended.

    Raises:
        FileToolError: the path or the pattern cannot be used.
    """
    _require_searchable(folder, query.path)
    with tempfile.TemporaryDirectory(prefix="loopctl-") as place:
        log = Path(place) / "matches"
        chosen = ripgrep() if program is None else program or None
        result = await tools.run(
            search_spec(folder, query, skip, chosen, log),
            deadline_s=deadline_s,
            interrupt_grace_s=0.0,
            stop=asyncio.Event(),
        )
        found = log.read_bytes() if log.exists() else b""
    return _result(query, result, found)


def _require_searchable(folder: Folder, path: str) -> None:
    """Make sure that a search does not begin at a pipe, where it would never end."""
    parts = folder.resolve(path)
    with explained(path), folder.opened(parts[:-1]) as parent:
        mode = os.stat(parts[-1] if parts else ".", dir_fd=parent, follow_symlinks=False).st_mode
        if not stat.S_ISDIR(mode):
            require_plain(mode)


def _result(query: Query, ended: ProcessResult, found: bytes) -> SearchResult:
    state = exit_state(ended)
    whole = state is not None and state.code is not None and not ended.timed_out
    # a file may hold such a line as well: the program's own is the last one
    totals = _TOTAL.findall(ended.output.tail) if whole else []
    errors = "" if ended.errors is None else ended.errors.tail.strip()
    if whole and not totals:
        raise FileToolError(
            f"the pattern cannot be used: {shown(query.pattern)}",
            why=errors[-_ERROR_CHARACTERS:] or str(state),
            next_step="correct it, or search for it literally",
        )
    lines = _LINE.findall(found)
    matches = tuple(_match(*line) for line in lines[:MOST_MATCHES])
    total = int(totals[-1]) if totals else len(lines)
    problem = "" if whole else f"the search was not finished: {state or 'lost'}"
    if whole and errors:
        problem = "not everything could be read"
    return SearchResult(query, matches, total, is_exact=not problem, problem=problem)


def _match(path: bytes, line: bytes, text: bytes) -> Match:
    readable = shown(text[:COLUMNS].decode(errors="replace").rstrip("\r"))
    return Match(os.fsdecode(path).removeprefix("./"), int(line), readable)
