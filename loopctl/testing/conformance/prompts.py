"""Checks of handoff strategies: the goal is in the prompt as it is."""

import asyncio
from collections.abc import Callable

from loopctl.domain.protection import Protection
from loopctl.domain.round_context import JudgedBy, PreviousRound, RoundContext
from loopctl.ports import HandoffStrategy
from loopctl.testing.conformance.promise import promise

_ODD_GOALS = (
    "make it work",
    "first line\n\n```\nsecond line\t$HOME `id` {prompt} %s\n",
    "ünïcödé \N{SNOWMAN} \\ \"quoted\" 'twice'  two spaces ",
    "x" * 300_000,
)


def check_handoff_strategy(factory: Callable[[], HandoffStrategy]) -> None:
    """A prompt holds the goal byte for byte, with or without a round before it.

    Raises:
        AssertionError: a promise is broken.
    """
    strategy = factory()
    for goal in _ODD_GOALS:
        for previous in (None, PreviousRound(summary="one file changed")):
            context = RoundContext(
                loop="conformance",
                goal=goal,
                round=2,
                round_of_run=2,
                max_rounds=3,
                judged_by=(JudgedBy(name="stop-1", how="make test", isolation="same-workspace"),),
                protection=Protection(),
                previous=previous,
            )
            following = asyncio.run(strategy.build_next_round(context))
            present = goal.encode() in following.prompt.encode()
            promise(present, f"the prompt holds the goal byte for byte: {goal[:60]!r}")
