"""The literals of a test and the lines on which they stand.

Invariant: literals that stand on distant lines are not taken for a pair of input and output.
"""

from collections.abc import Iterable, Sequence

from loopctl.domain.signs.language import language_of
from loopctl.domain.signs.literal import tokens

_LINES_TOGETHER = 4
_LONGEST_LINE = 2_000
_FILE_APART = 10_000_000

Placed = tuple[int, str]


def test_literals(path: str, text: str) -> tuple[Placed, ...]:
    """Every literal of one file of tests with its line, counted from 1.

    In a file that is no source, such as an expected output, each whole line is one as well.
    """
    is_data = language_of(path) is None
    found: list[Placed] = []
    for number, line in enumerate(text.split("\n"), start=1):
        shown = line[:_LONGEST_LINE]
        found += [(number, literal) for literal in dict.fromkeys(tokens(shown))]
        if is_data and shown.strip():
            found.append((number, f"'{shown.strip()}"))
    return tuple(found)


test_literals.__test__ = False  # type: ignore[attr-defined]


class LiteralPlaces:
    """Where those literals that are asked about stand in the tests.

    Args:
        tests: the literals of each file of tests; read once.
        wanted: all literals that will be asked about.
    """

    def __init__(self, tests: Iterable[Sequence[Placed]], wanted: frozenset[str]) -> None:
        self._places: dict[str, set[int]] = {literal: set() for literal in wanted}
        for number, literals in enumerate(tests, start=1):
            for line, literal in literals:
                if literal in wanted:
                    at = number * _FILE_APART + line
                    self._places[literal].update(range(at, at + _LINES_TOGETHER))

    def has(self, literal: str) -> bool:
        """Whether a literal is in the tests at all."""
        return bool(self._places.get(literal))

    def together(self, literals: frozenset[str]) -> bool:
        """Whether these literals stand together somewhere."""
        places = [self._places.get(each, set()) for each in literals]
        return bool(places) and bool(set.intersection(*places))
