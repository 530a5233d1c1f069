"""The tables of the database.

Core tables, not mapped classes: see ``docs/decisions/0002-core-tables.md``. Columns that end in
``_json`` hold validated documents as text (see ``payload``); the others are there to be found
by. ``loops.state_json`` is the truth about a loop, and everything beside it is written in the
same transaction.

Times are Unix seconds, money is millionths of a US dollar.
"""

from collections.abc import Iterable

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from loopctl.domain.agent_session import Role, TurnOutcome
from loopctl.domain.concern import OnConcern, Severity
from loopctl.domain.criteria import Verdict
from loopctl.domain.step import Phase, Step
from loopctl.domain.stop import Status
from loopctl.domain.usage import UsageSource

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

HANDOFF_STATUSES = ("pending", "applied", "discarded")
STOP_KINDS = (
    "goal-met",
    "budget-cap",
    "stuck",
    "approval-required",
    "stalled",
    "errored",
    "cancelled",
)


def _one_of(column: str, values: Iterable[str]) -> CheckConstraint:
    allowed = ", ".join(f"'{value}'" for value in values)
    return CheckConstraint(f"{column} IN ({allowed})", name=column)


def _loop() -> Column[str]:
    return Column("loop_id", String(32), ForeignKey("loops.id", ondelete="CASCADE"), nullable=False)


