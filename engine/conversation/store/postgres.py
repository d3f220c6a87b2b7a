"""PostgreSQL: sessions of several engines, and the locks that keep a session's turns in order among them.

Sized for many engines on one server: each has `pool_size` connections for its transactions and one for its locks. A
lock is an advisory one of that connection, so the server frees it when the engine's process ends or is cut off. A pool
between engine and server has to keep one server connection for one of ours (PgBouncer: session mode).

Source: PostgreSQL's documentation, "Explicit Locking" (advisory locks) and libpq's "Parameter Key Words".
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError

from engine.conversation.store.database import Database
from engine.conversation.store.migrating import migrate
from engine.errors import DependencyUnavailable

#: Advisory locks are on numbers that all applications of a database share: migrations of this one are on this number.
_MIGRATION = 5_177_403_881_216_093
#: Connections are given up after so many seconds: what is between engine and server forgets idle ones sooner or later.
_RECYCLE_SECONDS = 1800
#: The server ends a connection whose engine is gone, and frees its locks, after so many silent seconds.
_SILENCE_SECONDS = 15
#: The part of a budget after which the server ends a statement.
_SERVER_SHARE = 0.8
#: First the place in line, then the lock, then out of the line; 2: it is held, 1: next in line, 0: neither.
_FROM_OUTSIDE = text(
    "SELECT CASE WHEN pg_try_advisory_lock(:line) THEN CASE WHEN pg_try_advisory_lock(:lock) "
    "THEN CASE WHEN pg_advisory_unlock(:line) THEN 2 END ELSE 1 END ELSE 0 END"
)
_FROM_LINE = text(
    "SELECT CASE WHEN pg_try_advisory_lock(:lock) THEN CASE WHEN pg_advisory_unlock(:line) THEN 2 END ELSE 1 END"
)
_UNLOCK = text("SELECT pg_advisory_unlock(:lock)")
_NEXT, _INSIDE = 1, 2


@dataclass(frozen=True, slots=True)
class PostgresPlace:
    """Where PostgreSQL is.

    Attributes:
        url: `postgresql+psycopg://user:password@host:port/database`, with libpq's parameters behind `?`, such as
            `sslmode=verify-full&sslrootcert=/path`.
        pool_size: Connections for transactions, at least 2.
        budget: Seconds that one call may take.
    """

    url: str = field(repr=False)
    pool_size: int = 8
    budget: float = 5.0


def open_postgres(place: PostgresPlace) -> Database:
    """The database at `place`. Nothing is asked of it yet, so it may come later, or go and come again."""
    engine = create_engine(
        place.url,
        pool_size=place.pool_size,
        max_overflow=0,
        pool_timeout=place.budget,
        pool_pre_ping=True,
        pool_recycle=_RECYCLE_SECONDS,
        connect_args=_arguments(place.budget),
    )
    # Reads of one transaction see one state; writes lock the rows they change.
    reading = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    # The locks' connection is none of the pool's: a pool that is busy keeps no session waiting.
    locks = AdvisoryLocks(
        lambda: create_engine(place.url, pool_size=1, max_overflow=0, connect_args=_arguments(place.budget)),
        place.budget,
    )
    writers = max(place.pool_size // 2, 1)
    return Database(
        engine,
        lambda *, write: (engine if write else reading).connect(),
        _migrate,
        _problem,
        locks,
        locks.close,
        readers=max(place.pool_size - writers, 1),
        writers=writers,
        batch=1,  # the server gathers commits of several connections by itself
        budget=place.budget,
    )


class AdvisoryLocks:
    """Advisory locks of one connection. Fulfils `SharedLocks`.

    A lock is on its number, a place in line on the one behind it. All calls go through one thread, in order. When the
    connection breaks the server frees what it held: answers that are being made end without their lock, and the store
    still gives each turn a sequence and each passage a number of its own.

    Args:
        connect: Makes the engine of the one connection.
        budget: Seconds that one call may take.
    """

    def __init__(self, connect: Callable[[], Engine], budget: float) -> None:
        self._engine = connect()
        self._budget = budget
        self._connection: Connection | None = None
        self._held: dict[int, int] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="sessions-lock")
        self._closed = False

    async def enter(self, number: int) -> bool:
        """See `SharedLocks.enter`."""
        asked = asyncio.get_running_loop().run_in_executor(self._thread, self._enter, number)
        try:
            async with asyncio.timeout(self._budget):
                return await asked
        except TimeoutError:
            raise DependencyUnavailable("database", f"no answer within {self._budget:g} s") from None

    def leave(self, number: int) -> None:
        """See `SharedLocks.leave`: behind an `enter` that is still going on, as both go through one thread."""
        if not self._closed:
            self._thread.submit(self._leave, number)

    def close(self) -> None:
        """Frees everything. Idempotent."""
        if not self._closed:
            self._closed = True
            self._thread.submit(self._drop)
            self._thread.shutdown()
            self._engine.dispose()

    def _enter(self, number: int) -> bool:
        try:
            return self._advance(number)
        except SQLAlchemyError:  # the server may have been started anew since the last call
            self._drop()
        try:
            return self._advance(number)
        except SQLAlchemyError as error:
            self._drop()
            raise DependencyUnavailable("database", _problem(error)) from error

    def _advance(self, number: int) -> bool:
        statement = _FROM_LINE if self._held.get(number) == _NEXT else _FROM_OUTSIDE
        place = self._execute(statement, {"lock": number, "line": number + 1})
        if place:
            self._held[number] = place
        return bool(place == _INSIDE)

    def _leave(self, number: int) -> None:
        place = self._held.pop(number, 0)
        if place:
            try:
                self._execute(_UNLOCK, {"lock": number if place == _INSIDE else number + 1})
            except SQLAlchemyError:  # a connection that is gone holds nothing
                self._drop()

    def _execute(self, statement: Any, values: dict[str, int]) -> Any:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        return self._connection.execute(statement, values).scalar_one()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        self._held.clear()
        if connection is not None:
            connection.invalidate()
            connection.close()


def _arguments(budget: float) -> dict[str, Any]:
    """Parameters of libpq: nothing waits longer than the budget, whatever happens on the way to the server."""
    milliseconds = math.ceil(budget * 1000)
    # The server gives up first: then it is certain that nothing was stored.
    server = math.ceil(milliseconds * _SERVER_SHARE)
    limits = {
        "statement_timeout": server,
        "lock_timeout": server,
        "idle_in_transaction_session_timeout": 2 * milliseconds,
        "tcp_keepalives_idle": _SILENCE_SECONDS // 3,
        "tcp_keepalives_interval": _SILENCE_SECONDS // 3,
        "tcp_keepalives_count": 2,
    }
    return {
        "connect_timeout": math.ceil(budget),
        "tcp_user_timeout": milliseconds,
        "keepalives_idle": _SILENCE_SECONDS,
        "application_name": "assistance-engine",
        "options": " ".join(f"-c {name}={value}" for name, value in limits.items()),
    }


def _migrate(engine: Engine) -> None:
    """Migrates under a lock, so that engines that start together do it once."""
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATION})
        migrate(connection)


def _problem(error: SQLAlchemyError) -> str:
    if isinstance(error, IntegrityError) or not isinstance(error, DBAPIError):
        return f"it refuses ({type(error).__name__})"
    state = getattr(error.orig, "sqlstate", None)
    if state is None or state.startswith(("08", "57P")):
        return (
            f"it cannot be reached ({type(error.orig).__name__}); see that PostgreSQL runs and that DATABASE_URL has "
            "the right host, port, user, password and database"
        )
    if state == "53100":
        return "its disk is full; free some of it on PostgreSQL's machine"
    if state == "42501":
        return "the user of DATABASE_URL may not make or change tables; grant it CREATE on the schema"
    return f"it refuses (SQLSTATE {state})"
