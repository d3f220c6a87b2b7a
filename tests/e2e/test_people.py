"""What people say beside their questions, over the wire, on the stock guide and without a model.

`examples/golden/people.jsonl` has a conversation a line: each message with what an editor sends along, what its answer must
say and must not, and, where it matters, its type, whether it is searched for, and as what.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb
from tests.conftest import Service

GOLDEN = Path(__file__).resolve().parents[2] / "examples" / "golden"
#: Shares of questions: refused at least where the guide holds no answer, and at most where it does.
REFUSED, LOST = 0.9, 0.05


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (GOLDEN / name).read_text("utf-8").splitlines()]


CONVERSATIONS = {row["id"]: row["turns"] for row in rows("people.jsonl")}


@pytest.fixture
async def client(service: Service) -> AsyncIterator[AssistanceClient]:
    async with AssistanceClient(service.address) as opened:
        yield opened


@pytest.mark.parametrize("turns", CONVERSATIONS.values(), ids=CONVERSATIONS.keys())
async def test_a_conversation_goes_as_people_expect(client: AssistanceClient, turns: list[dict[str, Any]]) -> None:
    session = uuid.uuid4().hex
    faults = []
    for turn in turns:
        answer = await client.ask(turn["query"], session_id=session, **turn.get("sent", {}))
        faults += [f"{turn['query']!r}: {fault} in {answer.text!r}" for fault in faults_of(turn, answer)]
    assert faults == []


def faults_of(turn: dict[str, Any], answer: pb.AgentResponse) -> list[str]:
    """What is wrong with an answer."""
    faults = [f"no {text!r}" for text in turn.get("says", ()) if text not in answer.text]
    faults += [f"{text!r}" for text in turn.get("lacks", ()) if text in answer.text]
    if "search" in turn and bool(answer.searches) is not turn["search"]:
        faults.append(f"{answer.searches} searches")
    if "type" in turn and pb.QueryType.Name(answer.route.type) != turn["type"]:
        faults.append(f"the type {pb.QueryType.Name(answer.route.type)}")
    if "searched" in turn and answer.route.search_query != turn["searched"]:
        faults.append(f"a search for {answer.route.search_query!r}")
    return faults


def test_the_conversations_are_in_both_languages_and_no_message_is_a_row_that_was_learnt() -> None:
    from scripts.fitting.dialogue_acts import act_rows

    languages = [row["language"] for row in rows("people.jsonl")]
    assert languages.count("en") >= 10
    assert languages.count("es") >= 10
    learnt = {row.text.casefold() for row in act_rows()}
    said = {turn["query"].casefold() for turns in CONVERSATIONS.values() for turn in turns}
    assert said & learnt == set()


@pytest.mark.parametrize("language", ["en", "es"])
async def test_what_the_guide_does_not_hold_is_refused_without_a_citation(
    client: AssistanceClient, language: str
) -> None:
    asked = [row["query"] for row in rows("unanswerable.jsonl") if row["language"] == language]
    answered = []
    for query in asked:
        answer = await client.ask(query, query_type=pb.RETRIEVAL)
        if answer.citations:
            answered.append(query)
        else:
            assert answer.answerability < 1
    assert len(asked) == 100
    assert len(answered) <= (1 - REFUSED) * len(asked), answered


async def test_what_the_guide_holds_is_answered_with_citations(client: AssistanceClient) -> None:
    asked = [row["query"] for row in rows("avap.jsonl") if row["type"] in ("RETRIEVAL", "CODE_GENERATION")]
    refused = [query for query in asked if not (await client.ask(query, query_type=pb.RETRIEVAL)).citations]
    assert len(asked) > 50
    assert len(refused) <= LOST * len(asked), refused


async def test_the_receipt_says_how_probable_it_is_that_the_passages_answer(client: AssistanceClient) -> None:
    held = await client.ask("What does addParam do?")
    lacking = await client.ask("Who composed the opera Carmen?", query_type=pb.RETRIEVAL)
    assert 0 <= lacking.answerability < 0.25 < held.answerability <= 1
    assert held.citations
    assert not lacking.citations


async def test_without_a_search_nothing_is_said_of_an_answer_in_the_passages(client: AssistanceClient) -> None:
    answer = await client.ask("many thanks for all of it")
    assert answer.searches == 0
    assert not answer.HasField("answerability")


async def test_code_that_is_shown_is_worked_on_whatever_the_passages_hold(client: AssistanceClient) -> None:
    shown = "function area(w, h) { return w * h }"
    answer = await client.ask("explain this function", selected_text=shown, editor_content=shown)
    assert answer.route.editor
    assert "found nothing" not in answer.text
