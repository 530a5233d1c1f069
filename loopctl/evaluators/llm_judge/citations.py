"""Citations of a judge, looked up in the files of the judged tree.

Invariant: a citation holds when the quoted text stands in the named file at the named line, or a
few lines from it; blanks aside, and with invisible characters as the judge was shown them. The file
is one of the work: not one that was supplied to it, and not one to which a link leads outside.
"""

import re
from dataclasses import dataclass

from loopctl.evaluators.llm_judge.verdicts import Citation
from loopctl.prompts.revealing import revealed
from loopctl.tools.files.errors import FileToolError
from loopctl.tools.files.folder import Folder
from loopctl.tools.files.reading import read_lines

LINES_OFF = 3
"""How far from its line a quote may be: models count badly."""

LONGEST_QUOTE = 20
"""Lines."""

LEAST_CHARACTERS = 8
LEAST_WORD_CHARACTERS = 3
SUPPLIED = frozenset({"node_modules", ".venv", "venv"})
"""Folders of installed dependencies, which are no part of the work."""

_NUMBERED = re.compile(r"^\s*\d+\t")


@dataclass(frozen=True)
class LookedUp:
    """A citation after it was looked up.

    Attributes:
        citation: as the judge gave it.
        line: where the quote really begins; 0 when it does not hold.
        problem: why it does not hold; ``""`` when it does.
    """

    citation: Citation
    line: int = 0
    problem: str = ""


class CitedFiles:
    """The files of a checkout, each read once.

    Args:
        folder: the checkout.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._lines: dict[str, tuple[str, ...]] = {}

    def look_up(self, citation: Citation) -> LookedUp:
        """Find the quote of a citation."""
        quote = _quoted(citation.quote)
        try:
            lines = self._read(citation.file)
        except FileToolError as error:
            return LookedUp(citation, problem=str(error))
        problem = _unfit(quote, citation, len(lines))
        if problem:
            return LookedUp(citation, problem=problem)
        line = _find(quote, lines, citation.line)
        if not line:
            return LookedUp(citation, problem="the quote is not at that line")
        return LookedUp(citation, line=line)

    def _read(self, file: str) -> tuple[str, ...]:
        if file not in self._lines:
            supplied = SUPPLIED.intersection(self._folder.resolve(file))
            if supplied:
                raise FileToolError(
                    "it is no part of the work", why=f"{min(supplied)} holds what others made"
                )
            lines = read_lines(self._folder, file)
            self._lines[file] = tuple(_normal(revealed(line)) for line in lines)
        return self._lines[file]


def _quoted(quote: str) -> list[str]:
    """The lines of a quote, without line numbers and blank lines at its ends."""
    lines = [_normal(_NUMBERED.sub("", line)) for line in revealed(quote).split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _normal(line: str) -> str:
    return " ".join(line.split())


def _unfit(quote: list[str], citation: Citation, total: int) -> str:
    """Why a quote proves nothing wherever it stands; ``""`` when it may."""
    text = "".join(quote).replace(" ", "")
    words = sum(character.isalnum() for character in text)
    if len(text) < LEAST_CHARACTERS or words < LEAST_WORD_CHARACTERS:
        return "the quote is too short to show anything"
    if len(quote) > LONGEST_QUOTE:
        return f"the quote has more than {LONGEST_QUOTE} lines"
    if citation.line > total + LINES_OFF:
        return f"the file has {total} lines"
    return ""


def _find(quote: list[str], lines: tuple[str, ...], claimed: int) -> int:
    """The line, from 1, at which the quote begins; the nearest one, and 0 for none."""
    starts = range(max(1, claimed - LINES_OFF), claimed + LINES_OFF + 1)
    for start in sorted(starts, key=lambda start: abs(start - claimed)):
        stretch = lines[start - 1 : start - 1 + len(quote)]
        if _stands(quote, stretch):
            return start
    return 0


def _stands(quote: list[str], stretch: tuple[str, ...]) -> bool:
    """Whether the quote is the stretch: its first line may begin late, its last one end early."""
    if len(stretch) != len(quote):
        return False
    if len(quote) == 1:
        return quote[0] in stretch[0]
    return (
        stretch[0].endswith(quote[0])
        and stretch[-1].startswith(quote[-1])
        and quote[1:-1] == list(stretch[1:-1])
    )
