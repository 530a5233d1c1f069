"""Hardening: what makes a command harder to deceive, and might break an honest project.

Each level is tried on the base commit. Invariant: a level is applied only where every test came
to the same outcome with it as without it.
"""

from enum import StrEnum


class Hardening(StrEnum):
    """How far a command is hardened.

    ``PLUGINS`` loads the plug-ins that were installed at start, by name, and no others; ``FULL``
    also keeps the current folder from standing before the standard library (``PYTHONSAFEPATH``).
    ``PIPEFAIL`` lets a failure before a ``|`` reach the exit status.
    """

    NONE = "none"
    PLUGINS = "plug-ins by name"
    FULL = "plug-ins by name, safe path"
    PIPEFAIL = "pipefail"


TRIALS = (Hardening.FULL, Hardening.PLUGINS)
LONGEST_TRIED_S = 120.0
"""A baseline that took longer, in seconds, is not run again for a trial."""


def next_trial(tried: Hardening) -> Hardening:
    """What to try after ``tried`` turned out to change the results."""
    if tried is Hardening.PIPEFAIL:
        return Hardening.NONE
    position = TRIALS.index(tried) + 1
    return TRIALS[position] if position < len(TRIALS) else Hardening.NONE
