"""Literals as product and tests share them: one text for one value, however it is written.

A composite one is taken apart: what counts is which plain ones stand together. Invariant: equal
values have equal texts (``1`` and ``1.0``, ``True`` and ``true``).
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

WORDS = {
    "True": "True",
    "False": "False",
    "None": "None",
    "true": "True",
    "false": "False",
    "null": "None",
    "nil": "None",
    "undefined": "None",
}
TRIVIAL = frozenset({"0", "1", "-1", "2", "10", "100", "'", "' ", "'\n", *WORDS.values()})
LITERAL = (
    r"(?:(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])"
    r"|\"(?:\\.|[^\"\\\n]){0,400}\"|'(?:\\.|[^'\\\n]){0,400}'|`[^`\\\n]{0,400}`"
    rf"|\b(?:{'|'.join(WORDS)})\b)"
)
_LITERAL = re.compile(LITERAL)
_MOST_PARTS = 60
_LONGEST = 2_000
_MOST_BITS = 512
_EXACT = 2.0**53
_TELLING_DIGITS = 3
_TELLING_TEXT = 12
_YEARS = range(1900, 2101)
_NAME = re.compile(r"[\w.:/@%+-]*")
_PLAIN_ESCAPES = re.compile(r"(?:[^\\]|\\[nrt\\\"'])*")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def of_value(value: object) -> str:
    """The text of a plain value; ``""`` for one that is not compared."""
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    return f"'{value}" if isinstance(value, str) and len(value) <= _LONGEST else ""


def of_node(node: ast.expr | None) -> tuple[str, ...]:
    """The plain literals of an expression of Python; empty when it is no literal."""
    found: list[str] = []
    stack = [node] if node is not None else []
    while stack:
        part = stack.pop()
        match part:
            case ast.Constant(value=str(text)) if "\n" in text.strip():
                found += [f"'{line.strip()}" for line in text.splitlines() if line.strip()]
            case ast.Constant(value=value):
                found.append(of_value(value))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                found.append(_number(-value))
            case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
                stack.extend(reversed(elts))
            case ast.Dict(keys=keys, values=values):
                stack.extend(reversed([each for each in keys if each is not None]))
                stack.extend(reversed(values))
            case _:
                return ()
        if len(found) > _MOST_PARTS:
            return ()
    return tuple(found) if all(found) else ()


@lru_cache(maxsize=20_000)
def of_token(token: str) -> str:
    """The text of a literal as most languages write it."""
    if token in WORDS:
        return WORDS[token]
    if token[0] in "\"'`":
        inside = token[1:-1]
        if "\\" in inside and _PLAIN_ESCAPES.fullmatch(inside):
            inside = re.sub(r"\\(.)", lambda found: _ESCAPES.get(found[1], found[1]), inside)
        return f"'{inside}"
    try:
        plain = token.replace("_", "")
        return _number(int(plain)) if plain.lstrip("-").isdecimal() else _number(float(plain))
    except (ValueError, OverflowError):
        return ""


def tokens(text: str) -> Iterator[str]:
    """Every literal of a text in any language, in its order."""
    return filter(None, map(of_token, _LITERAL.findall(text)))


def is_telling(literal: str) -> bool:
    """Whether a literal is so special that nobody writes it twice by chance."""
    if literal.startswith("'"):
        return len(literal) > _TELLING_TEXT and not _NAME.fullmatch(literal[1:])
    digits = literal.lstrip("-").replace(".", "").partition("e")[0].strip("0")
    if len(digits) < _TELLING_DIGITS or not digits.isdecimal():
        return False
    if not literal.lstrip("-").isdecimal():
        return True
    value = abs(int(literal))
    return value.bit_count() > 1 and (value + 1).bit_count() > 1 and value not in _YEARS


def _number(value: float) -> str:
    """A whole number has no fraction."""
    if isinstance(value, int):
        return str(value) if value.bit_length() < _MOST_BITS else ""
    return str(int(value)) if abs(value) < _EXACT and value.is_integer() else repr(value)
