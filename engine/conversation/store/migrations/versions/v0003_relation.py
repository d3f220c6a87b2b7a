"""What a person said a turn's relation should have been, and how sure the engine was of its own."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision: str | None = "0002"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Adds the columns; the turns that are there were corrected by nobody."""
    op.add_column("turns", sa.Column("corrected_relation", _TEXT, nullable=True))
    op.add_column("turns", sa.Column("relation_confidence", sa.Float(), nullable=False, server_default="0"))
    op.add_column("turns", sa.Column("relation_reason", _TEXT, nullable=False, server_default=""))


def downgrade() -> None:
    """Drops the columns."""
    with op.batch_alter_table("turns") as table:
        for column in ("corrected_relation", "relation_confidence", "relation_reason"):
            table.drop_column(column)
