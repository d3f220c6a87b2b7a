"""Brings the schema of the session store up to date, over a connection that holds the database's lock.

alembic is imported only where there are steps to take: that takes longer than all the rest of opening a store.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Column, Connection, Engine, MetaData, PrimaryKeyConstraint, String, Table, insert, inspect, text

from engine.conversation.store.tables import metadata
from engine.errors import ConfigurationError

#: The number of the last step. A test compares it with the steps.
HEAD = "0005"
#: What a database made before there were steps looks like.
_FIRST = "0001"
_VERSION = "alembic_version"
STEPS = Path(__file__).parent / "migrations"
#: alembic's own table, as it makes it.
_versions = Table(
    _VERSION,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name=f"{_VERSION}_pkc"),
)


def migrate(database: Connection | Engine) -> None:
    """Takes every step that the database has not taken; all of them, or none when one fails.

    An empty database gets the tables at once as they are after the last step, in a fifth of the time.

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
    if not tables:
        for made in (metadata, _versions.metadata):
            made.create_all(database, checkfirst=False)
        database.execute(insert(_versions).values(version_num=HEAD))
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
