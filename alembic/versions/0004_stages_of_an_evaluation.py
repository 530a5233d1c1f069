"""What an evaluation was run for, and what was written to while it judged."""

import sqlalchemy as sa

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("evaluations") as evaluations:
        evaluations.add_column(sa.Column("stage", sa.String(length=16)))
        evaluations.add_column(sa.Column("moved_json", sa.Text()))


def downgrade() -> None:
    with op.batch_alter_table("evaluations") as evaluations:
        evaluations.drop_column("moved_json")
        evaluations.drop_column("stage")
