"""The exact tree after a turn, and what is worth knowing about it.

``judged_tree`` is the tree that evaluators see: the snapshot with every protected path put back
as it was at the base commit. Verdicts are keyed by it, so that a change of protected files alone
can neither earn a verdict nor roll the dice again.
"""

from typing import Literal

from pydantic import NonNegativeInt

from loopctl.domain.alert import Alert
from loopctl.domain.sign import Sign
from loopctl.domain.value import Value

SHOWN_PATHS = 50


class PathChange(Value):
    """One path that differs: ``A`` added, ``M`` modified, ``D`` deleted, ``T`` type changed."""

    path: str
    kind: Literal["A", "M", "D", "T"]
    added: NonNegativeInt | None = None
    deleted: NonNegativeInt | None = None


class LeftOut(Value):
    """A path that the snapshot does not hold, and why."""

    path: str
    reason: str


class Snapshot(Value):
    """A commit object in loopctl's own repository, made after a turn.

    Attributes:
        commit: its object id.
        tree: the tree it holds.
        judged_tree: the tree that evaluators see.
        round: the round after which it was taken.
        changed: number of paths that differ from the previous snapshot (or the base commit).
        changes: the first of them.
        restored: protected paths that the agent had changed since the base commit.
        left_out: paths that git could see and the snapshot does not hold.
        notes: anything else that a reader should know.
        alerts: what the turn changed outside of the tree, where it would act later.
        signs: what in the judged tree could deceive tests that run in the product's process.
        late: paths that were still written to when every process of the turn was ended.
        new_tests: files under protected patterns that are new since the base commit; they are not
            in the judged tree.
        new_tests_tree: the judged tree with them; ``""`` when there are none, or nobody asked.
    """

    commit: str
    tree: str
    judged_tree: str
    round: NonNegativeInt
    changed: NonNegativeInt = 0
    changes: tuple[PathChange, ...] = ()
    restored: tuple[PathChange, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    alerts: tuple[Alert, ...] = ()
    signs: tuple[Sign, ...] = ()
    late: tuple[str, ...] = ()
    new_tests: tuple[str, ...] = ()
    new_tests_tree: str = ""


class Published(Value):
    """Where the last tree went at the end.

    Attributes:
        commit: the commit on the loop's branch; ``""`` when the branch was left alone.
        moved: the branch was not where loopctl had left it.
        note: what the user should know, with the command that fetches the tree.
    """

    commit: str
    moved: bool = False
    note: str = ""
