"""The rounds of a loop, as they are shown."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, bindparam, select

from loopctl.domain.agent_session import TurnOutcome
from loopctl.domain.criteria import Verdict
from loopctl.domain.snapshot import Snapshot
from loopctl.store.database import Database
from loopctl.store.payload import load, log_invalid
from loopctl.store.tables import agent_sessions, rounds

_ALL = select(rounds).where(rounds.c.loop_id == bindparam("of_loop")).order_by(rounds.c.number)
_PROMPT = (
    select(agent_sessions.c.prompt)
    .join(
        rounds,
        (rounds.c.loop_id == agent_sessions.c.loop_id)
        & (rounds.c.session_id == agent_sessions.c.id),
    )
    .where(rounds.c.loop_id == bindparam("of_loop"), rounds.c.number == bindparam("of_round"))
)


@dataclass(frozen=True)
class StoredRound:
    """One round.

    Attributes:
        number: counted from 1.
        session_id: the agent session that worked on it last.
        prompted_at: when its prompt was stored, Unix seconds.
        outcome: how its turn ended; ``None`` while it is open.
        snapshot: the tree after it; ``None`` before it is taken.
        partial: the turn was cut short.
        verdict: ``None`` before it is known.
        passed: criteria that passed.
        judged: criteria that were judged.
        changed: paths that differ from the snapshot before.
        tests_passed: tests that passed; ``None`` where no evaluator left results.
        tests_total: tests that ran or should have.
        closed_at: when the verdict was reached, Unix seconds.
    """

    number: int
    session_id: str
    prompted_at: float
    outcome: TurnOutcome | None
    snapshot: Snapshot | None
    partial: bool
    verdict: Verdict | None
    passed: int
    judged: int
    changed: int
    tests_passed: int | None
    tests_total: int | None
    closed_at: float | None

    @property
    def tests(self) -> str:
        """The tests in figures, such as ``41/45``; ``""`` where there are none."""
        if self.tests_passed is None or self.tests_total is None:
            return ""
        return f"{self.tests_passed}/{self.tests_total}"


def rounds_of(database: Database, loop_id: str) -> tuple[StoredRound, ...]:
    """All rounds that were prompted, oldest first."""
    with database.read() as connection:
        rows = connection.execute(_ALL, {"of_loop": loop_id}).all()
    entries = (stored_round(row) for row in rows)
    return tuple(entry for entry in entries if entry is not None)


def prompt_of(database: Database, loop_id: str, round_number: int) -> str | None:
    """The text that a round was last prompted with; ``""`` when only its digest was kept."""
    with database.read() as connection:
        key = {"of_loop": loop_id, "of_round": round_number}
        return connection.scalar(_PROMPT, key)


def stored_round(row: Row[Any]) -> StoredRound | None:
    """The round that a row stands for; ``None`` when it is invalid."""
    what = f"round {row.number}"
    snapshot = None
    if row.snapshot_json is not None:
        snapshot = load(Snapshot, row.snapshot_json, what)
        if snapshot is None:
            return None
    try:
        return StoredRound(
            number=row.number,
            session_id=row.session_id,
            prompted_at=row.prompted_at,
            outcome=None if row.outcome is None else TurnOutcome(row.outcome),
            snapshot=snapshot,
            partial=row.partial,
            verdict=None if row.verdict is None else Verdict(row.verdict),
            passed=row.passed,
            judged=row.judged,
            changed=row.changed,
            tests_passed=row.tests_passed,
            tests_total=row.tests_total,
            closed_at=row.closed_at,
        )
    except ValueError as error:
        log_invalid(what, error)
        return None
