"""What sessions used: one row for each session, round, role, model and source, added up.

Invariant: the sum of the rows of a loop is what its state counts as spent; both are written in
one transaction. An unknown figure stays unknown until a known one is added to it.
"""

from typing import Any

from sqlalchemy import BindParameter, Case, and_, bindparam, case, func, insert, null, update

from loopctl.domain.records import UsageRecorded
from loopctl.store.payload import PayloadWriter
from loopctl.store.tables import agent_sessions, session_usage
from loopctl.store.writer import Writer

FIGURES = (
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "micro_usd",
    "requests",
)


def _added(figure: str) -> "Case[Any]":
    """The stored figure and the new one together; unknown only when both are."""
    stored = session_usage.c[figure]
    new: BindParameter[Any] = bindparam(f"new_{figure}")
    both_unknown = and_(stored.is_(None), new.is_(None))
    total = func.coalesce(stored, 0) + func.coalesce(new, 0)
    return case((both_unknown, null()), else_=total)


_ADD = insert(session_usage)
_ADD_TO = (
    update(session_usage)
    .where(
        session_usage.c.loop_id == bindparam("of_loop"),
        session_usage.c.session_id == bindparam("of_session"),
        session_usage.c.round == bindparam("of_round"),
        session_usage.c.role == bindparam("of_role"),
        session_usage.c.model == bindparam("of_model"),
        session_usage.c.source == bindparam("of_source"),
    )
    .values({figure: _added(figure) for figure in FIGURES})
)
_TOUCH_SESSION = update(agent_sessions).where(
    agent_sessions.c.loop_id == bindparam("of_loop"),
    agent_sessions.c.id == bindparam("of_session"),
)
_ADD_SESSION = insert(agent_sessions)


def add_usage(
    writer: Writer, payloads: PayloadWriter, loop_id: str, at: float, record: UsageRecorded
) -> None:
    """Add ``record`` to the row that it belongs to, or begin one."""
    usage = record.usage.model_dump()
    usage["model"] = payloads.text(record.usage.model)
    key = {
        "of_loop": loop_id,
        "of_session": record.session_id,
        "of_round": record.round,
        "of_role": record.role,
        "of_model": usage["model"],
        "of_source": record.usage.source,
    }
    new = {f"new_{figure}": usage[figure] for figure in FIGURES}
    if writer.execute(_ADD_TO, key | new).rowcount:
        return
    about = {"loop_id": loop_id, "round": record.round, "role": record.role}
    _require_session(writer, about, record.session_id, at)
    writer.execute(_ADD, about | {"session_id": record.session_id, "at": at} | usage)


def _require_session(writer: Writer, about: dict[str, Any], session_id: str, at: float) -> None:
    """A judge's session is not prompted by the loop: its first use makes its row."""
    key = {"of_loop": about["loop_id"], "of_session": session_id}
    if writer.execute(_TOUCH_SESSION, key | {"round": about["round"]}).rowcount:
        return
    new = {"id": session_id, "prompted_at": at, "prompt": "", "digest": ""}
    writer.execute(_ADD_SESSION, about | new)
