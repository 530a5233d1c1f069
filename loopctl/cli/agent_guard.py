"""An agent must not steer its loop: neither by commands, nor by settings in its worktree."""

from collections.abc import Mapping
from pathlib import Path

from loopctl.errors import UsageError
from loopctl.store.home import home_path

VARIABLE = "LOOPCTL_LOOP"


def refuse_inside_agent(environment: Mapping[str, str], command: str) -> None:
    """Refuse ``command`` when an agent of a loop has typed it.

    Raises:
        UsageError: it has.
    """
    loop = environment.get(VARIABLE)
    if loop:
        raise UsageError(
            f"{command} is not for agents: this is a session of the loop {loop}",
            why=f"{VARIABLE} is set",
            next_step="type it in a terminal of your own",
        )


def refuse_inside_worktree(environment: Mapping[str, str], folder: Path) -> None:
    """Refuse to start a loop from what an agent has written.

    Raises:
        UsageError: ``folder`` is in loopctl's state folder, where the agents' worktrees are.
    """
    home = home_path(environment)
    if folder.resolve().is_relative_to(home.resolve()):
        raise UsageError(
            f"{folder} belongs to a loop",
            why="an agent works there, and could set the settings of yours",
            next_step="cd to your own checkout",
        )
