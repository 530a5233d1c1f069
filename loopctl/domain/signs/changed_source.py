"""From what a product's files hold to what is new in them since the base commit.

Invariants
* A mark that the file had at base is no sign, wherever its line is now; neither is one that another
  file lost, because code moves between files.
* Tests are read only when the product has new answers to compare with them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from loopctl.domain.sign import Sign, SignKind
from loopctl.domain.signs.answer import Answer
from loopctl.domain.signs.examined import Examined, examine
from loopctl.domain.signs.literal_places import LiteralPlaces, Placed
from loopctl.domain.signs.mark import Mark
from loopctl.domain.signs.shared_literals import shared

_NOTHING = Examined()


class ChangedSource(NamedTuple):
    """One changed file of the product, as text.

    Attributes:
        path: relative to the root.
        before: its text at the base commit; ``None`` when it was not there.
        after: its text now; ``None`` when it is gone.
    """

    path: str
    before: str | None
    after: str | None


class ExaminedChange(NamedTuple):
    """The same, after it was looked at."""

    path: str
    before: Examined
    after: Examined


def signs_of(
    changes: Iterable[ChangedSource], tests: Iterable[Sequence[Placed]] = ()
) -> tuple[Sign, ...]:
    """What is new in the changed files of the product, in their order.

    Args:
        changes: the files.
        tests: for each file of tests what `test_literals` finds in it; read once, if at all.
    """
    looked = [
        ExaminedChange(
            each.path, _examined(each.path, each.before), _examined(each.path, each.after)
        )
        for each in changes
    ]
    return new_signs(looked, tests)


def new_signs(
    changes: Sequence[ExaminedChange], tests: Iterable[Sequence[Placed]] = ()
) -> tuple[Sign, ...]:
    """The same for files that were looked at before."""
    moved = Counter(
        key for each in changes for key in _lost(each.before.marks, each.after.marks).elements()
    )
    signs = [_sign(each.path, found) for each in changes for found in _gained(each, moved)]
    signs += _shared(changes, tests)
    return tuple(signs)


def _examined(path: str, text: str | None) -> Examined:
    return _NOTHING if text is None else examine(path, text)


def _lost(before: Sequence[Mark], after: Sequence[Mark]) -> Counter[tuple[SignKind, str]]:
    return Counter(each.key for each in before) - Counter(each.key for each in after)


def _gained(change: ExaminedChange, moved: Counter[tuple[SignKind, str]]) -> Iterator[Mark]:
    """The new marks of a file, without those that another file has lost."""
    known = Counter(each.key for each in change.before.marks)
    for found in sorted(change.after.marks, key=lambda each: each.line):
        if known[found.key]:
            known[found.key] -= 1
        elif moved[found.key]:
            moved[found.key] -= 1
        else:
            yield found


def _shared(changes: Sequence[ExaminedChange], tests: Iterable[Sequence[Placed]]) -> Iterator[Sign]:
    known = {_pair(answer) for each in changes for answer in each.before.answers}
    fresh = {
        each.path: [answer for answer in each.after.answers if _pair(answer) not in known]
        for each in changes
    }
    wanted = frozenset(
        literal for answers in fresh.values() for answer in answers for literal in answer.literals
    )
    if not wanted:
        return
    index = LiteralPlaces(tests, wanted)
    for path, answers in fresh.items():
        for found in shared(answers, index):
            yield _sign(path, found)


def _pair(answer: Answer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return answer.asked, answer.told


def _sign(path: str, found: Mark) -> Sign:
    return Sign(kind=found.kind, path=path, line=found.line, text=found.text)
