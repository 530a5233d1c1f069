"""What requests have used, in a few words: tokens and cost, unknown where nobody can say."""

from loopctl.domain.usage import Usage
from loopctl.observe.plain import count, dollars


def used_text(usage: tuple[Usage, ...]) -> str:
    """All of it together; a part that is unknown makes the whole unknown."""
    tokens = [row.tokens for row in usage]
    costs = [row.micro_usd for row in usage]
    known = [each for each in tokens if each is not None]
    priced = [each for each in costs if each is not None]
    shown = count(sum(known), "token") if known and len(known) == len(tokens) else "unknown tokens"
    cost = dollars(sum(priced)) if priced and len(priced) == len(costs) else "unknown cost"
    return f"{shown}, {cost}"
