"""The tools of a judge: they read the files of the checkout, and there are no others.

Invariant: whatever a tool says stands between the judgement's marks, and all that the tools of one
judgement show together is bounded. What goes wrong is said to the judge.
"""

import asyncio
from collections.abc import Awaitable, Callable

from loopctl.evaluators.llm_judge.searches import Searches
from loopctl.process.toolbox import Toolbox
from loopctl.prompts.judge import untrusted
from loopctl.tools.files import listing, reading
from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.search_call import Query

MOST_SHOWN = 200_000
"""Characters, in all answers of one judgement together."""

_USED_UP = "Nothing more can be shown: give your verdicts. What you could not look at is FAIL."
_NO_LISTING = frozenset({"node_modules", ".venv", "venv", "__pycache__"})


class Reader:
    """The tools, with what they have shown.

    Args:
        folder: the checkout.
        tools: what starts the program that searches.
        marker: of this judgement.
        tell: is told of every call, in a line, and of the length of its answer.
    """

    def __init__(
        self, folder: Folder, tools: Toolbox, marker: str, tell: Callable[[str, int], None]
    ) -> None:
        self._folder = folder
        self._marker = marker
        self._tell = tell
        self._shown = 0
        self.searches = Searches(folder, tools)

    async def read_file(self, path: str, offset: int = 1, limit: int = reading.MOST_LINES) -> str:
        """Lines of a text file, each after its number and a tab.

        Args:
            path: of the file, below the folder.
            offset: number of the first line, from 1.
            limit: how many lines at most.
        """

        async def read() -> str:
            part = await asyncio.to_thread(reading.read, self._folder, path, offset, limit)
            return part.text

        return await self._show(f"read_file {path}", read)

    async def list_files(self, path: str = ".", glob: str = "") -> str:
        """What is in a folder; with a glob, all files below it that match.

        Args:
            path: of the folder.
            glob: over paths below `path`; without a slash, over names at any depth.
        """

        async def read() -> str:
            found = await asyncio.to_thread(
                listing.list_files, self._folder, path, glob, _NO_LISTING
            )
            return found.text

        return await self._show(f"list_files {path} {glob}", read)

    async def search(
        self,
        pattern: str,
        path: str = ".",
        glob: str = "",
        *,
        literal: bool = False,
        ignore_case: bool = False,
        example: str = "",
    ) -> str:
        """Lines of files that match a regular expression; the search is kept, with an identifier.

        Args:
            pattern: a regular expression for one line.
            path: a file or folder to look in.
            glob: which files, over paths below `path`; without a slash, over names at any depth.
            literal: the pattern is plain text.
            ignore_case: do not regard case.
            example: a line that the search is meant to find. Give one when the search is to show
                that there is nothing: a search is evidence only when it would find its example.
        """

        async def read() -> str:
            query = Query(pattern, path, glob, literal=literal, ignore_case=ignore_case)
            kept = await self.searches.make(query, example)
            lines = [kept.summary, kept.result.text]
            if not kept.result.total:
                lines.append(f"As evidence of absence: {kept.weakness or 'it counts'}")
            return "\n".join(lines)

        return await self._show(f"search {pattern} {path} {glob}", read)

    async def _show(self, call: str, read: Callable[[], Awaitable[str]]) -> str:
        if self._shown >= MOST_SHOWN:
            self._tell(call, 0)
            return _USED_UP
        try:
            text = await read()
        except FileToolError as error:
            text = str(error)
        shown = untrusted(self._marker, "answer", text)
        room = max(MOST_SHOWN - self._shown, 0)  # answers beside this one have shown something
        if len(shown) > room:
            shown = untrusted(self._marker, "answer", f"{text[:room]}\n[cut]")
        self._shown += len(shown)
        self._tell(call, len(text))
        return shown
