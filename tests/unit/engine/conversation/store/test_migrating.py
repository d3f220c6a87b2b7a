from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, insert, inspect

from classifier.decision import Layer, QueryType
from engine.conversation.store.migrating import HEAD, STEPS, migrate
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.conversation.store.tables import turn_row, turns
from engine.domain import Outcome, Rating, Relation
from engine.errors import ConfigurationError


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Engine]:
    engine = create_engine(f"sqlite+pysqlite:///{tmp_path / 'empty.sqlite3'}")
    yield engine
    engine.dispose()


def schema(engine: Engine) -> dict[str, Any]:
    """Everything of the tables that a statement could notice, also of alembic's own."""
    found = inspect(engine)
    return {
        table: {
            "columns": [(c["name"], str(c["type"]), c["nullable"], c["default"]) for c in found.get_columns(table)],
            "key": found.get_pk_constraint(table)["constrained_columns"],
            "unique": sorted((u["name"] or "", u["column_names"]) for u in found.get_unique_constraints(table)),
            "indexes": sorted((i["name"] or "", i["column_names"]) for i in found.get_indexes(table)),
        }
        for table in found.get_table_names()
    }


def taken_to(connection: Connection, step: str, *, back: bool = False) -> None:
    """A database as an earlier version left it: an empty one led there, or a present one led back."""
    config = Config()
    config.set_main_option("script_location", str(STEPS))
    config.attributes["connection"] = connection
    (command.downgrade if back else command.upgrade)(config, step)


