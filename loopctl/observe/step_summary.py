"""The end card as Markdown, for CI systems that show a file with each step.

GitHub Actions names the file in ``GITHUB_STEP_SUMMARY``; whatever appends to it adds to the page.
"""

import contextlib
from collections.abc import Sequence
from pathlib import Path

from loopctl.domain.loop import LoopState
from loopctl.observe.card import ENDED, ReadEvidence, card_rows, no_evidence
from loopctl.observe.summary import Row
from loopctl.ports import LogEntry

VARIABLE = "GITHUB_STEP_SUMMARY"
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_|<>[]"})


def markdown_card(state: LoopState, evidence: Sequence[Row] = ()) -> str:
    """The card as a Markdown table."""
    shown = card_rows(state, evidence)
    rows = [f"| {label} | {text.translate(_SPECIAL)} |" for label, text in shown]
    return "\n".join(["### loopctl", "", "| | |", "|---|---|", *rows, ""])


class StepSummary:
    """An observer that appends the card to a file when the loop has ended."""

    def __init__(self, path: Path, read_evidence: ReadEvidence = no_evidence) -> None:
        self._path = path
        self._read_evidence = read_evidence

    def observe(self, entry: LogEntry, state: LoopState) -> None:
        """Append the card; a file that cannot be written is not the loop's problem."""
        if entry.kind == ENDED:
            with contextlib.suppress(OSError), self._path.open("a", encoding="utf-8") as file:
                file.write(markdown_card(state, self._read_evidence(state)))
