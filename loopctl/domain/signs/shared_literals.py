"""Answers of the product that stand in the tests as well: a table of test inputs and outputs.

One literal in common says nothing: products and their tests speak of the same things. What counts
is that input and output stand together in both, for at least two entries of a table and for half
of them; that most inputs of a table are literals nobody writes by chance, and are in the tests; or
that a function returns such a literal, or returns a literal of the tests whatever it is asked.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.answer import Answer
from loopctl.domain.signs.literal import TRIVIAL, is_telling
from loopctl.domain.signs.literal_places import LiteralPlaces
from loopctl.domain.signs.mark import Mark, mark

_FEWEST_PAIRS = 2
_FEWEST_INPUTS = 3
_SHORTEST_ALONE = 4


def shared(answers: Iterable[Answer], tests: LiteralPlaces) -> Iterator[Mark]:
    """A mark for each group of one file's new answers that comes from the tests."""
    groups: dict[int, list[Answer]] = defaultdict(list)
    for answer in answers:
        groups[answer.group].append(answer)
    for group in groups.values():
        found = _alone(group, tests) or _pairs(group, tests) or _inputs(group, tests)
        if found is not None:
            yield found


def _alone(group: list[Answer], tests: LiteralPlaces) -> Mark | None:
    """A function that returns a literal of the tests."""
    for answer in group:
        known = frozenset(answer.told) - TRIVIAL
        special = any(map(is_telling, known)) or sum(map(len, known)) >= _SHORTEST_ALONE
        if not answer.asked and special and tests.together(known):
            return _mark(answer.line, f"returns {_shown(answer.told)}, which is in the tests")
    return None


def _pairs(group: list[Answer], tests: LiteralPlaces) -> Mark | None:
    told = [answer for answer in group if answer.is_pair]
    known = [answer for answer in told if tests.together(answer.literals)]
    if len(known) < _FEWEST_PAIRS or 2 * len(known) < len(told):
        return None
    return _mark(known[0].line, _text(known, len(told), "answers"))


def _inputs(group: list[Answer], tests: LiteralPlaces) -> Mark | None:
    asked = [answer for answer in group if any(map(is_telling, answer.asked))]
    known = [answer for answer in asked if all(map(tests.has, answer.asked))]
    if len(known) < _FEWEST_INPUTS or 2 * len(known) < len(group):
        return None
    return _mark(known[0].line, _text(known, len(group), "inputs"))


def _text(known: list[Answer], total: int, noun: str) -> str:
    first = known[0]
    pair = _shown(first.asked) + (f" -> {_shown(first.told)}" if first.told else "")
    return f"{len(known)} of {total} {noun} are in the tests: {pair}"


def _shown(literals: tuple[str, ...]) -> str:
    return ", ".join(f'"{each[1:]}"' if each.startswith("'") else each for each in literals)


def _mark(line: int, text: str) -> Mark:
    return mark(SignKind.SHARES_LITERALS, line, text)
