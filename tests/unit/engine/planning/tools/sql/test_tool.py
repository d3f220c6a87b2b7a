from __future__ import annotations

import asyncio
import hashlib
import sqlite3
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import SQLAlchemyError

from engine.errors import ConfigurationError
from engine.planning.tools.sql.tool import Database
from tests.unit.engine.planning.tools.sql.test_readonly import ATTACKS

#: Joined with itself under a condition that always holds, it runs for minutes.
SLOW = "select count(*) from film a join film b on 1=1 join film c on 1=1 join film d on 1=1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "films.db"
    with sqlite3.connect(file) as connection:
        connection.execute("create table film (id integer primary key, title text, year int, cover blob)")
        connection.execute("create table rating (film_id int, score real)")
        connection.execute("create view best as select * from rating where score > 8")
        films = [(n, f"Film {n}", 1990 + n % 30, b"x" * 10) for n in range(1, 1001)]
        connection.executemany("insert into film values (?, ?, ?, ?)", films)
        connection.executemany("insert into rating values (?, ?)", [(1, 8.5), (2, 6.1), (3, None)])
    connection.close()
    return file


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    tool = Database(f"sqlite:///{path}", rows=5, seconds=0.2)
    yield tool
    await tool.close()


def state(path: Path) -> tuple[str, list[str]]:
    """The file's content, and what lies beside it."""
    return hashlib.sha256(path.read_bytes()).hexdigest(), sorted(file.name for file in path.parent.iterdir())


async def ask(database: Database, sql: str) -> str:
    result = await database.call({"query": sql})
    assert result.error == ""
    return result.text


async def test_rows_come_with_their_columns(database: Database) -> None:
    assert await ask(database, "select title, year from film where id < 3 order by id") == (
        "title | year\nFilm 1 | 1991\nFilm 2 | 1992"
    )


async def test_joins_views_and_sums_work(database: Database) -> None:
    assert "Film 1 | 8.5" in await ask(database, "select title, score from film join best on film_id = id")
    assert (await ask(database, "select count(*) as n from film")).splitlines()[1] == "1000"


async def test_no_rows_and_no_values_are_said(database: Database) -> None:
    assert (await ask(database, "select title from film where id = 0")).endswith("(no rows)")
    assert (await ask(database, "select score from rating where film_id = 3")).endswith("None")


async def test_more_rows_than_are_shown_are_said(database: Database) -> None:
    lines = (await ask(database, "select title from film order by id")).splitlines()
    assert lines[1:] == ["Film 1", "Film 2", "Film 3", "Film 4", "Film 5", "(more rows; the first 5 are shown)"]


async def test_values_are_shown_in_one_line_and_bytes_by_their_number(database: Database) -> None:
    assert (await ask(database, "select cover from film where id = 1")).endswith("(10 bytes)")
    assert "colon: here" in await ask(database, "select 'colon: here' as x from film where title <> 'a:b' limit 1")


def test_the_planner_is_told_of_tables_and_views(path: Path) -> None:
    description = Database(f"sqlite:///{path}").description
    assert "film(id INTEGER, title TEXT, year INTEGER, cover BLOB)" in description
    assert "best(" in description


async def test_attacks_are_refused_and_change_nothing(database: Database, path: Path) -> None:
    before = state(path)
    results = {sql: await database.call({"query": sql}) for sql in ATTACKS}
    assert [sql for sql, result in results.items() if result.text or not result.error] == []
    assert state(path) == before


async def test_a_statement_that_runs_long_is_stopped_by_the_database(database: Database) -> None:
    started = time.perf_counter()
    result = await database.call({"query": SLOW})
    assert time.perf_counter() - started < 10
    assert result.error == "the database refused the statement or did not answer within 0.2 s"


async def test_a_caller_who_leaves_stops_the_statement(path: Path) -> None:
    tool = Database(f"sqlite:///{path}", seconds=30)
    task = asyncio.create_task(tool.call({"query": SLOW}))
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # The thread is free again: the next statement does not wait for the first.
    assert await ask(tool, "select 1 as one") == "one\n1"
    await tool.close()


@pytest.mark.parametrize(
    "statement",
    [
        "insert into film values (9999, 'x', 1, null)",
        "delete from film",
        "create table x (a int)",
        "pragma query_only = off",
        "attach ':memory:' as other",
        "select load_extension('x')",
    ],
)
async def test_the_connection_itself_cannot_write(database: Database, statement: str) -> None:
    with database._engine.begin() as connection, pytest.raises(SQLAlchemyError):
        connection.execute(text(statement))


@pytest.mark.parametrize(
    "url", ["sqlite:////no/such/file.db", "sqlite://", "mysql://h/x", "nonsense", "postgresql+psycopg://127.0.0.1:1/x"]
)
def test_a_database_that_cannot_be_read_is_refused_at_start(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"^ENGINE_TOOLS_DATABASE_URL: .*sqlite:///path/to/file\.db"):
        Database(url, seconds=1)


def test_an_address_with_a_password_is_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as error:
        Database("postgresql+psycopg://user:canary@127.0.0.1:1/x", seconds=1)
    assert "canary" not in str(error.value)


async def test_closing_twice_is_fine(database: Database) -> None:
    await database.close()
    await database.close()
