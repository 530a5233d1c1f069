"""A mark: one place in one text that could be a sign, before it is known whether it is new.

Invariant: two marks of one kind with the same text are the same mark, wherever their lines are, so
that code that only moved is nothing new.
"""

from typing import NamedTuple

from loopctl.domain.sign import SignKind

_SHOWN_CHARACTERS = 120


class Mark(NamedTuple):
    """One place.

    Attributes:
        kind: what was seen.
        line: counted from 1; 0 for the whole file.
        text: the place itself, one line, shortened.
    """

    kind: SignKind
    line: int
    text: str

    @property
    def key(self) -> tuple[SignKind, str]:
        """What makes two marks the same."""
        return self.kind, self.text


def mark(kind: SignKind, line: int, text: str) -> Mark:
    """A mark whose text is put on one line and shortened."""
    return Mark(kind, line, one_line(text))


def one_line(text: str) -> str:
    """``text`` with its white space collapsed, shortened."""
    shown = " ".join(text[: 8 * _SHOWN_CHARACTERS].split())
    shown = "".join(each if each.isprintable() else "?" for each in shown)
    if len(shown) <= _SHOWN_CHARACTERS:
        return shown
    return shown[: _SHOWN_CHARACTERS - 3] + "..."