loops = Table(
    "loops",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("project", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("repository", Text, nullable=False),
    Column("goal", Text, nullable=False),
    Column("base_commit", String(64), nullable=False),
    Column("branch", Text, nullable=False),
    Column("worktree", Text, nullable=False),
    Column("status", String(16), nullable=False),
    Column("phase", String(16), nullable=False),
    Column("step", String(16), nullable=False),
    Column("round", Integer, nullable=False),
    Column("rounds_in_run", Integer, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("micro_usd", BigInteger, nullable=False),
    Column("worked_s", Double, nullable=False),
    Column("stop_kind", String(32)),
    Column("stop_json", Text),
    Column("epoch", Integer, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("spec_json", Text, nullable=False),
    Column("state_json", Text, nullable=False),
    UniqueConstraint("project", "name"),
    _one_of("status", Status),
    _one_of("phase", Phase),
    _one_of("step", Step),
    _one_of("stop_kind", STOP_KINDS),
    CheckConstraint("(status = 'running') = (ended_at IS NULL)", name="ended"),
)

rounds = Table(
    "rounds",
    metadata,
    Column("loop_id", String(32), ForeignKey("loops.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("session_id", Text, nullable=False),
    Column("prompted_at", Double, nullable=False),
    Column("outcome", String(16)),
    Column("snapshot_json", Text),
    Column("partial", Boolean, nullable=False),
    Column("verdict", String(8)),
    Column("passed", Integer, nullable=False),
    Column("judged", Integer, nullable=False),
    Column("changed", Integer, nullable=False),
    Column("tests_passed", Integer),
    Column("tests_total", Integer),
    Column("closed_at", Double),
    _one_of("outcome", TurnOutcome),
    _one_of("verdict", Verdict),
)

agent_sessions = Table(
    "agent_sessions",
    metadata,
    Column("loop_id", String(32), ForeignKey("loops.id", ondelete="CASCADE"), primary_key=True),
    Column("id", Text, primary_key=True),
    Column("round", Integer, nullable=False),
    Column("role", String(16), nullable=False),
    Column("prompted_at", Double, nullable=False),
    Column("prompt", Text, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("closed_at", Double),
    Column("result_json", Text),
    _one_of("role", Role),
)

handoffs = Table(
    "handoffs",
    metadata,
    Column("id", Integer, primary_key=True),
    _loop(),
    Column("session_id", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("status", String(16), nullable=False),
    Column("payload_json", Text, nullable=False),
    Column("role", String(16)),
    Column("phase", String(16)),
    Column("resolved_at", Double),
    ForeignKeyConstraint(
        ["loop_id", "session_id"],
        ["agent_sessions.loop_id", "agent_sessions.id"],
        ondelete="CASCADE",
    ),
    _one_of("status", HANDOFF_STATUSES),
    Index("ix_handoffs_loop_id_round", "loop_id", "round"),
)
Index(
    "uq_handoffs_pending",
    handoffs.c.loop_id,
    unique=True,
    # The migration has the same for PostgreSQL; here it would import that dialect (40 ms).
    sqlite_where=text("status = 'pending'"),
)

evaluations = Table(
    "evaluations",
    metadata,
    Column("id", Integer, primary_key=True),
    _loop(),
    Column("round", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("evaluator", Text, nullable=False),
    Column("digest", String(16), nullable=False),
    Column("tree", String(64), nullable=False),
    Column("isolation", Text, nullable=False),
    Column("verdict", String(8), nullable=False),
    Column("exit", Text, nullable=False),
    Column("duration_s", Double, nullable=False),
    Column("log", Text, nullable=False),
    Column("warnings_json", Text, nullable=False),
    Column("reused_from", Integer),
    Column("suite_json", Text),
    Column("hardening", String(32)),
    Column("provisional", Boolean),
    Column("judged_json", Text),
    Column("stage", String(16)),
    Column("moved_json", Text),
    _one_of("verdict", Verdict),
    Index("ix_evaluations_loop_id_round", "loop_id", "round"),
    Index("ix_evaluations_loop_id_tree_digest", "loop_id", "tree", "digest"),
)

criteria = Table(
    "criteria",
    metadata,
    Column(
        "evaluation_id",
        Integer,
        ForeignKey("evaluations.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("verdict", String(8), nullable=False),
    Column("evidence_json", Text, nullable=False),
    _one_of("verdict", Verdict),
    CheckConstraint("verdict <> 'PASS' OR evidence_json <> '[]'", name="evidence"),
)

concerns = Table(
    "concerns",
    metadata,
    Column("id", Integer, primary_key=True),
    _loop(),
    Column("at", Double, nullable=False),
    Column("round", Integer, nullable=False),
    Column("session_id", Text, nullable=False),
    Column("source", String(16), nullable=False),
    Column("severity", String(16), nullable=False),
    Column("policy", String(16), nullable=False),
    Column("concern", Text, nullable=False),
    _one_of("source", ("agent", "heuristic")),
    _one_of("severity", Severity),
    _one_of("policy", OnConcern),
    Index("ix_concerns_loop_id", "loop_id"),
)

transitions = Table(
    "transitions",
    metadata,
    Column("id", Integer, primary_key=True),
    _loop(),
    Column("at", Double, nullable=False),
    Column("event", String(32), nullable=False),
    Column("from_phase", String(16), nullable=False),
    Column("to_phase", String(16), nullable=False),
    Column("round", Integer, nullable=False),
    Column("status", String(16), nullable=False),
    Column("reason", Text, nullable=False),
    _one_of("from_phase", Phase),
    _one_of("to_phase", Phase),
    _one_of("status", Status),
    Index("ix_transitions_loop_id", "loop_id"),
)

session_usage = Table(
    "session_usage",
    metadata,
    Column("id", Integer, primary_key=True),
    _loop(),
    Column("session_id", Text, nullable=False),
    Column("round", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("role", String(16), nullable=False),
    Column("model", Text, nullable=False),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("reasoning_tokens", BigInteger, nullable=False),
    Column("cache_read_tokens", BigInteger, nullable=False),
    Column("cache_write_tokens", BigInteger, nullable=False),
    Column("micro_usd", BigInteger),
    Column("source", String(16), nullable=False),
    Column("requests", Integer),
    ForeignKeyConstraint(
        ["loop_id", "session_id"],
        ["agent_sessions.loop_id", "agent_sessions.id"],
        ondelete="CASCADE",
    ),
    _one_of("role", Role),
    _one_of("source", UsageSource),
    Index("ix_session_usage_loop_id_round", "loop_id", "round"),
    Index("ix_session_usage_loop_id_session_id", "loop_id", "session_id"),
)

commands = Table(
    "commands",
    metadata,
    Column("id", String(32), primary_key=True),
    _loop(),
    Column("kind", String(16), nullable=False),
    Column("by", Text, nullable=False),
    Column("left_at", Double, nullable=False),
    Column("answered_at", Double),
    Column("refused", Text, nullable=False),
    Index("ix_commands_loop_id", "loop_id"),
)

# Append-only: a trigger of the first migration refuses updates.
events = Table(
    "events",
    metadata,
    Column("loop_id", String(32), ForeignKey("loops.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("at", Double, nullable=False),
    Column("round", Integer, nullable=False),
    Column("kind", String(32), nullable=False),
    Column("payload_json", Text, nullable=False),
    sqlite_with_rowid=False,  # most rows of the database are here
)

driver_leases = Table(
    "driver_leases",
    metadata,
    Column("loop_id", String(32), ForeignKey("loops.id", ondelete="CASCADE"), primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("host", Text, nullable=False),
    Column("boot_id", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("start_time", BigInteger, nullable=False),
    Column("acquired_at", Double, nullable=False),
    Column("heartbeat_at", Double, nullable=False),
)
