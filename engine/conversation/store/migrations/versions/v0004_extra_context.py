"""What the platform said of the account beside a turn: follow-ups without it are answered from it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision: str | None = "0003"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Adds the column; nothing was kept of the turns that are there."""
    op.add_column("turns", sa.Column("extra_context", _TEXT, nullable=False, server_default=""))


def downgrade() -> None:
    """Drops the column."""
    with op.batch_alter_table("turns") as table:
        table.drop_column("extra_context")
