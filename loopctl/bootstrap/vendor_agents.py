"""Agents of vendors: the programs, and how they are called so that nobody is asked anything."""

from loopctl.bootstrap.builtins import AGENTS
from loopctl.errors import UnknownNameError

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
        call = next((call for known, call in VENDOR_AGENTS if name == known), f"cmd:{name}")
        raise UnknownNameError(
            f"no agent is called {name!r}",
            why=f"{error.why}; a program is an agent when cmd: stands before it",
            next_step=f'--agent "{call}", or a dotted path such as package.module:Factory',
        ) from error
