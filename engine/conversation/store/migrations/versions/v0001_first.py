"""The tables of the first release: sessions, turns, ledger."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision: str | None = None
branch_labels = None
depends_on = None

_TEXT = sa.Text().with_variant(postgresql.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Makes the tables."""
    _sessions()
    _turns()
    _ledger()


def downgrade() -> None:
    """Drops the tables, and all that is remembered with them."""
    for table in ("ledger", "turns", "sessions"):
        op.drop_table(table)


def _columns(kind: sa.types.TypeEngine[str] | type, *names: str, null: bool = False) -> list[sa.Column[object]]:
    return [sa.Column(name, kind, nullable=null) for name in names]


def _sessions() -> None:
    op.create_table(
        "sessions",
        *_columns(_TEXT, "principal", "session_id", "first_query"),
        *_columns(sa.Integer, "turns", "last_number"),
        *_columns(sa.Float, "created_at", "updated_at"),
        sa.PrimaryKeyConstraint("principal", "session_id"),
    )
    op.create_index("sessions_by_use", "sessions", ["principal", "updated_at", "session_id"])


def _turns() -> None:
    op.create_table(
        "turns",
        *_columns(_TEXT, "principal", "session_id"),
        *_columns(sa.Integer, "sequence"),
        *_columns(_TEXT, "turn_id"),
        *_columns(_TEXT, "request_id", null=True),
        *_columns(_TEXT, "query", "answer", "type", "layer"),
        *_columns(sa.Float, "confidence"),
        *_columns(_TEXT, "runner_up", null=True),
        *_columns(sa.Float, "runner_up_confidence"),
        *_columns(_TEXT, "reason"),
        *_columns(sa.Boolean, "editor"),
        *_columns(_TEXT, "artifact_id"),
        *_columns(_TEXT, "relation", null=True),
        *_columns(_TEXT, "action", "plan_mode", "search_query"),
        *_columns(sa.Integer, "searches"),
        *_columns(_TEXT, "model", "outcome"),
        *_columns(sa.JSON, "shown", "cited"),
        *_columns(sa.Integer, "prompt_tokens", "completion_tokens"),
        *_columns(sa.JSON, "timings"),
        *_columns(sa.Float, "created_at"),
        *_columns(_TEXT, "corrected_type", null=True),
        sa.PrimaryKeyConstraint("principal", "session_id", "sequence"),
        sa.UniqueConstraint("turn_id"),
        sa.UniqueConstraint("principal", "request_id", name="one_turn_a_request"),
    )


def _ledger() -> None:
    op.create_table(
        "ledger",
        *_columns(_TEXT, "principal", "session_id"),
        *_columns(sa.Integer, "number"),
        *_columns(_TEXT, "passage_id", "document", "title", "heading", "text"),
        *_columns(sa.Float, "score"),
        *_columns(_TEXT, "origin"),
        sa.PrimaryKeyConstraint("principal", "session_id", "number"),
        sa.UniqueConstraint("principal", "session_id", "passage_id", name="one_number_a_passage"),
    )
