"""A rubric, read from Markdown: its criteria are the entries of lists or the rows of tables.

Headings, other paragraphs, comments and code blocks are for people. Invariant: a rubric has
between 1 and `MOST_ITEMS` criteria, each with a name of its own and a description.
"""

import re

from loopctl.domain.evaluator_spec import Rubric, RubricItem
from loopctl.domain.rubric_text import Entry, Source, entries
from loopctl.errors import UsageError

MOST_ITEMS = 50
MOST_CHARACTERS = 4000
"""The longest description."""

NAME_CHARACTERS = 60
NAME_WORDS = 6

_HOW = "write one list entry a criterion, such as: - **Errors**: every error names a file"
_MARKED = re.compile(r"(\*\*|__)(?P<name>.+?)\1\s*(?:[:.\u2013\u2014-]\s*)?(?P<text>.*)", re.DOTALL)
_PLAIN = re.compile(r"(?P<name>[^:.?!\n]+):\s+(?P<text>.*)", re.DOTALL)


def parse_rubric(text: str, file: str) -> Rubric:
    """The criteria in ``text``.

    Args:
        text: Markdown.
        file: what it was read from, for messages.

    Raises:
        UsageError: there are none, too many, two of one name, or both lists and tables.
    """
    found = entries(text)
    if len({entry.source for entry in found}) > 1:
        raise UsageError(
            f"{file} has criteria in a list and in a table",
            why="which of them are meant is not clear",
            next_step="keep one of the two; other text can go into plain paragraphs",
        )
    if not found:
        raise UsageError(
            f"{file} has no criteria", why="it has no list and no table", next_step=_HOW
        )
    if len(found) > MOST_ITEMS:
        raise UsageError(
            f"{file} has {len(found)} criteria, and {MOST_ITEMS} are the most",
            why="a judge that is asked too much at once looks at nothing closely",
            next_step="merge criteria, or make two rubrics of it",
        )
    items: list[RubricItem] = []
    for entry in found:
        item = _item(entry, items)
        _require_usable(item, items, file)
        items.append(item)
    return Rubric(items=tuple(items))


def _item(entry: Entry, before: list[RubricItem]) -> RubricItem:
    if entry.source is Source.TABLE and entry.text:
        return RubricItem(name=_clean(entry.name), description=entry.text)
    text = entry.text or entry.name
    named = _MARKED.fullmatch(text) or _PLAIN.fullmatch(text)
    if named and _clean(named["name"]) and len(_clean(named["name"])) <= NAME_CHARACTERS:
        name = _clean(named["name"])
        return RubricItem(name=name, description=named["text"].strip() or name)
    return RubricItem(name=_made_name(text, before), description=text)


def _made_name(text: str, before: list[RubricItem]) -> str:
    """The first words; with a number when others begin with the same and go on differently."""
    name = ""
    for word in _clean(text).split()[:NAME_WORDS]:
        name = f"{name} {word}".strip()[:NAME_CHARACTERS]
    taken = {item.name.casefold() for item in before if item.description != text}
    candidates = (name, *(f"{name} ({number})" for number in range(2, len(before) + 2)))
    return next(one for one in candidates if one.casefold() not in taken)


def _clean(name: str) -> str:
    """The name on one line, without marks of emphasis around it."""
    return " ".join(name.split()).strip("*_` ").removesuffix(":").strip("*_` ")


def _require_usable(item: RubricItem, before: list[RubricItem], file: str) -> None:
    if not item.name:
        raise UsageError(f"a criterion of {file} has no name", next_step=_HOW)
    if item.name.casefold() in {other.name.casefold() for other in before}:
        raise UsageError(
            f"{file} has two criteria called {item.name!r}",
            why="a verdict could not be told from the other",
            next_step="give one of them another name",
        )
    if len(item.description) > MOST_CHARACTERS:
        raise UsageError(
            f"the criterion {item.name!r} of {file} has {len(item.description)} characters, "
            f"and {MOST_CHARACTERS} are the most",
            next_step="shorten it, or make several criteria of it",
        )