def version(path: Path) -> str:
    with closing(sqlite3.connect(path)) as database:
        return str(database.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_the_steps_lead_to_what_an_empty_database_gets_at_once(empty: Engine, tmp_path: Path) -> None:
    migrate(empty)
    led = create_engine(f"sqlite+pysqlite:///{tmp_path / 'led.sqlite3'}")
    with led.begin() as connection:
        taken_to(connection, "head")
    assert schema(empty) == schema(led)
    assert set(schema(empty)) == {"sessions", "turns", "ledger", "alembic_version"}
    assert version(tmp_path / "empty.sqlite3") == version(tmp_path / "led.sqlite3") == HEAD
    led.dispose()


def test_the_last_step_is_the_one_the_code_asks_for_and_there_is_one_way_there() -> None:
    config = Config()
    config.set_main_option("script_location", str(STEPS))
    steps = ScriptDirectory.from_config(config)
    assert steps.get_heads() == [HEAD]
    names = [f"v{step.revision}_" for step in steps.walk_revisions()]
    files = sorted(path.name for path in (STEPS / "versions").glob("v*.py"))
    assert len(files) == len(names)
    assert all(file.startswith(name) for file, name in zip(files, sorted(names), strict=True))


def test_a_second_time_there_is_nothing_to_do(empty: Engine) -> None:
    migrate(empty)
    before = schema(empty)
    migrate(empty)
    assert schema(empty) == before


async def test_a_database_from_before_there_were_steps_is_taken_over_with_what_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    old = create_engine(f"sqlite+pysqlite:///{path}")
    with old.begin() as connection:
        taken_to(connection, "0001")
        connection.exec_driver_sql("DROP TABLE alembic_version")
        connection.exec_driver_sql("INSERT INTO sessions VALUES ('ana', 's', 'First?', 3, 7, 1.0, 2.0)")
    old.dispose()
    store = SqlSessionStore(path)
    assert (await store.load("ana", "s", turns=5)).last_number == 7
    await store.close()
    assert version(path) == HEAD


async def test_turns_of_the_first_schema_have_neither_fingerprint_nor_a_judged_relation(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    old = create_engine(f"sqlite+pysqlite:///{path}")
    with old.begin() as connection:
        taken_to(connection, "0001")
        given = TurnRecord("t", "ana", "s", "q", "a", QueryType.RETRIEVAL, Layer.DEFAULT, Outcome.COMPLETE, 1.0)
        row = turn_row(replace(given, request_id="r"))
        newer = ("corrected_relation", "relation_confidence", "relation_reason", "extra_context", "rating")
        for name in ("fingerprint", "rating_reason", *newer):
            del row[name]
        connection.execute(insert(turns).values(row))
    old.dispose()
    store = SqlSessionStore(path)
    found = await store.find_request("ana", "r")
    assert found is not None
    assert (found.fingerprint, found.corrected_relation) == ("", None)
    assert (found.relation_confidence, found.relation_reason) == (0.0, "")
    await store.close()


async def test_what_a_turn_is_to_its_conversation_can_be_taken_back_from_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    store = SqlSessionStore(path)
    given = TurnRecord("t", "ana", "s", "q", "a", QueryType.RETRIEVAL, Layer.DEFAULT, Outcome.COMPLETE, 1.0)
    await store.append(given)
    await store.correct("ana", "t", relation=Relation.HISTORY_RECALL)
    await store.close()
    engine = create_engine(f"sqlite+pysqlite:///{path}")
    with engine.begin() as connection:
        taken_to(connection, "0002", back=True)
        assert "corrected_relation" not in {column["name"] for column in inspect(connection).get_columns("turns")}
    engine.dispose()
    store = SqlSessionStore(path)  # goes forward again; what the step back dropped is gone, the turn is not
    (turn,) = (await store.session("ana", "s")).turns
    assert (turn.query, turn.corrected_relation) == ("q", None)
    await store.close()


async def test_what_was_said_of_the_account_can_be_taken_back_from_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    store = SqlSessionStore(path)
    given = TurnRecord("t", "ana", "s", "q", "a", QueryType.PLATFORM, Layer.DEFAULT, Outcome.COMPLETE, 1.0)
    await store.append(replace(given, extra_context="calls: 7"))
    await store.close()
    engine = create_engine(f"sqlite+pysqlite:///{path}")
    with engine.begin() as connection:
        taken_to(connection, "0003", back=True)
        assert "extra_context" not in {column["name"] for column in inspect(connection).get_columns("turns")}
    engine.dispose()
    store = SqlSessionStore(path)
    (turn,) = (await store.session("ana", "s")).turns
    assert (turn.query, turn.extra_context) == ("q", "")
    await store.close()


async def test_what_people_thought_and_called_it_can_be_taken_back_from_the_schema(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    store = SqlSessionStore(path)
    given = TurnRecord("t", "ana", "s", "q", "a", QueryType.RETRIEVAL, Layer.DEFAULT, Outcome.COMPLETE, 1.0)
    await store.append(replace(given, rating=Rating.DOWN, rating_reason="no"))
    await store.rename("ana", "s", "Mine")
    await store.close()
    engine = create_engine(f"sqlite+pysqlite:///{path}")
    with engine.begin() as connection:
        taken_to(connection, "0004", back=True)
        assert "name" not in {column["name"] for column in inspect(connection).get_columns("sessions")}
    engine.dispose()
    store = SqlSessionStore(path)
    session = await store.session("ana", "s")
    assert (session.name, session.turns[0].query, session.turns[0].rating) == ("", "q", None)
    await store.close()


async def test_a_database_of_a_newer_version_says_so(tmp_path: Path) -> None:
    path = tmp_path / "sessions.sqlite3"
    await SqlSessionStore(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("UPDATE alembic_version SET version_num = '0999'")
        database.commit()
    with pytest.raises(ConfigurationError, match=r"schema 0999, of a newer version.*ENGINE_DATA_DIR or DATABASE_URL"):
        SqlSessionStore(path)
    assert version(path) == "0999"


async def test_a_step_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "sessions.sqlite3"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE ledger (something_else TEXT)")  # the step makes two tables before this one
    with pytest.raises(ConfigurationError, match="cannot be opened"):
        SqlSessionStore(path)
    with closing(sqlite3.connect(path)) as database:
        assert [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")] == ["ledger"]


OPENS = """
import asyncio, sys
from pathlib import Path
from engine.conversation.store.port import TurnRecord
from engine.conversation.store.sql import SqlSessionStore
sys.stdin.readline()
store = SqlSessionStore(Path(sys.argv[1]))
asyncio.run(store.close())
print("alembic" in sys.modules)
"""


@pytest.mark.parametrize("old", [False, True])
def test_processes_that_start_together_migrate_once(tmp_path: Path, old: bool) -> None:
    path = tmp_path / "sessions.sqlite3"
    if old:
        former = create_engine(f"sqlite+pysqlite:///{path}")
        with former.begin() as connection:
            taken_to(connection, "0001")
        former.dispose()
    opens = [sys.executable, "-c", OPENS, str(path)]
    started = [
        subprocess.Popen(opens, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    ended = [process.communicate("go\n", timeout=60) for process in started]
    assert [process.returncode for process in started] == [0, 0, 0], ended
    assert version(path) == HEAD
    # Where there are no steps to take, a start does not even load what takes them.
    assert old or [printed for printed, _ in ended] == ["False\n"] * 3
    assert subprocess.run(opens, input="go\n", capture_output=True, text=True, check=True).stdout == "False\n"
