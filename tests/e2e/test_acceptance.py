"""The acceptance list over the wire, on the embedded engine: no server, no model."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb

AVAP_TURNS = [
    "What is addVar in AVAP?",
    "How does startLoop count?",
    "What does addResult do?",
    "¿Qué hace getDateTime?",
    "What is the difference between try and exception?",
]


@pytest.fixture
def session() -> str:
    return uuid.uuid4().hex


async def kinds(client: AssistanceClient, query: str, **fields: Any) -> list[str]:
    return [event.WhichOneof("event") async for event in client.stream(query, **fields)]


async def test_a_question_in_english_is_answered_with_citations_from_the_guide(client: AssistanceClient) -> None:
    answer = await client.ask("What is addVar in AVAP?")
    assert answer.route.type == pb.RETRIEVAL
    assert answer.searches == 1
    assert "variable" in answer.text
    assert answer.citations[0].document.startswith("avap/en/")
    assert "[1]" in answer.text


async def test_a_question_in_spanish_is_answered_with_citations_from_the_spanish_pages(
    client: AssistanceClient,
) -> None:
    answer = await client.ask("¿Cómo registro un endpoint?")
    assert answer.route.type == pb.RETRIEVAL
    assert "Definition Server" in answer.text
    assert answer.citations[0].document.startswith("avap/es/")


async def test_a_request_for_code_gets_code(client: AssistanceClient) -> None:
    answer = await client.ask("Write an endpoint that returns hello world")
    assert answer.route.type == pb.CODE_GENERATION
    assert answer.searches == 1
    assert "```avap" in answer.text
    assert "addResult(" in answer.text


async def test_the_usage_prompt_of_a_dashboard_is_platform_without_a_search(client: AssistanceClient) -> None:
    answer = await client.ask("You have a project usage percentage of 20%, provide a recommendation")
    assert answer.route.type == pb.PLATFORM
    assert answer.searches == 0
    assert not answer.citations
    assert "20%" in answer.text


async def test_a_known_opening_is_decided_by_layer_1(client: AssistanceClient) -> None:
    answer = await client.ask("You are a direct and concise assistant. The account made 1200 calls.")
    assert answer.route.layer == pb.PREFIX
    assert answer.route.type == pb.PLATFORM
    assert [opinion.layer for opinion in answer.route.opinions] == [pb.PREFIX]


async def test_five_turns_on_avap_do_not_pull_an_account_question_over(client: AssistanceClient, session: str) -> None:
    for query in AVAP_TURNS:
        assert (await client.ask(query, session_id=session)).route.type == pb.RETRIEVAL
    answer = await client.ask("cuántas llamadas llevo este mes?", session_id=session)
    assert answer.route.type == pb.PLATFORM
    assert answer.searches == 0


async def test_explain_this_with_a_selection_is_about_the_editor(client: AssistanceClient) -> None:
    answer = await client.ask("explain this", selected_text="startLoop(i, 1, 5)\n  addResult(i)\nendLoop()")
    assert answer.route.type == pb.CODE_GENERATION
    assert answer.route.editor
    assert answer.searches == 1
    assert "startLoop" in answer.route.search_query


async def test_explain_this_after_code_turns_is_about_the_editor(client: AssistanceClient, session: str) -> None:
    for query in ("Write an endpoint that returns hello world", "Write an AVAP loop that builds a list of ids"):
        assert (await client.ask(query, session_id=session)).route.type == pb.CODE_GENERATION
    answer = await client.ask("explain this", session_id=session)
    assert answer.route.type == pb.CODE_GENERATION
    assert answer.route.editor


async def test_in_fewer_words_reworks_the_answer_without_a_search(client: AssistanceClient, session: str) -> None:
    first = await client.ask("What is addVar in AVAP?", session_id=session)
    answer = await client.ask("en menos palabras", session_id=session)
    assert answer.route.type == pb.CONVERSATIONAL
    assert answer.searches == 0
    assert 0 < len(answer.text) < len(first.text)
    assert answer.citations[0].passage_id == first.citations[0].passage_id
    assert answer.citations[0].origin == pb.LEDGER


async def test_the_first_question_is_recalled_without_a_search(client: AssistanceClient, session: str) -> None:
    await client.ask("What is addVar in AVAP?", session_id=session)
    answer = await client.ask("What was my first question?", session_id=session)
    assert answer.searches == 0
    assert answer.route.relation == pb.HISTORY_RECALL
    assert "What is addVar in AVAP?" in answer.text


@pytest.mark.parametrize("declared", ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"])
async def test_a_declared_type_bypasses_every_layer(client: AssistanceClient, declared: str) -> None:
    answer = await client.ask("What is addVar in AVAP?", query_type=declared)
    assert pb.QueryType.Name(answer.route.type) == declared
    assert answer.route.layer == pb.DECLARED
    assert not answer.route.opinions
    assert answer.searches == (declared in ("RETRIEVAL", "CODE_GENERATION"))


async def test_platform_answers_come_from_the_figures_that_are_sent_along(client: AssistanceClient) -> None:
    answer = await client.ask(
        "cuántas llamadas llevo este mes?", extra_context='{"llamadas_este_mes": 4312, "plan": "Pro"}'
    )
    assert answer.route.type == pb.PLATFORM
    assert "4312" in answer.text


async def test_the_stream_begins_with_the_receipt_and_ends_with_the_answer(client: AssistanceClient) -> None:
    events = await kinds(client, "What is addVar in AVAP?")
    assert events[0] == "route"
    assert events[-1] == "completed"
    assert events.index("sources") < events.index("text_delta")
    assert set(events) == {"route", "progress", "sources", "text_delta", "completed"}


async def test_asking_and_streaming_give_the_same_answer(client: AssistanceClient) -> None:
    whole = await client.ask("What does randomString do?")
    pieces = [event.text_delta async for event in client.stream("What does randomString do?")]
    assert "".join(pieces) == whole.text
