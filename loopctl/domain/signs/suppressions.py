"""Comments and annotations that tell a checker, a coverage or a compiler to look away.

Invariant: such a mark is the suppression alone, without the code beside it, so that only more of
them in a file are new.
"""

import re
from collections.abc import Iterator
from functools import cache

from loopctl.domain.sign import SignKind
from loopctl.domain.signs.language import Language
from loopctl.domain.signs.mark import Mark, mark

_CODES = r"(?:[:=(\[ ]{1,2}[\w@][\w./@-]{0,60}(?:, ?[\w@][\w./@-]{0,60}){0,20}[\])]?)?"
_PYTHON = (
    r"#[ \t]*(?:noqa|type:[ \t]*ignore|pragma:[ \t]*no[ \t]*(?:cover|branch|mutate)|nosec"
    r"|pylint:[ \t]*disable|pyright:[ \t]*ignore|mypy:[ \t]*(?:ignore|disable|allow)"
    r"|ruff:[ \t]*noqa|flake8:[ \t]*noqa|pytype:[ \t]*disable|ty:[ \t]*ignore|pyre-ignore"
    r"|pyre-fixme|bandit:[ \t]*skip)"
)
_RUBY = r"#[ \t]*(?:rubocop:disable|rubocop:todo|:nocov:|steep:ignore|standard:disable)"
_SLASHES = r"(?://|/\*)[ \t]*"
_PATTERNS = {
    Language.PYTHON: _PYTHON + _CODES,
    Language.RUBY: _RUBY + _CODES,
    Language.JAVASCRIPT: (
        _SLASHES + r"(?:eslint-disable[\w-]*|@ts-ignore|@ts-expect-error|@ts-nocheck"
        r"|tslint:disable[\w-]*|(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)[\w ]{0,20}"
        r"|biome-ignore|deno-lint-ignore[\w-]*|\$FlowFixMe|\$FlowIgnore|oxlint-disable[\w-]*"
        r"|stryker disable)" + _CODES
    ),
    Language.GO: r"//[ \t]*(?:nolint|lint:(?:file-)?ignore|#nosec|(?:coverage|exhaustive):ignore)"
    + _CODES,
    Language.RUST: r"#!?\[[ \t]*(?:allow|expect)[ \t]*\([\w:, =\"-]{0,120}\)?"
    r"|#!?\[[ \t]*coverage\(off\)[ \t]*\]"
    r"|#!?\[[ \t]*cfg_attr\([^\]]{0,120}(?:allow|coverage|ignore)[^\]]{0,60}\]",
    Language.JVM: r"@(?:Suppress|SuppressWarnings|SuppressFBWarnings|SuppressLint|nowarn)\b"
    r"(?:\([^)\n]{0,120}\)?)?|(?://|/\*)[ \t]*(?:NOSONAR|CHECKSTYLE[:.]OFF|noinspection|NOPMD)"
    + _CODES,
}


def suppressions(language: Language, text: str) -> Iterator[Mark]:
    """Every suppression in a text."""
    line, start = 1, 0
    for found in _compiled(language).finditer(text):
        line += text.count("\n", start, found.start())
        start = found.start()
        yield mark(SignKind.SUPPRESSES, line, found.group().strip())


@cache
def _compiled(language: Language) -> re.Pattern[str]:
    return re.compile(_PATTERNS[language])
