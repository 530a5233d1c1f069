"""One honest repository: what it holds, how it is tested, where it is broken and how repaired.

Invariant: the stop command fails before the repair and passes after it, and after the repair it
fails again as soon as the one thing that the repository stands for is taken away. So a green loop
proves that the thing was there, in a checkout of loopctl as in the user's own.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from textwrap import dedent

from harness import World

Action = dict[str, str | list[str]]
Hook = Callable[[World], Mapping[str, str] | None]


@dataclass(frozen=True)
class Repository:
    """See the module.

    Attributes:
        name: the test's id.
        proves: what a hardened checkout must not break; a row of the table in README.md.
        files: path -> content of what is committed. What begins with ``#!`` is executable.
        stop: the stop command.
        fails: regular expression; how the broken base fails, and for which reason.
        repair: what the scripted agent does in its only round.
        without: shell commands that take away the thing that the repository stands for.
        then: regular expression; how the stop command fails without it.
        repaired: the files that the repair changes or adds.
        ignored: path -> content of what is there and not committed.
        distributions: what is installed in the virtual environment that the user has activated.
        tools: programs that the machine must have; see ``toolchains.missing``.
        environment: variables of the user's shell.
        before_commit: done in the new repository before its first commit.
        after_commit: done after it; may return more variables of the user's shell.
        labels: regular expressions; what the evidence of each evaluation mentions.
        hardening: how a stop command that is a plain pytest is started, once that has been tried
            on the base and has changed no result.
    """

    name: str
    proves: str
    files: Mapping[str, str | bytes]
    stop: str
    fails: str
    repair: tuple[Action, ...]
    without: str
    then: str
    ignored: Mapping[str, str | bytes] = field(default_factory=dict)
    distributions: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    before_commit: Hook | None = None
    after_commit: Hook | None = None
    labels: tuple[str, ...] = ()
    hardening: str = "none"

    @property
    def repaired(self) -> set[str]:
        return {action[kind][0] for action in self.repair for kind in action}


def text(block: str) -> str:
    """A file's content, written as an indented block that begins on a line of its own."""
    return dedent(block).removeprefix("\n")


def replace(path: str, old: str, new: str) -> tuple[Action, ...]:
    """The repair of one place."""
    return ({"replace": [path, old, new]},)


PLUGINS_BY_NAME = "plug-ins by name"
HARDENED = f"{PLUGINS_BY_NAME}, safe path"
SAFE_PATH = "export PYTHONSAFEPATH=1"
"""Python's own hardening: the current folder is not on ``sys.path``."""
