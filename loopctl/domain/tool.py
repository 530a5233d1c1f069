"""The workbench: what evaluators work with beside the tree, as it was when the loop began.

Frozen at start. Invariant: a verdict is given with the programs, the search path and the locale of
the start, or it is none; only a restart, which the user asks for, takes them anew.
"""

from pydantic import NonNegativeInt

from loopctl.domain.value import Value


class ResolvedTool(Value):
    """A program, or a script outside of the repository, on which judging rests.

    Attributes:
        name: as a command names it: a word that PATH leads to, or an absolute path.
        path: where it was found.
        real: the same without links.
        digest: SHA-256 of its content, hexadecimal.
        size: bytes.
        written_ns: when it was last written to, nanoseconds since the epoch.
    """

    name: str
    path: str
    real: str
    digest: str
    size: NonNegativeInt
    written_ns: int


class Workbench(Value):
    """All of it.

    Attributes:
        variables: PATH and the locale that evaluators get; empty for whatever is there.
        tools: the programs that the commands name, and the scripts that they run.
    """

    variables: tuple[tuple[str, str], ...] = ()
    tools: tuple[ResolvedTool, ...] = ()
