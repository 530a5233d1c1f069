"""Shell text as simple commands and the operators between them: enough to judge its exit status.

Invariant: what is inside quotes or a substitution is part of a word and never an operator. Text
that cannot be read this way (an open quote, a here-document) is no command at all: ``None``.
"""

import re

from loopctl.domain.value import Value

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r]+|\\\n)
  | (?P<comment>\#[^\n]*)
  | (?P<heredoc>\d*<<-?(?!<))
  | (?P<redirect>\d*(?:>>|>\||>&|<<<|<&|<>|>|<)|&>>?)
  | (?P<operator>&&|\|\||;;|\|&|[;&|\n()])
  | (?P<word>(?: [^\s'"\\`$;&|()<>] | \\. | '[^']*' | "(?:\\.|[^"\\])*" | `[^`]*`
              | \$\((?:[^()]|\([^()]*\))*\) | \$ )+)
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED = re.compile(r"'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_INTRODUCING = frozenset({"!", "time", "exec", "command", "builtin", "env", "nohup"})
COMPOUND = frozenset(
    {"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac"}
    | {"select", "function", "{", "}", "[["}
)


class SimpleCommand(Value):
    """One program with its arguments.

    Attributes:
        words: without quotes and redirections; empty for a group or a bare assignment.
        then: the operator that follows; empty at the end of the text.
        in_group: it stands in parentheses.
    """

    words: tuple[str, ...]
    then: str = ""
    in_group: bool = False

    @property
    def program(self) -> tuple[str, ...]:
        """The words without assignments and without what only introduces a program."""
        words = list(self.words)
        while words and (_ASSIGNMENT.fullmatch(words[0]) or words[0] in _INTRODUCING):
            words.pop(0)
        return tuple(words)

    def __str__(self) -> str:
        return " ".join(self.words)


def simple_commands(text: str) -> tuple[SimpleCommand, ...] | None:
    """The simple commands of ``text`` in their order; ``None`` when it cannot be read."""
    found: list[SimpleCommand] = []
    words: list[str] = []
    position = depth = 0
    skips_word = False
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or token.lastgroup == "heredoc":
            return None
        position, value = token.end(), token[0]
        match token.lastgroup:
            case "word" if skips_word:
                skips_word = False
            case "word":
                words.append(_unquoted(value))
            case "redirect":
                skips_word = True
            case "operator":
                found += _ended(words, value, depth)
                words = []
                depth += (value == "(") - (value == ")")
    return (*found, *_ended(words, "", depth))


def _ended(words: list[str], operator: str, depth: int) -> list[SimpleCommand]:
    """The command that an operator ends; a bare newline or parenthesis ends none."""
    if not words and operator in {"", "\n", "(", ")", ";"}:
        return []
    return [SimpleCommand(words=tuple(words), then=operator, in_group=depth > 0)]


def _unquoted(word: str) -> str:
    def plain(match: re.Match[str]) -> str:
        single, double, escaped = match.groups()
        if single is not None:
            return single
        if double is not None:
            return re.sub(r"\\([\"\\$`])", r"\1", double)
        return "" if escaped == "\n" else escaped

    return _QUOTED.sub(plain, word)
