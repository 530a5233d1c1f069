"""One plain line for each event: what a person sees while a loop runs, and in its log."""

import time

from loopctl.domain.events import EvaluatorFinished, LoopStarted
from loopctl.domain.loop import LoopState
from loopctl.observe.fact import fact_of
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.plain import one_line
from loopctl.observe.protection_notice import protection_notice
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
    """An observer that writes a line for each event.

    Args:
        out: where to.
        notices: what else a person should know as the loop starts.
    """

    def __init__(self, out: LineWriter, notices: tuple[str, ...] = ()) -> None:
        self._out = out
        self._notices = notices

    def observe(self, entry: LogEntry, state: LoopState) -> None:
        """Write the line; as a loop starts, also what a person should know of it."""
        self._out.write(line(entry))
        if entry.kind == LoopStarted.model_fields["kind"].default:
            spec = state.spec
            told = (*protection_notice(spec.protection), *spec.redirections, *self._notices)
            for notice in told:
                clock = time.strftime(CLOCK, time.localtime(entry.at))
                self._out.write(f"{clock} {one_line(notice)}")
