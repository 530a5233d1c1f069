"""Tokens: what a request uses, every bucket apart, whatever the vendor's way of counting.

Invariant: a token is in exactly one bucket, so the sum of all of them is what was used.
"""

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Tokens:
    """What a request uses.

    Attributes:
        input: of the prompt, without those that a cache was asked for.
        output: of the answer, without reasoning.
        reasoning: of the answer, not shown.
        cache_read: of the prompt, taken from a cache.
        cache_write: of the prompt, put into a cache.
    """

    input: int = 100
    output: int = 10
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0

    @property
    def sent(self) -> int:
        """All tokens of the prompt."""
        return self.input + self.cache_read + self.cache_write

    @property
    def made(self) -> int:
        """All tokens of the answer."""
        return self.output + self.reasoning

    def plus(self, other: "Tokens") -> "Tokens":
        """Both together."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Tokens(*(mine + theirs for mine, theirs in pairs))

    def minus(self, other: "Tokens") -> "Tokens":
        """What is left without ``other``."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Tokens(*(mine - theirs for mine, theirs in pairs))


NOTHING = Tokens(0, 0)
