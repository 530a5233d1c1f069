"""Commands that change loops refuse inside an agent session: an agent must not steer its loop."""

from collections.abc import Mapping

from loopctl.errors import UsageError

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
