"""Brings the schema of the session store up to date, over a connection that holds the database's lock.

alembic is imported only when there is something to do: that takes longer than all the rest of opening a store.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from engine.errors import ConfigurationError

#: The number of the last step. A test compares it with the steps.
HEAD = "0005"
#: What a database made before there were steps looks like.
_FIRST = "0001"
_VERSION = "alembic_version"
STEPS = Path(__file__).parent / "migrations"


def migrate(database: Connection | Engine) -> None:
    """Takes every step that the database has not taken; all of them, or none when one fails.

    Args:
        database: An engine whose transactions write, one at a time; or a connection in such a transaction.

    Raises:
        ConfigurationError: A newer version of the engine has taken steps that are not known here.
    """
    if isinstance(database, Engine):
        with database.begin() as connection:
            migrate(connection)
        return
    tables = set(inspect(database).get_table_names())
    version = database.execute(text(f"SELECT version_num FROM {_VERSION}")).scalar() if _VERSION in tables else None  # noqa: S608
    if version == HEAD:
        return
    if version is not None and version > HEAD:
        raise ConfigurationError(
            f"the session store has schema {version}, of a newer version of the engine; this one knows up to {HEAD}. "
            "Run the newer version, or name another store with ENGINE_DATA_DIR or DATABASE_URL"
        )
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(STEPS).replace("%", "%%"))
    config.attributes["connection"] = database
    if version is None and "sessions" in tables:
        command.stamp(config, _FIRST)
    command.upgrade(config, "head")
