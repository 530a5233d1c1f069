"""What the agent sessions of a loop left: results of turns, handoffs, concerns, usage."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, Select, bindparam, select

from loopctl.domain.agent_session import Role, TurnResult
from loopctl.domain.concern import OnConcern, Severity
from loopctl.domain.handoff import HANDOFF, Handoff
from loopctl.domain.usage import Usage
from loopctl.store.database import Database
from loopctl.store.payload import load, log_invalid
from loopctl.store.tables import agent_sessions, concerns, handoffs, session_usage

_SESSIONS = (
    select(*(column for column in agent_sessions.c if column.name != "prompt"))
    .where(agent_sessions.c.loop_id == bindparam("of_loop"))
    .order_by(agent_sessions.c.prompted_at, agent_sessions.c.id)
)
_HANDOFFS = (
    select(handoffs).where(handoffs.c.loop_id == bindparam("of_loop")).order_by(handoffs.c.id)
)
_CONCERNS = (
    select(concerns).where(concerns.c.loop_id == bindparam("of_loop")).order_by(concerns.c.id)
)
_USED = (
    select(session_usage)
    .where(session_usage.c.loop_id == bindparam("of_loop"))
    .order_by(session_usage.c.id)
)


@dataclass(frozen=True)
class StoredSession:
    """One agent session; ``digest`` is its prompt's; ``result`` is ``None`` in an open turn."""

    id: str
    round: int
    role: Role
    prompted_at: float
    digest: str
    closed_at: float | None
    result: TurnResult | None


@dataclass(frozen=True)
class StoredHandoff:
    """One handoff; ``status`` is ``pending``, ``applied`` or ``discarded``."""

    id: int
    session_id: str
    round: int
    at: float
    status: str
    payload: Handoff


@dataclass(frozen=True)
class StoredConcern:
    """One doubt about the goal; ``session_id`` is empty where loopctl raised it itself."""

    session_id: str
    round: int
    at: float
    source: str
    severity: Severity
    policy: OnConcern
    concern: str


@dataclass(frozen=True)
class StoredUsage:
    """What one model used in one session."""

    session_id: str
    round: int
    at: float
    role: Role
    usage: Usage


def sessions_of(database: Database, loop_id: str) -> tuple[StoredSession, ...]:
    """All agent sessions of a loop that were prompted, oldest first."""
    found = []
    for row in _rows(database, _SESSIONS, loop_id):
        result = None
        if row.result_json is not None:
            result = load(TurnResult, row.result_json, f"agent session {row.id}")
            if result is None:
                continue
        role = Role(row.role)
        found.append(
            StoredSession(
                row.id, row.round, role, row.prompted_at, row.digest, row.closed_at, result
            )
        )
    return tuple(found)


def handoffs_of(database: Database, loop_id: str) -> tuple[StoredHandoff, ...]:
    """All handoffs of a loop, oldest first."""
    found = []
    for row in _rows(database, _HANDOFFS, loop_id):
        payload = handoff_in(row.id, row.payload_json)
        if payload is not None:
            found.append(
                StoredHandoff(row.id, row.session_id, row.round, row.at, row.status, payload)
            )
    return tuple(found)


def handoff_in(row_id: int, text: str) -> Handoff | None:
    """The payload of a row of ``handoffs``; ``None`` when it fits no shape."""
    try:
        return HANDOFF.validate_json(text, strict=True)
    except ValueError as error:
        log_invalid(f"handoff {row_id}", error)
        return None


def concerns_of(database: Database, loop_id: str) -> tuple[StoredConcern, ...]:
    """All concerns of a loop, oldest first."""
    return tuple(
        StoredConcern(
            session_id=row.session_id,
            round=row.round,
            at=row.at,
            source=row.source,
            severity=Severity(row.severity),
            policy=OnConcern(row.policy),
            concern=row.concern,
        )
        for row in _rows(database, _CONCERNS, loop_id)
    )


def usage_of(database: Database, loop_id: str) -> tuple[StoredUsage, ...]:
    """What every session of a loop used, oldest first."""
    found = []
    for row in _rows(database, _USED, loop_id):
        usage = usage_in(row)
        if usage is not None:
            found.append(StoredUsage(row.session_id, row.round, row.at, Role(row.role), usage))
    return tuple(found)


def usage_in(row: Row[Any]) -> Usage | None:
    """The figures in a row of ``session_usage``; ``None`` when they are invalid."""
    fields = {name: row._mapping[name] for name in Usage.model_fields}  # noqa: SLF001 - public API
    try:
        return Usage.model_validate(fields)
    except ValueError as error:
        log_invalid(f"usage {row.id}", error)
        return None


def _rows(database: Database, statement: Select[Any], loop_id: str) -> list[Row[Any]]:
    with database.read() as connection:
        return list(connection.execute(statement, {"of_loop": loop_id}))
