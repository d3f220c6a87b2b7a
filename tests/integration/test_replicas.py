"""Several engines that share Elasticsearch, Ollama, PostgreSQL and a data folder, as behind a balancer."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import signal
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from classifier.linear.artifact import read_artifact, write_artifact
from engine.bootstrap import CLASSIFIER_DATA
from engine.client import AssistanceClient
from engine.errors import EngineError
from engine.v1 import engine_pb2 as pb
from tests.conftest import Service

pytestmark = pytest.mark.backends

#: The main model says a few words; the light one hardly ever stops.
MAIN, LIGHT = "tiny-qwen3-canned", "tiny-qwen3-noeos"
QUESTIONS = (
    "What is addVar in AVAP?",
    "How does startLoop count?",
    "What does addResult do?",
    "What does addVar do in a startLoop?",
)


@dataclass(frozen=True)
class Replicas:
    """Engines on one database, one index and one data folder."""

    data: Path
    start: Callable[[], Service]
    first: Service
    second: Service


@pytest.fixture(scope="module")
def replicas(production: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replicas]:
    folder = tmp_path_factory.mktemp("replicas")
    data = folder / "data"
    data.mkdir()
    shutil.copy(CLASSIFIER_DATA / "classifier_model.npz", data)
    running: list[Service] = []

    def start() -> Service:
        running.append(
            Service(
                data,
                folder / f"log-{len(running)}",
                OLLAMA_MODEL_NAME=MAIN,
                OLLAMA_MODEL_NAME_CONVERSATIONAL=LIGHT,
                OLLAMA_NUM_PREDICT="2000",
                **production,
            )
        )
        return running[-1]

    try:
        yield Replicas(data, start, start(), start())
    finally:
        for one in running:
            one.end()


@pytest.fixture
async def both(replicas: Replicas) -> AsyncIterator[tuple[AssistanceClient, AssistanceClient]]:
    async with AssistanceClient(replicas.first.address) as one, AssistanceClient(replicas.second.address) as two:
        yield one, two


@pytest.fixture
def session() -> str:
    return uuid.uuid4().hex


async def numbers(client: AssistanceClient, query: str, session: str) -> dict[str, int]:
    """By passage, the number it has in the session."""
    events = [event async for event in client.stream(query, session_id=session)]
    assert events[-1].completed.searches == 1
    return {source.passage_id: source.number for event in events for source in event.sources.sources}


async def test_any_replica_continues_any_session(both: tuple[AssistanceClient, AssistanceClient], session: str) -> None:
    known: dict[str, int] = {}
    for place, query in enumerate(QUESTIONS):
        found = await numbers(both[place % 2], query, session)
        # A passage keeps its number wherever it was given, and new ones go on from the last.
        assert all(found[passage] == known[passage] for passage in found.keys() & known.keys())
        known |= found
        assert sorted(known.values()) == list(range(1, len(known) + 1))
    sessions = [await client.session(session) for client in both]
    assert [[turn.query for turn in seen.turns] for seen in sessions] == [list(QUESTIONS)] * 2
    # What was asked of one is remembered by the other.
    async with aclosing(both[1].stream("What was my first question?", session_id=session)) as events:
        route = (await anext(events)).route
    assert (route.type, route.relation) == (pb.CONVERSATIONAL, pb.HISTORY_RECALL)


async def test_turns_that_come_to_both_at_once_are_kept_one_after_the_other(
    both: tuple[AssistanceClient, AssistanceClient], session: str
) -> None:
    asked = [both[place % 2].ask(query, session_id=session) for place, query in enumerate(QUESTIONS)]
    answers = await asyncio.gather(*asked)
    turns = (await both[0].session(session)).turns
    assert {turn.turn_id for turn in turns} == {answer.turn_id for answer in answers}
    assert len(turns) == len(QUESTIONS)


async def test_one_that_is_killed_in_mid_stream_loses_no_stored_turn_and_frees_its_session(
    replicas: Replicas, both: tuple[AssistanceClient, AssistanceClient], session: str
) -> None:
    doomed = await asyncio.to_thread(replicas.start)
    async with AssistanceClient(doomed.address) as client:
        kept = [await client.ask(query, session_id=session) for query in QUESTIONS[:2]]
        with suppress(EngineError):
            async with aclosing(client.stream("tell a story", session_id=session, query_type="CONVERSATIONAL")) as said:
                async for event in said:
                    if event.text_delta:
                        waiting = asyncio.create_task(both[0].ask(QUESTIONS[2], session_id=session))
                        await asyncio.sleep(0.2)  # the other replica is in line behind the turn that never ends
                        assert not waiting.done()
                        doomed.stop(signal.SIGKILL)
                        break  # what it had sent before may still arrive
    async with asyncio.timeout(20):
        answer = await waiting
    assert (answer.searches, answer.outcome) == (1, pb.COMPLETE)
    turns = (await both[1].session(session)).turns
    assert [turn.turn_id for turn in turns] == [*(one.turn_id for one in kept), answer.turn_id]
    assert [turn.text for turn in turns[:2]] == [one.text for one in kept]


async def test_a_promoted_artifact_reaches_every_replica(
    replicas: Replicas, both: tuple[AssistanceClient, AssistanceClient]
) -> None:
    in_use = replicas.data / "classifier_model.npz"
    before = read_artifact(in_use)
    assert [(await client.classify(QUESTIONS[0])).artifact_id for client in both] == [before.id] * 2
    promoted = write_artifact(in_use, dataclasses.replace(before.card, date="2030-01-01"), before.weights)
    assert promoted.id != before.id
    async with asyncio.timeout(20):
        for client in both:
            while (await client.classify(QUESTIONS[0])).artifact_id != promoted.id:  # noqa: ASYNC110  # another process
                await asyncio.sleep(0.2)
