"""Signs: what in a change of the product could deceive the tests that run inside its process.

No file-level defence reaches such code. Invariant: a sign is evidence for a person to look at and
never a verdict; a sign that is there at the base commit already is none.
"""

from enum import StrEnum

from pydantic import NonNegativeInt

from loopctl.domain.value import Value

SHOWN_SIGNS = 50


class SignKind(StrEnum):
    """What was seen."""

    COMPARES_ALWAYS = "compares-always"
    TOUCHES_TESTS = "touches-tests"
    READS_CALLERS = "reads-callers"
    EXITS = "exits"
    SHARES_LITERALS = "shares-literals"
    KNOWS_IT_IS_TESTED = "knows-it-is-tested"
    SUPPRESSES = "suppresses"
    SWALLOWS = "swallows"


class Sign(Value):
    """One place in the judged tree.

    Attributes:
        kind: what was seen.
        path: the file, relative to the root.
        line: counted from 1; 0 for the whole file.
        text: the place itself, one line, shortened.
    """

    kind: SignKind
    path: str
    line: NonNegativeInt = 0
    text: str = ""
