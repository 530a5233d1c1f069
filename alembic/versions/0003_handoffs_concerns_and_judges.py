"""Written handoffs, concerns, what stands behind a judge's report, and two more ends of a turn."""

import sqlalchemy as sa

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

OUTCOMES = ("finished", "failed", "not_started", "timed_out", "aborted", "limited", "interrupted")


def _one_of(column: str, values: tuple[str, ...]) -> sa.CheckConstraint:
    allowed = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({allowed})", name=column)


def _allow_outcomes(outcomes: tuple[str, ...]) -> None:
    allowed = ", ".join(f"'{outcome}'" for outcome in outcomes)
    with op.batch_alter_table("rounds") as rounds:
        rounds.drop_constraint(op.f("ck_rounds_outcome"), type_="check")
        rounds.create_check_constraint(op.f("ck_rounds_outcome"), f"outcome IN ({allowed})")


def upgrade() -> None:
    with op.batch_alter_table("handoffs") as handoffs:
        handoffs.add_column(sa.Column("role", sa.String(length=16)))
        handoffs.add_column(sa.Column("phase", sa.String(length=16)))
        handoffs.add_column(sa.Column("resolved_at", sa.Double()))
    with op.batch_alter_table("evaluations") as evaluations:
        evaluations.add_column(sa.Column("judged_json", sa.Text()))
    with op.batch_alter_table("session_usage") as session_usage:
        session_usage.add_column(sa.Column("requests", sa.Integer()))
    op.create_table(
        "concerns",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("loop_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("source", sa.String(length=16), nullable=False),
        sa.Column("severity", sa.String(length=16), nullable=False),
        sa.Column("policy", sa.String(length=16), nullable=False),
        sa.Column("concern", sa.Text(), nullable=False),
        _one_of("source", ("agent", "heuristic")),
        _one_of("severity", ("low", "medium", "high")),
        _one_of("policy", ("stop", "notify-continue", "ignore")),
        sa.ForeignKeyConstraint(
            ["loop_id"], ["loops.id"], name="fk_concerns_loop_id_loops", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_concerns"),
    )
    op.create_index("ix_concerns_loop_id", "concerns", ["loop_id"])
    op.create_index(
        "ix_session_usage_loop_id_session_id", "session_usage", ["loop_id", "session_id"]
    )
    _allow_outcomes((*OUTCOMES[:-1], "unavailable", "capped", "interrupted"))


def downgrade() -> None:
    # An older program knows neither outcome: what comes nearest is what it reads.
    op.execute("UPDATE rounds SET outcome = 'failed' WHERE outcome = 'unavailable'")
    op.execute("UPDATE rounds SET outcome = 'aborted' WHERE outcome = 'capped'")
    _allow_outcomes(OUTCOMES)
    op.drop_index("ix_session_usage_loop_id_session_id", "session_usage")
    op.drop_table("concerns")
    with op.batch_alter_table("session_usage") as session_usage:
        session_usage.drop_column("requests")
    with op.batch_alter_table("evaluations") as evaluations:
        evaluations.drop_column("judged_json")
    with op.batch_alter_table("handoffs") as handoffs:
        for column in ("resolved_at", "phase", "role"):
            handoffs.drop_column(column)
