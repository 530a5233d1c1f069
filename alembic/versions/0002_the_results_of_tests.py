"""The results of tests, and how far a run was hardened."""

import sqlalchemy as sa

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("rounds") as rounds:
        rounds.add_column(sa.Column("tests_passed", sa.Integer()))
        rounds.add_column(sa.Column("tests_total", sa.Integer()))
    with op.batch_alter_table("evaluations") as evaluations:
        evaluations.add_column(sa.Column("suite_json", sa.Text()))
        evaluations.add_column(sa.Column("hardening", sa.String(length=32)))
        evaluations.add_column(sa.Column("provisional", sa.Boolean()))


def downgrade() -> None:
    with op.batch_alter_table("evaluations") as evaluations:
        for column in ("provisional", "hardening", "suite_json"):
            evaluations.drop_column(column)
    with op.batch_alter_table("rounds") as rounds:
        for column in ("tests_total", "tests_passed"):
            rounds.drop_column(column)
