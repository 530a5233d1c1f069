"""The evidence behind a loop's result, read from the rows of all of its rounds."""

from sqlalchemy import bindparam, select

from loopctl.domain.agent_session import Survivor
from loopctl.domain.events import Settled, TurnEnded
from loopctl.domain.evidence import Evidence, evidence_of
from loopctl.domain.loop import LoopState
from loopctl.store.database import Database
from loopctl.store.evaluations import evaluations_of
from loopctl.store.payload import load
from loopctl.store.rounds import rounds_of
from loopctl.store.tables import events

_TURN_ENDED = TurnEnded.model_fields["kind"].default
_SETTLED = Settled.model_fields["kind"].default
_ENDS = (
    select(events.c.seq, events.c.round, events.c.kind, events.c.payload_json)
    .where(events.c.loop_id == bindparam("of_loop"), events.c.kind.in_((_TURN_ENDED, _SETTLED)))
    .order_by(events.c.seq)
)


def stored_evidence(database: Database, loop_id: str, state: LoopState) -> Evidence:
    """What stands behind the result of a loop that stands as ``state`` says."""
    snapshots = [row.snapshot for row in rounds_of(database, loop_id) if row.snapshot is not None]
    number = 0 if state.snapshot is None else state.snapshot.round
    reports = [entry.report for entry in evaluations_of(database, loop_id, number)]
    return evidence_of(state, snapshots, _survivors(database, loop_id), reports)


def _survivors(database: Database, loop_id: str) -> list[tuple[int, Survivor]]:
    """The processes that turns left running, with their rounds."""
    with database.read() as connection:
        rows = connection.execute(_ENDS, {"of_loop": loop_id}).all()
    return [
        (row.round, survivor)
        for row in rows
        for survivor in _left_by(row.kind, row.payload_json, f"log entry {row.seq}")
    ]


def _left_by(kind: str, text: str, what: str) -> tuple[Survivor, ...]:
    if kind == _TURN_ENDED:
        turn = load(TurnEnded, text, what)
        return () if turn is None else turn.result.survivors
    settled = load(Settled, text, what)
    return () if settled is None else settled.survivors
