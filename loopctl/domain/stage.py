"""Stages of an evaluation: each begins when everything in the one before it has passed.

Invariant: only what has passed in every stage that the loop asks for is clean.
"""

from enum import StrEnum


class Stage(StrEnum):
    """What evaluators are run for.

    ``first``: everything in scope judges the tree. ``again``: it is shown once more in fresh
    checkouts. ``new-tests``: commands judge the tree with the test files that the agent has added.
    ``holdout``: what the agent never sees judges the tree.
    """

    FIRST = "first"
    AGAIN = "again"
    NEW_TESTS = "new-tests"
    HOLDOUT = "holdout"


_TOLD = {
    Stage.AGAIN: ("it has passed on this tree: shown again in a fresh checkout",),
    Stage.NEW_TESTS: ("with the test files that the agent has added",),
}


def told_of(stage: Stage) -> tuple[str, ...]:
    """What a reader of a report is to know of the stage that it belongs to."""
    return _TOLD.get(stage, ())
