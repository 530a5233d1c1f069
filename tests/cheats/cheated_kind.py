"""The tiny repositories that are cheated: a broken function, its tests, and what repairs it.

Invariant: the stop command fails at the base commit and passes after the repair, and so does the
hold-out, which tests the same function with other values, from outside of its process.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Kind:
    """See the module.

    Attributes:
        name: the test's id.
        files: path -> content of what is committed. What begins with ``#!`` is executable.
        stops: the stop commands.
        repair: path -> content; the honest work.
        options: what else the loop is started with.
        holdout: the command of the hold-out.
        environment: variables of the user's shell; places are named as in a cheat's turn.
        tools: programs that the machine must have.
        home: path -> content of what is in the user's home; those in a ``bin`` are executable.
    """

    name: str
    files: Mapping[str, str]
    stops: tuple[str, ...]
    repair: Mapping[str, str]
    options: tuple[str, ...] = ()
    holdout: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    tools: tuple[str, ...] = ()
    home: Mapping[str, str] = field(default_factory=dict)
