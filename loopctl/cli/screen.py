"""What is shown while a loop runs: lines and a card on stderr, JSON on stdout."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from loopctl.cli.evidence import card_evidence
from loopctl.observe.card import Card
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.lines import Lines
from loopctl.observe.ndjson import Ndjson
from loopctl.observe.step_summary import VARIABLE, StepSummary
from loopctl.ports import Observer

_STDOUT, _STDERR = 1, 2


@contextmanager
def screen(
    *, json: bool, quiet: bool, notices: tuple[str, ...] = ()
) -> Iterator[tuple[Observer, ...]]:
    """The observers that the user asked for; all they have to say is out when it is left."""
    errors = LineWriter(_STDERR, sys.stderr.encoding)
    writers = [errors]
    observers: list[Observer] = []
    if json:
        writers.append(LineWriter(_STDOUT))
        observers.append(Ndjson(writers[-1]))
    if not quiet:
        observers.append(Lines(errors, notices))
    observers.append(Card(errors, card_evidence))
    summary = os.environ.get(VARIABLE)
    if summary:
        observers.append(StepSummary(Path(summary), card_evidence))
    try:
        yield tuple(observers)
    finally:
        for writer in writers:
            writer.close()
