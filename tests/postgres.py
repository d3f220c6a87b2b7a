"""Databases of a real PostgreSQL, one a test, so that tests see nothing of each other."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import sql


def address() -> str:
    """The server that `make test-backends` started; the test is skipped where there is none."""
    found = os.environ.get("TEST_POSTGRES_ADDRESS", "")
    if not found:
        pytest.skip("no PostgreSQL: TEST_POSTGRES_ADDRESS is not set")
    return found


def plain(url: str) -> str:
    """The address as libpq takes it."""
    return url.replace("postgresql+psycopg://", "postgresql://", 1)


@contextmanager
def new_database(server: str) -> Iterator[str]:
    """The address of an empty database, dropped at the end with whoever is still connected."""
    name = f"test_{uuid.uuid4().hex[:12]}"
    identifier = sql.Identifier(name)
    with psycopg.connect(plain(server), autocommit=True) as connection:
        # Not the server's own order: what the store promises about order is to hold whatever a database compares by.
        connection.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0 LC_COLLATE 'C.UTF-8'").format(identifier))
        try:
            yield f"{server.rpartition('/')[0]}/{name}"
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(identifier))
