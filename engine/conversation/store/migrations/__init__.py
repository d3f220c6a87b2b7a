"""The schema of the session store, step by step: `versions` holds the steps, `env` runs them for alembic."""
