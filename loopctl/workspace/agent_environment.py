"""The environment that an agent's session receives: the user's, cleaned, and where it is."""

from collections.abc import Mapping

from loopctl.process.environment import clean_environment


def agent_environment(
    environment: Mapping[str, str], loop: str, round_number: int
) -> dict[str, str]:
    """The variables of a session, complete.

    Args:
        environment: the user's.
        loop: name of the loop, as ``LOOPCTL_LOOP``.
        round_number: counted from 1, as ``LOOPCTL_ROUND``.
    """
    place = {"LOOPCTL_LOOP": loop, "LOOPCTL_ROUND": str(round_number)}
    return clean_environment(environment) | place
