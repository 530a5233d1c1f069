"""Searches that a judge has made, kept by loopctl: what they found cannot be made up.

A search that finds nothing shows that there is nothing only when it could have found something.
Invariant: a search is evidence when the exact number of its matches is 0, when the place where it
looked has lines and no link that leads out of it, and when the same search finds a line that the
judge gave as an example.
"""

import asyncio
import os
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from loopctl.evaluators.llm_judge.citations import SUPPLIED
from loopctl.process.toolbox import Toolbox
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.names import shown
from loopctl.tools.files.search import SearchResult, search
from loopctl.tools.files.search_call import Query

EXAMPLE_CHARACTERS = 1000
_ANY_LINE = "."


@dataclass(frozen=True)
class KeptSearch:
    """One search.

    Attributes:
        id: ``S1``, ``S2`` and so on.
        result: what it came to.
        looked_at: how many lines that are not empty are where it looked; counted when it found
            nothing.
        finds_example: it finds the example that was given.
        example: a line that it is meant to find; ``""`` when none was given.
        stray: a link below the place that leads out of it, looked for when it found nothing.
    """

    id: str
    result: SearchResult
    looked_at: int = 0
    finds_example: bool = False
    example: str = ""
    stray: str = ""

    @property
    def weakness(self) -> str:
        """Why it does not show that there is nothing; ``""`` when it does."""
        if self.result.total:
            return f"it found {self.result.total} lines"
        if not self.result.is_exact:
            return f"it was not complete ({self.result.problem})"
        if not self.looked_at:
            return "there is no text where it looked"
        if self.stray:
            return f"it follows no links, and {self.stray} leads to where it did not look"
        if not self.example:
            return "it was made without an example of what it is meant to find"
        return "" if self.finds_example else "its pattern does not find its own example"

    @property
    def summary(self) -> str:
        """It, in a line."""
        query = self.result.query
        exact = "" if self.result.is_exact else "at least "
        found = f"{exact}{self.result.total} matches of {query.pattern!r}"
        kinds = ("literally",) * query.literal + ("in any case",) * query.ignore_case
        place = query.path + (f" ({query.glob})" if query.glob else "")
        among = f" among {self.looked_at} lines" if self.looked_at else ""
        return f"search {self.id}: {' '.join((found, *kinds))} in {place}{among}"


class Searches:
    """The searches of one judgement, in their order.

    Args:
        folder: the checkout.
        tools: what starts the program that searches.
    """

    def __init__(self, folder: Folder, tools: Toolbox) -> None:
        self._folder = folder
        self._tools = tools
        self._kept: dict[str, KeptSearch] = {}
        self._one_at_a_time = asyncio.Lock()

    async def make(self, query: Query, example: str) -> KeptSearch:
        """Search, and keep what it came to.

        Raises:
            FileToolError: the path or the pattern cannot be used.
        """
        async with self._one_at_a_time:
            result = await search(self._folder, query, self._tools)
            kept = KeptSearch(f"S{len(self._kept) + 1}", result, example=example.strip())
            if not result.total:
                kept = replace(
                    kept,
                    looked_at=await self._lines_at(query),
                    stray=await asyncio.to_thread(_stray, self._folder, query.path),
                    finds_example=bool(kept.example) and await self._finds(query, kept.example),
                )
            self._kept[kept.id] = kept
        return kept

    def get(self, identifier: str) -> KeptSearch | None:
        """The search of that identifier, if there was one."""
        return self._kept.get(identifier.strip())

    async def _lines_at(self, query: Query) -> int:
        everything = Query(_ANY_LINE, path=query.path, glob=query.glob)
        return (await search(self._folder, everything, self._tools)).total

    async def _finds(self, query: Query, example: str) -> bool:
        """Whether the pattern, as it is used by the same program, finds the example."""
        with tempfile.TemporaryDirectory(prefix="loopctl-") as place:
            file = Path(place) / "example"
            text = example[:EXAMPLE_CHARACTERS]
            file.write_text(f"{text}\n", encoding="utf-8", errors="replace")
            pattern = replace(query, path=".", glob="")
            return (await search(Folder(Path(place)), pattern, self._tools)).total > 0


def _stray(folder: Folder, path: str) -> str:
    """The first link below the path that leads out of it, if there is one.

    Installed dependencies are no part of the work, and full of links.
    """
    top = folder.root.joinpath(*folder.resolve(path))
    for place, folders, files in os.walk(top):
        folders[:] = sorted(set(folders) - SUPPLIED - {".git"})
        for name in (*folders, *sorted(files)):
            link = Path(place, name)
            if link.is_symlink() and not Path(os.path.realpath(link)).is_relative_to(top):
                return shown(str(link.relative_to(folder.root)))
    return ""
