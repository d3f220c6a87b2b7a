"""A fingerprint of what was asked beside the caller's request id."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision: str | None = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Adds the column; it is empty for the turns that are there."""
    kind = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")
    op.add_column("turns", sa.Column("fingerprint", kind, nullable=False, server_default=""))


def downgrade() -> None:
    """Drops the column."""
    with op.batch_alter_table("turns") as table:
        table.drop_column("fingerprint")
