"""Gives a command the options of another one, so that both can be typed alike.

Invariant: an option that is added to the one is an option of the other at the same moment.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

Command = TypeVar("Command", bound=Callable[..., int])


def takes_options_of(
    other: Callable[..., int], *, without: tuple[str, ...]
) -> Callable[[Command], Command]:
    """A decorator for a command that takes ``**flags`` beside parameters of its own.

    Args:
        other: whose options are taken.
        without: names of parameters that are left out.
    """

    def decorate(command: Command) -> Command:
        own = inspect.signature(command).parameters.values()
        kept = [each for each in own if each.kind is not inspect.Parameter.VAR_KEYWORD]
        known = {each.name for each in kept} | set(without)
        taken = [
            each for each in inspect.signature(other).parameters.values() if each.name not in known
        ]
        described: Any = command
        described.__signature__ = inspect.Signature([*taken, *kept], return_annotation=int)
        described.__annotations__ = {each.name: each.annotation for each in (*taken, *kept)}
        return command

    return decorate
