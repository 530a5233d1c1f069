"""Answers: places where a text writes down what comes out for what goes in.

An entry of a table, a branch on a literal that returns a literal, or a literal that a function
returns whatever it is asked. Invariant: answers of one table or chain have the same group, and are
judged together.
"""

from typing import NamedTuple

from loopctl.domain.signs.literal import TRIVIAL, is_telling

MOST_ANSWERS = 2_000


class Answer(NamedTuple):
    """One of them.

    Attributes:
        line: counted from 1.
        group: tells its table, or the function around its branch, from others of the text.
        asked: the literals that go in; empty when none does.
        told: the literals that come out; empty when it is something that no literal says.
    """

    line: int
    group: int
    asked: tuple[str, ...]
    told: tuple[str, ...]

    @property
    def literals(self) -> frozenset[str]:
        """All of its literals."""
        return frozenset((*self.asked, *self.told))

    @property
    def is_pair(self) -> bool:
        """Whether it says what comes out for what, and not only names something."""
        if not self.asked or not self.told or self.literals <= TRIVIAL:
            return False
        special = not TRIVIAL.issuperset(self.told) or any(map(is_telling, self.asked))
        return special or (len(self.asked) > 1 and not TRIVIAL.issuperset(self.asked))
