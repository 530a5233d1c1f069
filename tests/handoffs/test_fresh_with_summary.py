"""The strategy that starts every round anew."""

import asyncio

from loopctl.domain.protection import Protection
from loopctl.domain.round_context import NextRoundSpec, RoundContext
from loopctl.handoffs.fresh_with_summary import FreshWithSummary
from loopctl.prompts import coder


def test_every_round_is_a_new_conversation_with_the_whole_text():
    context = RoundContext(
        loop="a",
        goal="the goal",
        round=2,
        round_of_run=2,
        max_rounds=None,
        judged_by=(),
        protection=Protection(),
    )
    following = asyncio.run(FreshWithSummary().build_next_round(context))
    assert following == NextRoundSpec(mode="fresh", prompt=coder.build(context))
    assert "\nthe goal\n" in following.prompt
