"""What a person thinks of a turn's answer, and what a person calls a session."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision: str | None = "0004"
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Adds the columns; nobody has rated or named what is there."""
    op.add_column("turns", sa.Column("rating", _TEXT, nullable=True))
    op.add_column("turns", sa.Column("rating_reason", _TEXT, nullable=False, server_default=""))
    op.add_column("sessions", sa.Column("name", _TEXT, nullable=False, server_default=""))


def downgrade() -> None:
    """Drops the columns."""
    for table, names in (("turns", ("rating", "rating_reason")), ("sessions", ("name",))):
        with op.batch_alter_table(table) as changed:
            for name in names:
                changed.drop_column(name)
