"""The events of a loop for programs: one JSON object a line, in a versioned schema.

Invariant: every line is a whole JSON document in ASCII, and the line that ends the loop says
everything that a script needs to go on. docs/json.md describes the fields.
"""

import json
from typing import Any

from loopctl.domain.loop import LoopState
from loopctl.domain.records import LoopEnded
from loopctl.observe.fact import fact_of
from loopctl.observe.line_writer import LineWriter
from loopctl.observe.plain import iso_time
from loopctl.ports import LogEntry

SCHEMA = "loopctl.event/1"
_ENVELOPE = {"kind", "at", "mono", "order"}


def event_object(entry: LogEntry, loop: str) -> dict[str, Any]:
    """The object for ``entry`` of the loop called ``loop``."""
    fact = fact_of(entry)
    stored = {key: value for key, value in entry.payload.items() if key not in _ENVELOPE}
    return {
        "schema": SCHEMA,
        "seq": entry.seq,
        "time": iso_time(entry.at),
        "loop": loop,
        "round": entry.round,
        "event": entry.kind,
        "data": stored if fact is None else fact.model_dump(mode="json", exclude=_ENVELOPE),
    }


class Ndjson:
    """An observer that writes an object for each event."""

    def __init__(self, out: LineWriter) -> None:
        self._out = out

    def observe(self, entry: LogEntry, state: LoopState) -> None:
        """Write the object; the last one says where the work is."""
        shown = event_object(entry, state.spec.name)
        if entry.kind == LoopEnded.model_fields["kind"].default:
            shown["data"] |= {
                "branch": state.spec.branch,
                "worktree": state.workspace,
                "commit": state.published.commit if state.published else "",
            }
        self._out.write(json.dumps(shown))
