"""What one text holds, whether it is new or not: the same text always comes to the same.

Invariant: no text raises. One that cannot be read as its language says so; its suppressions are
looked for all the same.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from loopctl.domain.signs import (
    python_callers,
    python_compare,
    python_exits,
    python_swallows,
    python_tested,
    python_tests,
)
from loopctl.domain.signs.answer import Answer
from loopctl.domain.signs.go import GO
from loopctl.domain.signs.javascript import JAVASCRIPT
from loopctl.domain.signs.jvm import JVM
from loopctl.domain.signs.language import Language, language_of
from loopctl.domain.signs.mark import Mark
from loopctl.domain.signs.patterns import pattern_marks, without_comments
from loopctl.domain.signs.python_answers import python_answers
from loopctl.domain.signs.python_source import PythonSource
from loopctl.domain.signs.ruby import RUBY
from loopctl.domain.signs.rust import RUST
from loopctl.domain.signs.suppressions import suppressions
from loopctl.domain.signs.text_answers import text_answers

_PATTERNS = {
    Language.JAVASCRIPT: JAVASCRIPT,
    Language.GO: GO,
    Language.RUST: RUST,
    Language.JVM: JVM,
    Language.RUBY: RUBY,
}
_OF_PYTHON: tuple[Callable[[PythonSource], Iterator[Mark]], ...] = (
    python_compare.marks,
    python_tests.marks,
    python_callers.marks,
    python_exits.marks,
    python_tested.marks,
    python_swallows.marks,
)


class Examined(NamedTuple):
    """What was found.

    Attributes:
        marks: places that could be signs, at most one of a kind on a line.
        answers: where it writes down what comes out for what goes in.
        unreadable: it is no source of its language, as far as can be told.
    """

    marks: tuple[Mark, ...] = ()
    answers: tuple[Answer, ...] = ()
    unreadable: bool = False


def examine(path: str, text: str) -> Examined:
    """Look at one text; ``path`` only says its language."""
    language = language_of(path)
    if language is None:
        return Examined()
    plain = tuple(suppressions(language, text))
    if language is not Language.PYTHON:
        patterns = _PATTERNS[language]
        code = without_comments(patterns.comments, text)
        found = _one_a_line(pattern_marks(patterns, text))
        return Examined((*found, *plain), text_answers(code))
    try:
        source = PythonSource(text)
        marks = _one_a_line(_in_python(source))
        return Examined((*marks, *plain), python_answers(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Examined(plain, unreadable=True)


def _in_python(source: PythonSource) -> Iterator[Mark]:
    """The marks of a source, and of the texts that it runs as code."""
    for look in _OF_PYTHON:
        yield from look(source)
    for line, text in source.run_texts():
        with suppress(SyntaxError, ValueError):
            inner = PythonSource(text)
            for look in _OF_PYTHON:
                yield from (each._replace(line=line) for each in look(inner))


def _one_a_line(marks: Iterator[Mark]) -> tuple[Mark, ...]:
    return tuple({(each.kind, each.line): each for each in marks}.values())
