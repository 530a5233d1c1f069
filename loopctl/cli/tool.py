"""``loopctl tool``: loopctl's tools for agents that have nothing but a shell."""

import os
from typing import Annotated, Any

import typer

from loopctl.cli.output import say
from loopctl.errors import ExitCode, UsageError

Name = Annotated[
    str | None, typer.Argument(metavar="NAME", help="The tool; without it all are listed.")
]
Arguments = Annotated[
    str,
    typer.Option("--json", metavar="OBJECT", help="Its arguments as JSON; - reads standard input."),
]
_EXAMPLE = "loopctl tool NAME --json '{...}'; loopctl tool lists what each takes"


def tool(name: Name = None, *, arguments: Arguments = "{}") -> int:
    """Call a tool of the loop that this agent session works for. Exit 2: it was refused."""
    from loopctl.tools.session_client import SessionClient

    client = SessionClient.from_environment(os.environ)
    if name is None:
        say("\n\n".join(_listed(*offer) for offer in client.tools()))
        return 0
    said = client.call(name, _parsed(arguments))
    say(said.text)
    return ExitCode.USAGE if said.refused else 0


def _listed(name: str, description: str, schema: dict[str, Any]) -> str:
    import json

    return f"{name}\n  {description}\n  --json takes: {json.dumps(schema)}"


def _parsed(text: str) -> dict[str, Any]:
    import json

    try:
        parsed = json.loads(_input() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise UsageError(
            "the arguments are not JSON", why=str(error), next_step=_EXAMPLE
        ) from error
    if not isinstance(parsed, dict):
        raise UsageError(
            "the arguments are not a JSON object",
            why=f"they are of the type {type(parsed).__name__}",
            next_step=_EXAMPLE,
        )
    return parsed


def _input() -> bytes:
    """Standard input, as far as a call may be long."""
    import sys

    from loopctl.tools.wire import MOST_BYTES

    given = sys.stdin.buffer.read(MOST_BYTES + 1)
    if len(given) > MOST_BYTES:
        raise UsageError(
            "the arguments are too long",
            why=f"{MOST_BYTES} bytes are the most",
            next_step="say it in fewer words",
        )
    return given
