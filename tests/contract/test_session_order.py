"""Turns of one session run one at a time and in order, in one process and in several that share a store."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.conversation.store.port import StoredSession
from engine.conversation.store.postgres import PostgresPlace
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome
from tests.sizes import sized

ROOT = Path(__file__).resolve().parents[2]
#: Sessions of eight turns each.
ROUNDS = sized(12, 100)
TURNS = 8


class Asker:
    """A process that answers turns over the store at `place`."""

    def __init__(self, place: str, name: str, book: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.turn_process", place, name, str(book)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self.said() == "ready"

    def ask(self, session: str, count: int | str, wait: float = 60) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{session} {count} {wait}\n")
        self.process.stdin.flush()

    def said(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


Start = Callable[[str], Asker]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.backends)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that processes share."""
    if request.param == "postgres":
        return str(request.getfixturevalue("postgres"))
    return str(tmp_path / "sessions.sqlite3")


@pytest.fixture
def start(place: str, tmp_path: Path) -> Iterator[Start]:
    """Starts processes that end with the test."""
    running: list[Asker] = []

    def run(name: str) -> Asker:
        running.append(Asker(place, name, tmp_path / "book"))
        return running[-1]

    yield run
    for one in running:
        one.end()


async def stored(place: str, session: str) -> StoredSession:
    store = SqlSessionStore(PostgresPlace(place, 2) if "://" in place else Path(place))
    found = await store.session("ana", session)
    await store.close()
    return found


def check(session: StoredSession, book: list[str]) -> None:
    """All messages, in the order in which they were made, and every passage under one number."""
    assert [turn.sequence for turn in session.turns] == list(range(1, TURNS + 1))
    assert all(turn.query and turn.answer and turn.outcome is Outcome.COMPLETE for turn in session.turns)
    assert book == [f"{word} {turn.query}" for turn in session.turns for word in ("begin", "end")]
    assert sorted(session.evidence) == list(range(1, len(session.evidence) + 1))
    passages = [evidence.passage.id for evidence in session.evidence.values()]
    assert len(set(passages)) == len(passages)
    for turn in session.turns:
        assert {f"[{place}]" for place in range(1, len(turn.cited) + 1)} == set(re.findall(r"\[\d\]", turn.answer))
        assert "common" in {session.evidence[number].passage.id for number in turn.cited}


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.timeout(600)
async def test_eight_turns_at_once_are_sixteen_messages_in_order(
    processes: int, place: str, start: Start, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    askers = [start("abc"[number]) for number in range(processes)]
    seen = 0
    for round_ in range(ROUNDS):
        for asker in askers:
            asker.ask(f"s{round_}", TURNS // processes)
        for asker in askers:
            assert asker.said().split("\t") == ["done", *["COMPLETE"] * (TURNS // processes)]
        book = (tmp_path / "book").read_text("utf-8").splitlines()
        check(await stored(place, f"s{round_}"), book[seen:])
        seen = len(book)
    record_property("figure", f"{ROUNDS} x {2 * TURNS} messages in order, {processes} process(es)")


async def test_a_killed_process_frees_its_session(place: str, start: Start) -> None:
    one, two = start("a"), start("b")
    one.ask("s", "hang")
    assert one.said() == "hanging"
    two.ask("s", 1, wait=0.3)
    assert "SessionBusy" in two.said()
    two.ask("other", 1)
    assert two.said() == "done\tCOMPLETE"
    two.ask("s", 1)
    one.end()
    killed = time.monotonic()
    assert two.said() == "done\tCOMPLETE"
    assert time.monotonic() - killed < 5
    assert [turn.sequence for turn in (await stored(place, "s")).turns] == [1]
