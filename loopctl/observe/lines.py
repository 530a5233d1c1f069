"""One plain line for each event: what a person sees while a loop runs, and in its log."""

import time

from loopctl.domain.events import EvaluatorFinished
from loopctl.domain.loop import LoopState
from loopctl.observe.fact import fact_of
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.plain import one_line
from loopctl.observe.sentence import sentence
from loopctl.ports import LogEntry

CLOCK = "%H:%M:%S"
DATE_AND_CLOCK = "%Y-%m-%d %H:%M:%S"


def line(entry: LogEntry, clock: str = CLOCK) -> str:
    """The line for ``entry``, with the local time in the format ``clock``."""
    fact = fact_of(entry)
    text = one_line(f"{entry.kind} {dict(entry.payload)}") if fact is None else sentence(fact)
    if entry.round:
        text = f"round {entry.round}: {text}"
    elif isinstance(fact, EvaluatorFinished):
        text = f"baseline: {text}"
    return f"{time.strftime(clock, time.localtime(entry.at))} {text}"


class Lines:
    """An observer that writes a line for each event."""

    def __init__(self, out: LineWriter) -> None:
        self._out = out

    def observe(self, entry: LogEntry, _state: LoopState) -> None:
        """Write the line."""
        self._out.write(line(entry))
