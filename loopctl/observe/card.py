"""The end card: why a loop ended, on what evidence, where the work is, what to type next."""

from collections.abc import Callable, Sequence

from loopctl.domain.loop import LoopState
from loopctl.domain.records import LoopEnded
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.stop_text import next_command
from loopctl.observe.summary import Row, summary_rows
from loopctl.ports import LogEntry

ENDED = LoopEnded.model_fields["kind"].default
_LABEL = 10
ReadEvidence = Callable[[LoopState], Sequence[Row]]
"""What is known of a loop that ended beside its state, as rows."""


def no_evidence(state: LoopState) -> Sequence[Row]:
    """For who has no store to read from."""
    del state
    return ()


def card_rows(state: LoopState, evidence: Sequence[Row] = ()) -> tuple[Row, ...]:
    """The rows of the card: a label and what it says, one line each."""
    command = next_command(state)
    rows = (("loop", f"{state.spec.name} ({state.status})"), *summary_rows(state, evidence))
    return (*rows, ("next", command)) if command else rows


def plain_card(state: LoopState, evidence: Sequence[Row] = ()) -> str:
    """The card for a terminal."""
    return "\n".join(f"{label:<{_LABEL}}{text}" for label, text in card_rows(state, evidence))


class Card:
    """An observer that writes the card when the loop has ended.

    Args:
        out: where to.
        read_evidence: reads what the store knows.
    """

    def __init__(self, out: LineWriter, read_evidence: ReadEvidence = no_evidence) -> None:
        self._out = out
        self._read_evidence = read_evidence

    def observe(self, entry: LogEntry, state: LoopState) -> None:
        """Write the card at the end."""
        if entry.kind == ENDED:
            self._out.write(f"\n{plain_card(state, self._read_evidence(state))}")
