"""The acceptance list on what production runs: Elasticsearch, Ollama and PostgreSQL, all of them real.

The models are tiny and know nothing: what is shown is the way of a question, never the quality of an answer.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

import psycopg
import pytest
from elasticsearch import Elasticsearch

from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb
from tests.conftest import Service
from tests.postgres import plain

pytestmark = pytest.mark.backends

#: The light model always thinks `you are today`, and then says `hello world, how`.
MAIN, LIGHT = "tiny-qwen3", "tiny-qwen3-canned"
AVAP_TURNS = (
    "What is addVar in AVAP?",
    "How does startLoop count?",
    "What does addResult do?",
    "¿Qué hace getDateTime?",
    "What is the difference between try and exception?",
)
USAGE = "You have a project usage percentage of 20%, provide a recommendation"
_MARK = re.compile(r"\[(\d+)\]")


@pytest.fixture(scope="module")
def serving(production: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("production")
    models = {"OLLAMA_MODEL_NAME": MAIN, "OLLAMA_MODEL_NAME_CONVERSATIONAL": LIGHT, "OLLAMA_NUM_PREDICT": "24"}
    running = Service(folder / "data", folder / "log", **production, **models)
    yield running
    running.end()


@pytest.fixture
async def client(serving: Service) -> AsyncIterator[AssistanceClient]:
    async with AssistanceClient(serving.address) as connected:
        yield connected


@pytest.fixture
def session() -> str:
    return uuid.uuid4().hex


def served(production: dict[str, str]) -> dict[str, int]:
    """By route, how many requests the Elasticsearch server itself has counted, those about its health apart."""
    with Elasticsearch(production["ELASTICSEARCH_URL"]) as server:
        (node,) = server.nodes.stats(metric="http")["nodes"].values()
    routes = {route: int(seen["requests"]["count"]) for route, seen in node["http"]["routes"].items()}
    health = ("/_nodes", "/{index}/_mapping", "/{index}/_count")
    return {route: count for route, count in routes.items() if not route.startswith(health)}


def sane(answer: pb.AgentResponse) -> None:
    """What holds for every answer: no thinking, no mark without its citation, and an end."""
    assert answer.outcome in (pb.COMPLETE, pb.PARTIAL)
    if answer.route.model == LIGHT:  # the main one says any word there is, "today" too
        assert "today" not in answer.text
    assert not answer.text.lstrip().startswith("<think>")  # further on it is a word like any other to a random model
    assert {int(mark) for mark in _MARK.findall(answer.text)} <= {citation.number for citation in answer.citations}


async def asked(client: AssistanceClient, query: str, **fields: Any) -> pb.AgentResponse:
    answer = await client.ask(query, **fields)
    sane(answer)
    return answer


async def test_everything_that_is_configured_serves(client: AssistanceClient, serving: Service) -> None:
    for name in ("", "elasticsearch", "database", "classifier", "ollama"):
        async with asyncio.timeout(60):  # the first look at an empty database waits for its schema
            while not await client.serving(name):  # noqa: ASYNC110  # another process
                await asyncio.sleep(0.5)
    assert not await client.serving("index")
    assert f"Main model: {MAIN}. Light model: {LIGHT}." in serving.read_log()


@pytest.mark.parametrize(
    ("query", "folder"), [("What is addVar in AVAP?", "avap/en/"), ("¿Cómo registro un endpoint?", "avap/es/")]
)
async def test_a_question_is_searched_for_once_and_answered_by_the_main_model(
    client: AssistanceClient, query: str, folder: str
) -> None:
    events = [event async for event in client.stream(query)]
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds[0] in ("route", "progress")  # the receipt, or a sign of life where it takes longer
    assert next(kind for kind in kinds if kind != "progress") == "route"
    assert kinds[-1] == "completed"
    assert set(kinds) <= {"route", "progress", "sources", "text_delta", "completed"}
    (sources,) = [event.sources.sources for event in events if event.WhichOneof("event") == "sources"]
    assert [source.number for source in sources] == list(range(1, 9))
    assert sources[0].document.startswith(folder)
    answer = events[-1].completed
    sane(answer)
    assert (answer.route.type, answer.route.model, answer.searches) == (pb.RETRIEVAL, MAIN, 1)
    assert "".join(event.text_delta for event in events) == answer.text
    assert answer.usage.prompt_tokens > 100


async def test_a_request_for_code_is_searched_for(client: AssistanceClient) -> None:
    answer = await asked(client, "Write an endpoint that returns hello world")
    assert (answer.route.type, answer.route.model, answer.searches) == (pb.CODE_GENERATION, MAIN, 1)


async def test_the_usage_prompt_of_a_dashboard_is_platform_without_a_search(client: AssistanceClient) -> None:
    answer = await asked(client, USAGE)
    assert (answer.route.type, answer.route.model, answer.searches) == (pb.PLATFORM, LIGHT, 0)
    assert not answer.citations
    assert "hello" in answer.text


async def test_a_known_opening_is_decided_by_layer_1(client: AssistanceClient) -> None:
    answer = await asked(client, "You are a direct and concise assistant. The account made 1200 calls.")
    assert (answer.route.layer, answer.route.type) == (pb.PREFIX, pb.PLATFORM)
    assert [opinion.layer for opinion in answer.route.opinions] == [pb.PREFIX]


async def test_five_turns_on_avap_do_not_pull_an_account_question_over(client: AssistanceClient, session: str) -> None:
    for query in AVAP_TURNS:
        assert (await asked(client, query, session_id=session)).route.type == pb.RETRIEVAL
    answer = await asked(client, "cuántas llamadas llevo este mes?", session_id=session)
    assert (answer.route.type, answer.searches) == (pb.PLATFORM, 0)
    assert len((await client.session(session)).turns) == 6


async def test_explain_this_is_about_the_editor(client: AssistanceClient, session: str) -> None:
    answer = await asked(client, "explain this", selected_text="startLoop(i, 1, 5)\n  addResult(i)\nendLoop()")
    assert (answer.route.type, answer.route.editor, answer.searches) == (pb.CODE_GENERATION, True, 1)
    assert "startLoop" in answer.route.search_query
    for query in ("Write an endpoint that returns hello world", "Write an AVAP loop that builds a list of ids"):
        assert (await asked(client, query, session_id=session)).route.type == pb.CODE_GENERATION
    after = await asked(client, "explain this", session_id=session)
    assert (after.route.type, after.route.editor) == (pb.CODE_GENERATION, True)


async def test_what_is_about_the_conversation_is_answered_from_it(client: AssistanceClient, session: str) -> None:
    await asked(client, "What is addVar in AVAP?", session_id=session)
    shorter = await asked(client, "en menos palabras", session_id=session)
    assert (shorter.route.type, shorter.route.model, shorter.searches) == (pb.CONVERSATIONAL, LIGHT, 0)
    first = await asked(client, "What was my first question?", session_id=session)
    assert (first.route.relation, first.searches) == (pb.HISTORY_RECALL, 0)


@pytest.mark.parametrize("declared", ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"])
async def test_a_declared_type_bypasses_every_layer(client: AssistanceClient, declared: str) -> None:
    answer = await asked(client, "What is addVar in AVAP?", query_type=declared)
    assert (pb.QueryType.Name(answer.route.type), answer.route.layer) == (declared, pb.DECLARED)
    assert not answer.route.opinions
    assert answer.searches == (declared in ("RETRIEVAL", "CODE_GENERATION"))


async def test_the_figures_that_are_sent_along_reach_the_model(client: AssistanceClient) -> None:
    question = "cuántas llamadas llevo este mes?"
    bare = await asked(client, question)
    figures = await asked(client, question, extra_context='{"llamadas_este_mes": 4312, "plan": "Pro"}')
    assert (bare.route.type, figures.route.type) == (pb.PLATFORM, pb.PLATFORM)
    assert figures.usage.prompt_tokens > bare.usage.prompt_tokens


async def test_platform_and_conversation_ask_nothing_of_elasticsearch(
    client: AssistanceClient, production: dict[str, str], session: str
) -> None:
    """Counted by the server itself."""
    before = served(production)
    for query, fields in (
        (USAGE, {}),
        ("cuántas llamadas llevo este mes?", {}),
        ("You are a direct and concise assistant. The account made 1200 calls.", {}),
        ("thanks!", {}),
        ("What is addVar in AVAP?", {"query_type": "PLATFORM"}),
        ("en menos palabras", {}),
        ("What was my first question?", {}),
        ("What is addVar in AVAP?", {"query_type": "CONVERSATIONAL"}),
    ):
        answer = await asked(client, query, session_id=session, **fields)
        assert answer.route.type in (pb.PLATFORM, pb.CONVERSATIONAL), query
        assert answer.searches == 0
    assert served(production) == before
    await asked(client, "What is addVar in AVAP?", session_id=session)
    after = served(production)
    assert {route: after[route] - before.get(route, 0) for route in after if after[route] != before.get(route, 0)} == {
        "/_msearch": 1
    }


async def test_turns_are_in_postgresql_and_nowhere_else(
    client: AssistanceClient, serving: Service, production: dict[str, str], session: str
) -> None:
    answer = await asked(client, USAGE, session_id=session)
    with psycopg.connect(plain(production["DATABASE_URL"])) as connection:
        rows = connection.execute("SELECT turn_id FROM turns WHERE session_id = %s", (session,)).fetchall()
    assert rows == [(answer.turn_id,)]
    assert not list((serving.log.parent / "data").glob("sessions*"))
    assert not (serving.log.parent / "data" / "index").exists()


async def test_no_text_of_a_caller_is_logged(client: AssistanceClient, serving: Service) -> None:
    await asked(client, "canary-5177 and addVar", extra_context="canary-5177", query_type="RETRIEVAL")
    assert "canary-5177" not in serving.read_log()
    assert "Traceback" not in serving.read_log()
