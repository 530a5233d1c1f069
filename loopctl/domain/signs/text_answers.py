"""Answers in languages whose syntax is not read: entries and branches on one line, or two.

Invariant: all answers of one form in a text are one group.
"""

import re
from collections.abc import Iterator
from functools import cache

from loopctl.domain.signs.answer import MOST_ANSWERS, Answer
from loopctl.domain.signs.literal import LITERAL, TRIVIAL, tokens

_TOLD = rf"(?P<told>{LITERAL}|[\[{{]\s?{LITERAL}(?:\s?,\s?{LITERAL}){{0,9}}\s?[\]}}])"
_SOME = rf"{LITERAL}(?:\s?,\s?{LITERAL}){{0,5}}"
_THEN = r"\s{0,40}(?:\{\s{0,40})?(?:return\s{1,9})?"
_FORMS = (
    rf"(?P<asked>[\[(]?{_SOME}[\])]?)\s{{0,9}}(?::|=>|->|\bthen\b){_THEN}{_TOLD}",
    (
        rf"\b(?:if|elsif|when|match)\b[^\n;{{}}=]{{0,40}}(?P<asked>(?:={{2,3}}\s?)?{LITERAL}"
        rf"(?:[^\n;{{}}=]{{1,40}}={{2,3}}\s?{LITERAL}){{0,3}})\s?\)?(?:\{{|:|\?|\bthen\b)?{_THEN}{_TOLD}"
    ),
    rf"\bput\(\s?(?P<asked>{LITERAL})\s?,\s?{_TOLD}\s?\)",
    rf"[\[({{]\s?(?P<asked>{_SOME})\s?,\s?{_TOLD}\s?[\])}}]",
)


def text_answers(code: str) -> tuple[Answer, ...]:
    """Every answer in a text without comments, up to a bound."""
    found: list[Answer] = []
    for group, form in enumerate(_compiled()):
        for answer in _found(form, code, group):
            if len(found) >= MOST_ANSWERS:
                return tuple(found)
            if not answer.literals <= TRIVIAL:
                found.append(answer)
    return tuple(found)


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, _FORMS))


def _found(form: re.Pattern[str], code: str, group: int) -> Iterator[Answer]:
    line, start = 1, 0
    for match in form.finditer(code):
        line += code.count("\n", start, match.start())
        start = match.start()
        asked, told = tuple(tokens(match["asked"])), tuple(tokens(match["told"]))
        if asked and told:
            yield Answer(line, group, asked, told)
