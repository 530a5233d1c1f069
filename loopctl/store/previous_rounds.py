"""What the next prompt is told about the rounds before it."""

from sqlalchemy import Connection, bindparam, select

from loopctl.domain.handoff import Handoff
from loopctl.domain.round_context import PreviousRound, RoundSummary
from loopctl.store.agent_sessions import handoff_in, usage_in
from loopctl.store.database import Database
from loopctl.store.evaluations import newest_reports
from loopctl.store.rounds import StoredRound, stored_round
from loopctl.store.tables import handoffs, rounds, session_usage

_SHOWN_PATHS = 20
_LAST_JUDGED = (
    select(rounds)
    .where(rounds.c.loop_id == bindparam("of_loop"), rounds.c.judged > 0)
    .order_by(rounds.c.number.desc())
    .limit(1)
)
_RECENT = (
    select(rounds)
    .where(rounds.c.loop_id == bindparam("of_loop"))
    .order_by(rounds.c.number.desc())
    .limit(bindparam("count"))
)
_LAST_HANDOFF = (
    select(handoffs.c.id, handoffs.c.payload_json)
    .where(
        handoffs.c.loop_id == bindparam("of_loop"),
        handoffs.c.round == bindparam("of_round"),
        handoffs.c.status == "applied",
    )
    .order_by(handoffs.c.id.desc())
    .limit(1)
)
_USAGE = select(session_usage).where(
    session_usage.c.loop_id == bindparam("of_loop"), session_usage.c.round == bindparam("of_round")
)


def previous_round(database: Database, loop_id: str) -> PreviousRound | None:
    """The last judged round with its whole evidence, else the baseline, else ``None``."""
    with database.read() as connection:
        row = connection.execute(_LAST_JUDGED, {"of_loop": loop_id}).one_or_none()
        entry = None if row is None else stored_round(row)
        if entry is None:
            reports = newest_reports(connection, loop_id, 0)
            return PreviousRound(evaluator=reports, summary="the base commit") if reports else None
        return PreviousRound(
            result=_handoff(connection, loop_id, entry.number),
            evaluator=newest_reports(connection, loop_id, entry.number),
            token_usage=_tokens(connection, loop_id, entry.number),
            summary=f"round {entry.number}: {entry.verdict}, {entry.passed} of {entry.judged} "
            f"criteria passed, {entry.changed} paths changed",
            session_id=entry.session_id,
        )


def recent_rounds(database: Database, loop_id: str, count: int) -> tuple[RoundSummary, ...]:
    """The last ``count`` rounds, oldest first."""
    with database.read() as connection:
        rows = connection.execute(_RECENT, {"of_loop": loop_id, "count": count}).all()
    entries = (stored_round(row) for row in reversed(rows))
    return tuple(_summary(entry) for entry in entries if entry is not None)


def _summary(entry: StoredRound) -> RoundSummary:
    changes = () if entry.snapshot is None else entry.snapshot.changes
    return RoundSummary(
        round=entry.number,
        outcome=entry.outcome,
        verdict=entry.verdict,
        passed=entry.passed,
        judged=entry.judged,
        changed=entry.changed,
        paths=tuple(change.path for change in changes[:_SHOWN_PATHS]),
        tests=entry.tests,
    )


def _handoff(connection: Connection, loop_id: str, number: int) -> Handoff | None:
    key = {"of_loop": loop_id, "of_round": number}
    row = connection.execute(_LAST_HANDOFF, key).one_or_none()
    return None if row is None else handoff_in(row.id, row.payload_json)


def _tokens(connection: Connection, loop_id: str, number: int) -> int | None:
    """The tokens of a round; ``None`` as soon as one figure is unknown."""
    total = 0
    for row in connection.execute(_USAGE, {"of_loop": loop_id, "of_round": number}):
        usage = usage_in(row)
        if usage is None or usage.tokens is None:
            return None
        total += usage.tokens
    return total
