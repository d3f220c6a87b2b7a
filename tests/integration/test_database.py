"""The database tool over a real PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from engine.planning.tools.sql.tool import Database
from tests.unit.engine.planning.tools.sql.test_readonly import ATTACKS

pytestmark = pytest.mark.backends
SLOW = "select count(*) from film a join film b on 1=1 join film c on 1=1 join film d on 1=1"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    url = os.environ.get("TEST_POSTGRES_ADDRESS", "")
    if not url:
        pytest.skip("no PostgreSQL: TEST_POSTGRES_ADDRESS is not set")
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("drop table if exists film"))
        connection.execute(text("create table film (id int primary key, title text, day date)"))
        rows = "insert into film select n, 'Film ' || n, date '2026-01-01' + n from generate_series(1, 1000) n"
        connection.execute(text(rows))
    yield url
    with engine.begin() as connection:
        connection.execute(text("drop table film"))
    engine.dispose()


@pytest.fixture
async def database(address: str) -> AsyncIterator[Database]:
    tool = Database(address, rows=5, seconds=0.3)
    yield tool
    await tool.close()


async def test_rows_come_with_their_columns(database: Database) -> None:
    result = await database.call({"query": "select title, day from film where id < 3 order by id desc"})
    assert (result.text, result.error) == ("title | day\nFilm 2 | 2026-01-03\nFilm 1 | 2026-01-02", "")
    assert "film(id INTEGER, title TEXT, day DATE)" in database.description


async def test_sums_by_month_work(database: Database) -> None:
    sql = "select date_trunc('month', day) as month, count(*) from film group by 1 order by 1 limit 2"
    assert (await database.call({"query": sql})).text.splitlines()[1].endswith("| 30")


async def test_attacks_are_refused(database: Database) -> None:
    results = {sql: await database.call({"query": sql}) for sql in ATTACKS}
    assert [sql for sql, result in results.items() if result.text or not result.error] == []
    assert (await database.call({"query": "select count(*) as n from film"})).text == "n\n1000"


async def test_a_statement_that_runs_long_is_stopped_by_the_server(database: Database) -> None:
    # The join has 10^12 rows: only a server that stopped it has none of it running when the error arrives.
    assert (await database.call({"query": SLOW})).error.endswith("did not answer within 0.3 s")
    with database._engine.connect() as connection:
        running = "select count(*) from pg_stat_activity where state = 'active' and query like '%join film d%'"
        others = f"{running} and pid <> pg_backend_pid()"
        assert connection.execute(text(others)).scalar() == 0


@pytest.mark.parametrize(
    "statement",
    [
        "insert into film values (9999, 'x', null)",
        "delete from film",
        "create table x (a int)",
        "select nextval('x')",
    ],
)
async def test_the_connection_itself_cannot_write(database: Database, statement: str) -> None:
    with database._engine.begin() as connection, pytest.raises(SQLAlchemyError):
        connection.execute(text(statement))
