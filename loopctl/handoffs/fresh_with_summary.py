"""Every round starts a new conversation, with a summary of what was.

Invariant: what is wrong in one conversation cannot spread into the next by itself: only facts
that loopctl recorded cross over, and what an agent said, marked as its claim.
"""

from loopctl.domain.round_context import NextRoundSpec, RoundContext
from loopctl.prompts import coder


class FreshWithSummary:
    """Implements ``ports.HandoffStrategy``."""

    async def build_next_round(self, context: RoundContext) -> NextRoundSpec:
        """A fresh conversation, opened with the whole text of a coding turn."""
        return NextRoundSpec(mode="fresh", prompt=coder.build(context))
