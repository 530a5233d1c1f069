"""The state of a loop, computed again from its log: the proof that the log is complete."""

from typing import cast

from loopctl.domain.events import AnyEvent
from loopctl.domain.loop import LoopState, begin
from loopctl.domain.machine import decide
from loopctl.store.database import Database
from loopctl.store.event_log import stored_events
from loopctl.store.loop_documents import load_state


def replay(database: Database, loop_id: str) -> LoopState:
    """Fold ``decide`` over the stored events, from the beginning.

    Equals the stored state whenever no turn is open (the log keeps only the end of what an agent
    said).
    """
    state = begin(load_state(database, loop_id).spec)
    for event in stored_events(database, loop_id):
        state = decide(state, cast("AnyEvent", event)).state
    return state
