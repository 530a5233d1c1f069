"""Signs by patterns, for languages whose syntax is not read.

Invariants
* Comments are blanked out before, so that no sign is found in one; line numbers stay.
* Every repetition in a pattern is bounded or excludes what follows it, and white space is bounded
  when a pattern is made: no text keeps one busy.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.mark import Mark, mark

_STRINGS = r"\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?"
_SLASH_COMMENTS = r"//[^\n]*|/\*(?:.*?\*/|.*\Z)"
_RAW = r"`(?:\\.|[^`\\])*(?:`|\Z)"
SLASH_COMMENTS = re.compile(
    f"(?P<string>{_STRINGS}|{_RAW})|(?P<comment>{_SLASH_COMMENTS})", re.DOTALL
)
# A quote in Rust may begin a lifetime, in Kotlin and Scala a name.
SLASH_COMMENTS_ALONE = re.compile(
    rf"(?P<string>\"(?:\\.|[^\"\\])*(?:\"|\Z)|'\\?[^\n]')|(?P<comment>{_SLASH_COMMENTS})", re.DOTALL
)
HASH_COMMENTS = re.compile(
    rf"(?P<string>{_STRINGS})|(?P<comment>(?:^|(?<=[\s;]))\#(?!\{{)[^\n]*"
    r"|^=begin\b(?:.*?^=end\b|.*\Z))",
    re.DOTALL | re.MULTILINE,
)


class Patterns(NamedTuple):
    """What is looked for in one language.

    Attributes:
        comments: what finds strings and comments.
        kinds: for each kind of sign what shows it.
        excused: a text in which this is found may end its process: it is a program.
        cut: everything from here on is tests inside a source file.
    """

    comments: re.Pattern[str]
    kinds: Mapping[SignKind, str]
    excused: str = ""
    cut: str = ""


def any_of(*patterns: str) -> str:
    """One pattern that finds what any of these finds."""
    # Tried at the beginnings of words alone, most of them cost nothing.
    words = [f"(?:{each[2:]})" for each in patterns if each.startswith(r"\b")]
    others = [f"(?:{each})" for each in patterns if not each.startswith(r"\b")]
    joined = "|".join([*others, *([rf"\b(?:{'|'.join(words)})"] if words else [])])
    on_its_line = joined.replace(r"^\s*", r"^[ \t]{0,40}")
    return on_its_line.replace(r"\s*", r"\s{0,40}").replace(r"\s+", r"\s{1,40}")


def pattern_marks(patterns: Patterns, text: str) -> Iterator[Mark]:
    """Every place that one of the patterns finds."""
    cut = _compiled(patterns.cut).search(text) if patterns.cut else None
    code = without_comments(patterns.comments, text[: cut.start()] if cut else text)
    lines = text.split("\n")
    for kind, pattern in patterns.kinds.items():
        if kind is SignKind.EXITS and _is_program(patterns, code):
            continue
        line, start = 1, 0
        for found in _compiled(pattern).finditer(code):
            line += code.count("\n", start, found.start())
            start = found.start()
            at = line + found.group()[: -len(found.group().lstrip()) or None].count("\n")
            yield mark(kind, at, _shown(found.group(), lines[at - 1]))


def without_comments(comments: re.Pattern[str], text: str) -> str:
    """``text`` with every comment blanked out, its lines where they were."""

    def blank(found: re.Match[str]) -> str:
        return found.group() if found["string"] is not None else "\n" * found.group().count("\n")

    return comments.sub(blank, text)


def _is_program(patterns: Patterns, code: str) -> bool:
    return bool(patterns.excused) and _compiled(patterns.excused).search(code) is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed: most loops never see most of the languages."""
    return re.compile(pattern, re.MULTILINE)


def _shown(found: str, line: str) -> str:
    """The whole line of a short find, a longer one as it is."""
    return found if "\n" in found.strip() else line.strip()
