"""Any command as an agent: it reads a prompt, edits the folder that it runs in, and exits.

Invariant: what the command says of itself (output, exit state) is recorded and never believed.
"""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from loopctl.agents.command_line import parse_command, require_program
from loopctl.agents.command_session import CommandSession
from loopctl.ports import SessionRequest
from loopctl.process.toolbox import Toolbox


class CommandAgent:
    """Implements ``ports.AgentRunner`` for ``cmd:COMMAND``.

    Args:
        argument: the command; no shell reads it.
        folder: where it was typed; relative paths in it start there.
        tools: what starts it.
        is_tracked: whether git tracks a path of ``folder``.
    """

    reports_cost = False
    reports_tokens = False
    has_tools = False
    remembers = False
    is_metered = False
    is_confinable = True

    def __init__(
        self,
        argument: str,
        folder: Path,
        tools: Toolbox,
        is_tracked: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self._argument = argument
        self._folder = folder
        self._tools = tools
        self._is_tracked = is_tracked

    def check(self) -> None:
        """Make sure that the command can be read and its program started.

        Raises:
            UsageError: it cannot.
        """
        require_program(self.words[0])

    async def open_session(self, request: SessionRequest) -> CommandSession:
        """Begin a conversation; nothing runs before its first turn.

        Raises:
            UsageError: the command cannot be read.
        """
        return CommandSession(self.words, request, self._tools)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The program and its arguments.

        Raises:
            UsageError: the command cannot be read.
        """
        return parse_command(self._argument, self._folder, self._is_tracked)
