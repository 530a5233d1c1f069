"""Functions as tools of a model: seen on the screen, and answering whatever happens.

Invariant: what goes wrong in a tool is a failed answer to the model, and never ends the turn.
"""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import ParamSpec

from pydantic_ai import ToolFailed

from loopctl.agents.builtin.screen import Screen
from loopctl.errors import LoopctlError

Arguments = ParamSpec("Arguments")
MOST_FAILURES = 10_000
"""The library would end a turn after some calls with wrong arguments; the bound is in requests."""


def answering(
    name: str, function: Callable[Arguments, Awaitable[str]], screen: Screen
) -> Callable[Arguments, Awaitable[str]]:
    """The function with its failures as failed answers.

    Args:
        name: what the model calls it.
        function: what it does; its first argument is shown beside the name.
        screen: shows that it is called.
    """

    @wraps(function)
    async def answer(*args: Arguments.args, **kwargs: Arguments.kwargs) -> str:
        given = (*args, *kwargs.values())
        screen.show(name, *(value for value in given[:1] if isinstance(value, str)))
        try:
            return sendable(await function(*args, **kwargs))
        except ToolFailed:
            raise
        except LoopctlError as error:
            text = str(error) if error.why in str(error) else f"{error}: {error.why}"
            raise ToolFailed(sendable(text)) from error
        except Exception as error:
            raise ToolFailed(sendable(f"{type(error).__name__}: {error}")) from error

    return answer


def sendable(text: str) -> str:
    """The text without halves of characters, which no request can carry."""
    return text.encode(errors="surrogateescape").decode(errors="replace")
