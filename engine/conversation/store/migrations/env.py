"""Run by alembic: migrates over the connection that `engine.conversation.store.migrating` hands over."""

from __future__ import annotations

from alembic import context

from engine.conversation.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,  # SQLite changes a table by copying it
)
context.run_migrations()
