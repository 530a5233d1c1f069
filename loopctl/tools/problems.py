"""What is wrong with the arguments of a call, in words that help to make the next one right."""

import json
from typing import Any

from pydantic import ValidationError

from loopctl.errors import LoopctlError

MOST_PROBLEMS = 20
MOST_CHARACTERS = 200


class InvalidArgumentsError(LoopctlError):
    """The arguments of a call do not fit the tool.

    Args:
        tool: its name.
        problems: each with its place.
        schema: what would fit.
    """

    def __init__(self, tool: str, problems: tuple[str, ...], schema: dict[str, Any]) -> None:
        listed = [f"- {problem}" for problem in problems[:MOST_PROBLEMS]]
        if len(problems) > MOST_PROBLEMS:
            listed.append(f"- and {len(problems) - MOST_PROBLEMS} more")
        lines = (
            f"{tool} was refused, and nothing was recorded: its arguments are not valid.",
            *listed,
            "Call it again with arguments that fit this JSON schema:",
            json.dumps(schema),
        )
        super().__init__("\n".join(lines))


def problems_of(error: ValidationError) -> tuple[str, ...]:
    """Each problem as ``changes[0].reason: Field required``.

    Values are not repeated: they may be long, and whoever wrote them knows them.
    """
    found = error.errors(include_url=False, include_context=False, include_input=False)
    return tuple(_problem(one["loc"], one["msg"]) for one in found)


def _problem(place: tuple[int | str, ...], message: str) -> str:
    path = ""
    for step in place:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return f"{_cut(path.lstrip('.') or 'arguments')}: {_cut(message)}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."
