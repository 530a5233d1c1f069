"""The tools that the built-in agent gives to its model: the files of the worktree, and a shell.

Names, arguments and docstrings are what the model reads. All are coroutines, so that they end when
the turn does; none runs beside another, so that each sees what the one before it has done.

Invariant: a tool of this file changes nothing outside of the folder, but for what a command does
in the shell, and leaves nothing running.
"""

from collections.abc import Awaitable, Callable

from pydantic_ai import Tool

from loopctl.agents.builtin.answering import MOST_FAILURES, answering
from loopctl.agents.builtin.screen import Screen
from loopctl.agents.builtin.shell import DEFAULT_S, Shell
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.listing import list_files
from loopctl.tools.files.reading import read
from loopctl.tools.files.search import search
from loopctl.tools.files.search_call import Query
from loopctl.tools.files.writing import edit, write

DEPENDENCIES = frozenset({"node_modules", ".venv", "venv", "__pycache__", ".tox", "target"})
"""Folders that are large and hold little of the project: looked into when a path names them."""


class Workbench:
    """The tools of one session.

    Args:
        folder: the worktree, or the folder in it that is worked in.
        shell: runs commands there.
    """

    def __init__(self, folder: Folder, shell: Shell) -> None:
        self._folder = folder
        self._shell = shell

    def tools(self, screen: Screen) -> list[Tool[None]]:
        """All of them, for the library; their calls are shown on ``screen``."""
        functions: tuple[Callable[..., Awaitable[str]], ...] = (
            self.list_files,
            self.search,
            self.read_file,
            self.edit_file,
            self.write_file,
            self.shell,
        )
        return [
            Tool(
                answering(function.__name__, function, screen),
                name=function.__name__,
                docstring_format="google",
                require_parameter_descriptions=True,
                max_retries=MOST_FAILURES,
                sequential=True,
            )
            for function in functions
        ]

    async def list_files(self, path: str = ".", glob: str = "") -> str:
        """List a folder, or every file below it that matches a glob.

        Folders of dependencies and products (node_modules, .venv, target and the like) are only
        looked into when path leads there.

        Args:
            path: The folder.
            glob: Such as *.py (at any depth) or src/**/test_*.py (below path).
        """
        return list_files(self._folder, path, glob, DEPENDENCIES).text

    async def search(
        self,
        pattern: str,
        path: str = ".",
        glob: str = "",
        literal: bool = False,
        ignore_case: bool = False,
    ) -> str:
        """Find the lines of files that match a regular expression, in ignored and hidden files too.

        Folders of dependencies and products (node_modules, .venv, target and the like) are only
        searched when path leads there.

        Args:
            pattern: A regular expression for one line.
            path: The folder or file to search.
            glob: Which files, such as *.py.
            literal: Take the pattern as plain text.
            ignore_case: Take small and capital letters as the same.
        """
        query = Query(pattern, path, glob, literal=literal, ignore_case=ignore_case)
        return (await search(self._folder, query, self._shell.tools, skip=DEPENDENCIES)).text

    async def read_file(self, path: str, offset: int = 1, limit: int = 2000) -> str:
        """Read a text file; each line comes after its number and a tab.

        Args:
            path: The file.
            offset: The first line, counted from 1.
            limit: How many lines at most.
        """
        return read(self._folder, path, offset, limit).text

    async def edit_file(self, path: str, old: str, new: str, replace_all: bool = False) -> str:
        """Replace a piece of text in a file.

        Args:
            path: The file.
            old: The text that is there, the same to the last blank, without line numbers. It must
                be there exactly once.
            new: The text to put in its place.
            replace_all: Replace it wherever it is.
        """
        return edit(self._folder, path, old, new, replace_all=replace_all).text

    async def write_file(self, path: str, content: str) -> str:
        """Write a whole file; folders are made, a file of that name is replaced.

        Args:
            path: The file.
            content: All of its text.
        """
        return write(self._folder, path, content).text

    async def shell(self, command: str, timeout_s: int = DEFAULT_S) -> str:
        """Run a command in the folder with a shell; its exit status comes first, then its output.

        Args:
            command: The command.
            timeout_s: Seconds after which it is ended, 600 at most.
        """
        return await self._shell.run(command, timeout_s)
