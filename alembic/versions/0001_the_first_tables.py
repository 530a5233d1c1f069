"""The first tables."""

import sqlalchemy as sa

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


_TABLES = (
    "loops",
    "agent_sessions",
    "commands",
    "driver_leases",
    "evaluations",
    "events",
    "rounds",
    "transitions",
    "criteria",
    "handoffs",
    "session_usage",
)
_APPEND_ONLY = """
CREATE TRIGGER events_append_only BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'the event log is append-only'); END
"""


def upgrade() -> None:
    _create_loops()
    _create_agent_sessions()
    _create_commands()
    _create_driver_leases()
    _create_evaluations()
    _create_events()
    _create_rounds()
    _create_transitions()
    _create_criteria()
    _create_handoffs()
    _create_session_usage()
    if op.get_context().dialect.name == "sqlite":
        op.execute(_APPEND_ONLY)


def downgrade() -> None:
    for table in reversed(_TABLES):
        op.drop_table(table)


def _create_loops() -> None:
    op.create_table(
        "loops",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("base_commit", sa.String(length=64), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("worktree", sa.Text(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("phase", sa.String(length=16), nullable=False),
        sa.Column("step", sa.String(length=16), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("rounds_in_run", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("micro_usd", sa.BigInteger(), nullable=False),
        sa.Column("worked_s", sa.Double(), nullable=False),
        sa.Column("stop_kind", sa.String(length=32)),
        sa.Column("stop_json", sa.Text()),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("updated_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double()),
        sa.Column("spec_json", sa.Text(), nullable=False),
        sa.Column("state_json", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "(status = 'running') = (ended_at IS NULL)", name=op.f("ck_loops_ended")
        ),
        sa.CheckConstraint(
            "phase IN ('coding', 'auditing', 'post_action')", name=op.f("ck_loops_phase")
        ),
        sa.CheckConstraint(
            "status IN ('running', 'completed', 'stopped', 'cancelled', 'errored', 'stalled')",
            name=op.f("ck_loops_status"),
        ),
        sa.CheckConstraint(
            "step IN ('baseline', 'admit', 'open', 'prompt', 'deferred', "
            "'waiting', 'settle', 'snapshot', 'evaluate', 'ending')",
            name=op.f("ck_loops_step"),
        ),
        sa.CheckConstraint(
            "stop_kind IN ('goal-met', 'budget-cap', 'stuck', 'approval-required', "
            "'stalled', 'errored', 'cancelled')",
            name=op.f("ck_loops_stop_kind"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_loops")),
        sa.UniqueConstraint("project", "name", name=op.f("uq_loops_project_name")),
    )


def _create_agent_sessions() -> None:
    op.create_table(
        "agent_sessions",
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("prompted_at", sa.Double(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("closed_at", sa.Double()),
        sa.Column("result_json", sa.Text()),
        sa.CheckConstraint(
            "role IN ('coder', 'auditor', 'judge', 'reflector', 'compaction', 'post_action')",
            name=op.f("ck_agent_sessions_role"),
        ),
        sa.ForeignKeyConstraint(
            ["loop_id"],
            ["loops.id"],
            name=op.f("fk_agent_sessions_loop_id_loops"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("loop_id", "id", name=op.f("pk_agent_sessions")),
    )


def _create_commands() -> None:
    op.create_table(
        "commands",
        sa.Column("id", sa.String(length=32), nullable=False),
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("left_at", sa.Double(), nullable=False),
        sa.Column("answered_at", sa.Double()),
        sa.Column("refused", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["loop_id"], ["loops.id"], name=op.f("fk_commands_loop_id_loops"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_commands")),
    )
    op.create_index("ix_commands_loop_id", "commands", ["loop_id"], unique=False)


def _create_driver_leases() -> None:
    op.create_table(
        "driver_leases",
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("boot_id", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("start_time", sa.BigInteger(), nullable=False),
        sa.Column("acquired_at", sa.Double(), nullable=False),
        sa.Column("heartbeat_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["loop_id"],
            ["loops.id"],
            name=op.f("fk_driver_leases_loop_id_loops"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("loop_id", name=op.f("pk_driver_leases")),
    )


def _create_evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("evaluator", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=16), nullable=False),
        sa.Column("tree", sa.String(length=64), nullable=False),
        sa.Column("isolation", sa.Text(), nullable=False),
        sa.Column("verdict", sa.String(length=8), nullable=False),
        sa.Column("exit", sa.Text(), nullable=False),
        sa.Column("duration_s", sa.Double(), nullable=False),
        sa.Column("log", sa.Text(), nullable=False),
        sa.Column("warnings_json", sa.Text(), nullable=False),
        sa.Column("reused_from", sa.Integer()),
        sa.CheckConstraint(
            "verdict IN ('PASS', 'FAIL', 'ERROR')", name=op.f("ck_evaluations_verdict")
        ),
        sa.ForeignKeyConstraint(
            ["loop_id"], ["loops.id"], name=op.f("fk_evaluations_loop_id_loops"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evaluations")),
    )
    op.create_index(
        "ix_evaluations_loop_id_round", "evaluations", ["loop_id", "round"], unique=False
    )
    op.create_index(
        "ix_evaluations_loop_id_tree_digest",
        "evaluations",
        ["loop_id", "tree", "digest"],
        unique=False,
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("payload_json", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["loop_id"], ["loops.id"], name=op.f("fk_events_loop_id_loops"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("loop_id", "seq", name=op.f("pk_events")),
        sqlite_with_rowid=False,
    )


def _create_rounds() -> None:
    op.create_table(
        "rounds",
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("prompted_at", sa.Double(), nullable=False),
        sa.Column("outcome", sa.String(length=16)),
        sa.Column("snapshot_json", sa.Text()),
        sa.Column("partial", sa.Boolean(), nullable=False),
        sa.Column("verdict", sa.String(length=8)),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("judged", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("closed_at", sa.Double()),
        sa.CheckConstraint(
            "outcome IN ('finished', 'failed', 'not_started', 'timed_out', "
            "'aborted', 'limited', 'interrupted')",
            name=op.f("ck_rounds_outcome"),
        ),
        sa.CheckConstraint("verdict IN ('PASS', 'FAIL', 'ERROR')", name=op.f("ck_rounds_verdict")),
        sa.ForeignKeyConstraint(
            ["loop_id"], ["loops.id"], name=op.f("fk_rounds_loop_id_loops"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("loop_id", "number", name=op.f("pk_rounds")),
    )


def _create_transitions() -> None:
    op.create_table(
        "transitions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("event", sa.String(length=32), nullable=False),
        sa.Column("from_phase", sa.String(length=16), nullable=False),
        sa.Column("to_phase", sa.String(length=16), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "from_phase IN ('coding', 'auditing', 'post_action')",
            name=op.f("ck_transitions_from_phase"),
        ),
        sa.CheckConstraint(
            "status IN ('running', 'completed', 'stopped', 'cancelled', 'errored', 'stalled')",
            name=op.f("ck_transitions_status"),
        ),
        sa.CheckConstraint(
            "to_phase IN ('coding', 'auditing', 'post_action')",
            name=op.f("ck_transitions_to_phase"),
        ),
        sa.ForeignKeyConstraint(
            ["loop_id"], ["loops.id"], name=op.f("fk_transitions_loop_id_loops"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transitions")),
    )
    op.create_index("ix_transitions_loop_id", "transitions", ["loop_id"], unique=False)


def _create_criteria() -> None:
    op.create_table(
        "criteria",
        sa.Column("evaluation_id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("verdict", sa.String(length=8), nullable=False),
        sa.Column("evidence_json", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "verdict <> 'PASS' OR evidence_json <> '[]'", name=op.f("ck_criteria_evidence")
        ),
        sa.CheckConstraint(
            "verdict IN ('PASS', 'FAIL', 'ERROR')", name=op.f("ck_criteria_verdict")
        ),
        sa.ForeignKeyConstraint(
            ["evaluation_id"],
            ["evaluations.id"],
            name=op.f("fk_criteria_evaluation_id_evaluations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("evaluation_id", "position", name=op.f("pk_criteria")),
    )


def _create_handoffs() -> None:
    op.create_table(
        "handoffs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("payload_json", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "status IN ('pending', 'applied', 'discarded')", name=op.f("ck_handoffs_status")
        ),
        sa.ForeignKeyConstraint(
            ["loop_id", "session_id"],
            ["agent_sessions.loop_id", "agent_sessions.id"],
            name=op.f("fk_handoffs_loop_id_session_id_agent_sessions"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["loop_id"], ["loops.id"], name=op.f("fk_handoffs_loop_id_loops"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_handoffs")),
    )
    op.create_index("ix_handoffs_loop_id_round", "handoffs", ["loop_id", "round"], unique=False)
    op.create_index(
        "uq_handoffs_pending",
        "handoffs",
        ["loop_id"],
        unique=True,
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )


def _create_session_usage() -> None:
    op.create_table(
        "session_usage",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger()),
        sa.Column("output_tokens", sa.BigInteger()),
        sa.Column("reasoning_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_read_tokens", sa.BigInteger(), nullable=False),
        sa.Column("cache_write_tokens", sa.BigInteger(), nullable=False),
        sa.Column("micro_usd", sa.BigInteger()),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.CheckConstraint(
            "role IN ('coder', 'auditor', 'judge', 'reflector', 'compaction', 'post_action')",
            name=op.f("ck_session_usage_role"),
        ),
        sa.CheckConstraint(
            "source IN ('agent-reported', 'priced', 'assumed', 'unknown')",
            name=op.f("ck_session_usage_source"),
        ),
        sa.ForeignKeyConstraint(
            ["loop_id", "session_id"],
            ["agent_sessions.loop_id", "agent_sessions.id"],
            name=op.f("fk_session_usage_loop_id_session_id_agent_sessions"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["loop_id"],
            ["loops.id"],
            name=op.f("fk_session_usage_loop_id_loops"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_session_usage")),
    )
    op.create_index(
        "ix_session_usage_loop_id_round", "session_usage", ["loop_id", "round"], unique=False
    )
