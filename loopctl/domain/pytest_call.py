"""A plain pytest call: one command line whose program is pytest, so that options can be added.

Invariant: what is added stands right behind the word ``pytest`` and changes nothing else of the
user's text. A line with operators, substitutions or several commands is never touched.
"""

import re
import shlex
from dataclasses import dataclass

_OPERATORS = ";&|<>()`\n"
_RUNNER = r"(?:(?:uv|poetry|pdm|pipenv|rye)\s+run\s+)?"
_COVERED = r"coverage\s+run\s+(?:-\S+\s+)*"
_FLAGS = r"(?:\s+(?:-[XW]\s*\S+|-[bBdEIOPqsSuv]+))*"
_PYTHON = rf"(?P<python>[^\s=]*python[0-9.]*){_FLAGS}\s+(?:-m\s+{_COVERED})?-m\s+"
_COVERAGE = rf"[^\s=]*{_COVERED}-m\s+"
_CALL = re.compile(
    rf"\s*(?:[A-Za-z_]\w*=\S*\s+)*{_RUNNER}"
    rf"(?:{_PYTHON}pytest|{_COVERAGE}pytest|(?P<script>(?:[^\s=]*/)?(?:pytest|py\.test)))(?=\s|$)"
)
_FILE_OPTIONS = ("--junitxml", "--junit-xml")


@dataclass(frozen=True)
class PytestCall:
    """A command line that was recognised.

    Attributes:
        command: the user's text.
        end: where the word ``pytest`` ends in it.
        program: the interpreter of ``python -m pytest``, else the script; ``""`` when something
            else, such as ``uv run``, chooses the interpreter.
        is_module: ``program`` is an interpreter.
        results: the file that the user's own options name; ``""`` for none.
    """

    command: str
    end: int
    program: str
    is_module: bool
    results: str

    def with_options(self, *options: str) -> str:
        """The command line with these options behind the word ``pytest``."""
        added = "".join(f" {shlex.quote(option)}" for option in options)
        return f"{self.command[: self.end]}{added}{self.command[self.end :]}"


def plain_call(command: str) -> PytestCall | None:
    """The call that ``command`` is; None when it is anything but a plain pytest call."""
    found = _CALL.match(command)
    if found is None or not _is_simple(command):
        return None
    words = shlex.split(command[found.end() :])
    if any(word.replace(" ", "") in {"-pno:junitxml", "no:junitxml"} for word in words):
        return None
    results = _named_file(words)
    if results is None:
        return None
    direct = not re.search(r"\b(?:run|-m\s+coverage)\s", found.group())
    program = (found["python"] or found["script"] or "") if direct else ""
    return PytestCall(command, found.end(), program, bool(found["python"]), results)


def _is_simple(command: str) -> bool:
    """Whether a shell would run it as one command, with nothing but words and variables."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=_OPERATORS)
    lexer.whitespace = " \t"
    lexer.commenters = ""
    lexer.whitespace_split = True
    try:
        words = list(lexer)
    except ValueError:  # a quote is not closed
        return False
    substitutes = "`" in command or "$(" in command or re.search(r"(?:^|\s)#", command)
    return not substitutes and not any(set(word) <= set(_OPERATORS) for word in words if word)


def _named_file(words: list[str]) -> str | None:
    """The file of the last results option; None when only a shell could tell its name."""
    named = ""
    for position, word in enumerate(words):
        option, _, value = word.partition("=")
        if option in _FILE_OPTIONS:
            named = value or (words[position + 1] if position + 1 < len(words) else "")
    return None if "$" in named else named
