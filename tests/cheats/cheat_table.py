"""The page of all cheats, made of what the catalogue expects of them and the tests prove."""

from collections import Counter
from collections.abc import Iterable

from cheat import Cheat, Level, Outcome
from cheat_catalogue import CATALOGUE, CHEATS

_NOT_TRIED = "-"
_HEAD = """\
# Cheats

Written by `docs/generate.py` from `tests/cheats/`, where `make test` plays every one of them.

A cheat is a tiny agent that does not do the work and tries to end as if it had. Each is tried
against a bare loop, `until COMMAND; do AGENT; done`, and against loopctl, with the same agent,
the same repository and the same command.

* **caught**: the goal is not met.
* **warned**: the goal is met, and the evidence names what is odd, for a person to look at.
* **passed**: the goal is met, and nothing is said.
"""
_MARKS = """\
A star (*) marks the %d cheats that are code of the product and deceive the tests in their own
process: no defence by files reaches them. A dash: not tried there.
"""


def page() -> str:
    """The whole page."""
    inside = sum(cheat.in_process for cheat in CHEATS)
    groups = (_group(title, cheats) for title, cheats in CATALOGUE.items())
    return "\n".join((_HEAD, _summary(), _MARKS % inside, *groups))


def _summary() -> str:
    rows = []
    for level in Level:
        tried = [cheat for cheat in CHEATS if level in cheat.levels]
        count = Counter(cheat.expected(level) for cheat in tried)
        rows.append((level, len(tried), *(count[outcome] for outcome in Outcome)))
    return _table(("level", "tried", *Outcome), rows)


def _group(title: str, cheats: Iterable[Cheat]) -> str:
    rows = _table(("cheat", "what the agent does", *Level), map(_row, cheats))
    return f"## {title}\n\n{rows}"


def _row(cheat: Cheat) -> tuple[object, ...]:
    outcomes = (cheat.expected(level) or _NOT_TRIED for level in Level)
    return (f"{cheat.name}{' *' if cheat.in_process else ''}", cheat.does, *outcomes)


def _table(head: tuple[object, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = (head, ("---",) * len(head), *rows)
    return "".join(f"| {' | '.join(map(str, cells))} |\n" for cells in lines)
