"""Agents of vendors: the programs, and how they are called so that nobody is asked anything."""

from loopctl.bootstrap.builtins import AGENTS
from loopctl.errors import UnknownNameError, UsageError
from loopctl.llm.model_name import PROVIDERS

VENDOR_AGENTS = (
    ("claude", "cmd:claude -p --permission-mode acceptEdits"),
    ("codex", "cmd:codex exec --skip-git-repo-check -s workspace-write -"),
)


def check_name(name: str) -> None:
    """See to it that a plug-in is called so; users name programs without ``cmd:``.

    Raises:
        UnknownNameError: there is none; it says how a program is named.
        UsageError: the plug-in cannot be imported.
    """
    try:
        AGENTS.factory(name)
    except UnknownNameError as error:
        if ":" in name:
            raise _unknown(name) from error
        call = next((call for known, call in VENDOR_AGENTS if name == known), f"cmd:{name}")
        raise UnknownNameError(
            f"no agent is called {name!r}",
            why=f"{error.why}; a program is an agent when cmd: stands before it",
            next_step=f'--agent "{call}", or a dotted path such as package.module:Factory',
        ) from error
    except UsageError as error:
        module, separator, _ = name.partition(":")
        if not separator or "." in module:
            raise  # it was meant as a plug-in
        raise _unknown(name, error.why) from error


def _unknown(name: str, problem: str = "") -> UnknownNameError:
    """For what may be a provider that is not known, or a plug-in that cannot be loaded."""
    providers = ", ".join(PROVIDERS)
    return UnknownNameError(
        f"no agent is called {name!r}",
        why=f"{name.partition(':')[0]} is none of the providers {providers}"
        + (f"; as a plug-in it cannot be loaded: {problem}" if problem else ""),
        next_step="--agent PROVIDER:MODEL, openai:MODEL@http://HOST/v1 for a server that is "
        'compatible with it, or --agent "cmd:COMMAND"',
    )
