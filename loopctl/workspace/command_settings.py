"""Which settings file a shell command hands to a test runner or linter.

``pytest -c ci/fast.cfg`` judges by a file that no pattern knows. Invariant: only values of options
of programs that judge are meant; ``./server --config app.toml`` names the work itself.
"""

import posixpath
import re
from collections.abc import Iterator

from loopctl.domain.linters import linters_among
from loopctl.workspace.command_programs import placed_words

_RUNNERS = frozenset(
    {"pytest", "py.test", "coverage", "tox", "nox", "nose2", "jest", "vitest", "mocha", "ava"}
    | {"playwright", "cypress", "karma", "phpunit", "phpstan", "rspec", "nextest", "ctest"}
)
_MAKE = frozenset({"make", "gmake"})
_OPTION = re.compile(
    r"(?:-c|--config|--config-file|--cov-config|--rcfile|--rc-file|--configuration)(?:=(.+))?"
)
_MAKE_OPTION = re.compile(r"(?:-f|--file|--makefile)(?:=(.+))?")


def settings_named_by(command: str) -> tuple[str, ...]:
    """Paths, relative to the folder in which the command starts; they need not exist."""
    found = (
        posixpath.normpath(posixpath.join(folder, name))
        for folder, words in placed_words(command)
        for name in _named(words)
    )
    return tuple(dict.fromkeys(found))


def _named(words: list[str]) -> Iterator[str]:
    names = {posixpath.basename(word) for word in words}
    if names & _MAKE:
        option = _MAKE_OPTION
    elif names & _RUNNERS or linters_among(words):
        option = _OPTION
    else:
        return
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word.startswith("@"):
            yield word[1:]
        elif (match := option.fullmatch(word)) is not None:
            yield match[1] or following
