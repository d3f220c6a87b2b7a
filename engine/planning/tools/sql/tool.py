"""A database that may be read: one SELECT at a time, few rows, little time, over a connection that cannot write.

Three walls stand one behind the other: the statement is parsed and written anew (`readonly_sql`); the connection
refuses to write (SQLite: `mode=ro`, `query_only` and an authorizer; PostgreSQL: read-only transactions); and the
database stops by itself when the time is over.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, Row, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from engine.errors import ConfigurationError
from engine.planning.tools.port import QueryTool, ToolResult, limited
from engine.planning.tools.sql.readonly import RefusedSql, checked

VARIABLE = "ENGINE_TOOLS_DATABASE_URL"
_DIALECTS = {"sqlite": "sqlite", "postgresql": "postgres"}
#: SQLite's virtual machine looks at the clock each time it has done so many steps, some tenths of a millisecond.
_STEPS = 2_000
#: What SQLite may do while it runs a statement; everything else is denied.
_SQLITE_MAY = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
#: Bytes of one value, and characters of one that is shown.
_MAX_VALUE = 1_000_000
_SHOWN_VALUE = 500
#: Tables, and columns of one, that the planner is told about.
_TABLES, _COLUMNS = 40, 40


class Database(QueryTool):
    """Answers read-only SQL. Fulfils `Tool`.

    The schema is read when it is built, because the planner needs it and a wrong address should show at start.

    Args:
        url: As SQLAlchemy writes it: `sqlite:///file.db` or `postgresql+psycopg://...`.
        rows: The most that one result has.
        seconds: The time that one statement may take.

    Raises:
        ConfigurationError: The database cannot be read; the message names the variable.
    """

    name = "database"

    def __init__(self, url: str, *, rows: int = 50, seconds: float = 5.0) -> None:
        self.seconds = seconds + 1.0  # the database's own limit comes first
        self._rows = rows
        self._limit = seconds
        try:
            backend = make_url(url).get_backend_name()
            self._dialect = _DIALECTS[backend]
            self._engine = _sqlite(url, seconds) if backend == "sqlite" else _postgres(url, seconds)
            tables = _tables(self._engine)
        except (SQLAlchemyError, KeyError, OSError, sqlite3.Error, ImportError):
            raise ConfigurationError(
                f"{VARIABLE}: this database cannot be read; give sqlite:///path/to/file.db of an existing file, or "
                "postgresql+psycopg://user:password@host/name of a server that answers"
            ) from None
        self._names = frozenset(name.lower() for name in tables)
        self._described = "; ".join(f"{name}({', '.join(columns)})" for name, columns in tables.items())

    @property
    def description(self) -> str:
        """See `Tool.description`: with the tables and their columns."""
        return f"A read-only {self._dialect} database. Query: one SELECT statement over these tables: {self._described}"

    async def answer(self, query: str) -> ToolResult:
        """A header line and a line for each row, values separated by ` | `."""
        stop = _Stop()
        try:
            # Only names that parse take the time of a thread: the check itself takes a millisecond or two.
            sql = await asyncio.to_thread(checked, query, self._dialect, self._names, self._rows + 1)
            columns, rows = await asyncio.to_thread(self._run, sql, stop)
        except RefusedSql as problem:
            return ToolResult(error=f"the statement was refused: {problem}")
        except SQLAlchemyError:
            return ToolResult(error=f"the database refused the statement or did not answer within {self._limit:g} s")
        except asyncio.CancelledError:
            stop()
            raise
        return ToolResult(text=self._table(columns, rows))

    async def close(self) -> None:
        """See `Tool.close`."""
        await asyncio.to_thread(self._engine.dispose)

    def _run(self, sql: str, stop: _Stop) -> tuple[list[str], Sequence[Row[Any]]]:
        with self._engine.connect() as connection:
            stop.watch(connection)
            result = connection.execute(text(sql.replace(":", r"\:")))
            return list(result.keys()), result.fetchmany(self._rows + 1)

    def _table(self, columns: list[str], rows: Sequence[Row[Any]]) -> str:
        lines = [" | ".join(columns), *(" | ".join(_value(value) for value in row) for row in rows[: self._rows])]
        if not rows:
            lines.append("(no rows)")
        if len(rows) > self._rows:
            lines.append(f"(more rows; the first {self._rows} are shown)")
        return limited("\n".join(lines))


class _Stop:
    """Interrupts a statement that runs in another thread, when its caller has gone."""

    def __init__(self) -> None:
        self._interrupt: Callable[[], None] | None = None
        self._asked = False

    def watch(self, connection: Connection) -> None:
        """Stops `connection` when it is called, at once if it has been."""
        driver: Any = connection.connection.driver_connection
        self._interrupt = driver.interrupt if isinstance(driver, sqlite3.Connection) else driver.cancel
        if self._asked:
            self._interrupt()

    def __call__(self) -> None:
        """Interrupts."""
        self._asked = True
        if self._interrupt:
            self._interrupt()


def _sqlite(url: str, seconds: float) -> Engine:
    path = Path(make_url(url).database or "")
    if not path.is_file():
        raise OSError("no such file")

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True, check_same_thread=False)
        connection.execute("PRAGMA query_only = ON")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE)
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @event.listens_for(engine, "before_cursor_execute")
    def _guard(connection: Connection, _cursor: Any, statement: str, *_others: Any) -> None:
        driver: Any = connection.connection.driver_connection
        ends = time.monotonic() + seconds
        driver.set_progress_handler(lambda: time.monotonic() > ends, _STEPS)
        if not statement.startswith("PRAGMA"):  # which only the reading of the schema asks
            driver.set_authorizer(_authorize)

    return engine


def _authorize(action: int, first: str | None, *_others: object) -> int:
    allowed = action in _SQLITE_MAY and not (action == sqlite3.SQLITE_FUNCTION and first == "load_extension")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _postgres(url: str, seconds: float) -> Engine:
    options = f"-c default_transaction_read_only=on -c statement_timeout={int(seconds * 1000)}"
    arguments = {"options": options, "connect_timeout": max(2, int(seconds))}
    return create_engine(url, connect_args=arguments, pool_size=2, pool_pre_ping=True)


def _tables(engine: Engine) -> dict[str, list[str]]:
    """Columns with their types, by table and view."""
    found = inspect(engine)
    names = sorted([*found.get_table_names(), *found.get_view_names()])[:_TABLES]
    return {
        name: [f"{column['name']} {column['type']}" for column in found.get_columns(name)[:_COLUMNS]] for name in names
    }


def _value(value: object) -> str:
    if isinstance(value, bytes | memoryview):
        return f"({len(bytes(value))} bytes)"
    return limited(str(value).replace("\n", " "), _SHOWN_VALUE)
