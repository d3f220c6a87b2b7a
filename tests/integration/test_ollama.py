"""The acceptance list against a real Ollama with tiny models: they show plumbing, never quality."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import httpx
import pytest

from classifier.decision import QueryType
from engine.client import AssistanceClient
from engine.domain import Message
from engine.errors import DependencyUnavailable
from engine.generation.ollama.chat import OllamaChatModel, OllamaLabeller
from engine.generation.ollama.residency import OllamaLimits
from engine.generation.ollama.served import ServedModel
from engine.generation.port import Done, Prompt, Token
from engine.v1 import engine_pb2 as pb

pytestmark = pytest.mark.backends

MAIN, LIGHT = "tiny-qwen3", "tiny-qwen3-canned"


@pytest.fixture(scope="module", autouse=True)
def fresh(ollama: str) -> None:
    """Unloads the models: a runner that faults of other tests have hung is silent until it is started anew."""
    for name in (MAIN, LIGHT):
        httpx.post(f"{ollama}/api/generate", json={"model": name, "keep_alive": 0}, timeout=30)


@pytest.fixture
async def model(ollama: str) -> AsyncIterator[Any]:
    built = []

    def build(name: str | ServedModel, **limits: Any) -> OllamaChatModel:
        served = ServedModel(name, ollama, num_ctx=2048) if isinstance(name, str) else name
        built.append(OllamaChatModel(served, **{"num_predict": 32} | limits))
        return built[-1]

    yield build
    for one in built:
        await one.close()


def prompt(text: str = "hello") -> Prompt:
    return Prompt(QueryType.CONVERSATIONAL, text, messages=(Message("system", "Be brief."), Message("user", text)))


async def said(model: OllamaChatModel) -> tuple[str, Done]:
    pieces = [piece async for piece in model.stream(prompt())]
    last = pieces[-1]
    assert isinstance(last, Done)
    return "".join(piece.text for piece in pieces if isinstance(piece, Token)), last


async def test_thinking_text_never_comes_out(model: Any) -> None:
    text, done = await said(model(LIGHT))
    assert "today" not in text
    assert "think" not in text
    assert done.usage.prompt_tokens > 0


async def test_a_limit_shows_as_truncated(model: Any) -> None:
    _, done = await said(model("tiny-qwen3-noeos", num_predict=8))
    assert done.truncated
    assert done.usage.completion_tokens == 8


async def test_a_model_without_thinking_tags_serves_too(model: Any) -> None:
    _, done = await said(model("tiny-qwen3-plain"))
    assert done.usage.completion_tokens > 0


async def test_a_missing_model_names_the_pull(model: Any) -> None:
    with pytest.raises(DependencyUnavailable, match="ollama pull nobody"):
        await said(model("nobody"))
    with pytest.raises(DependencyUnavailable, match="ollama pull nobody"):
        await model("nobody").ping()


async def test_a_present_model_answers_the_ping(model: Any) -> None:
    await model(MAIN).ping()


async def test_closing_the_stream_stops_the_runner(model: Any, ollama: str) -> None:
    # Of one served model: this Ollama loses a slot with some streams that are left (ollama/ollama#17131), and only who
    # has left one knows to load the model anew. A stream that goes on would keep its place also from that.
    served = ServedModel("tiny-qwen3-noeos", ollama, num_ctx=32_768, limits=OllamaLimits(silence=8))
    endless, brief = (model(served, num_predict=tokens) for tokens in (20_000, 4))
    async with aclosing(endless.stream(prompt())) as pieces:
        await anext(pieces)
    # The one slot is free again: the next answer comes soon instead of after 20,000 tokens.
    async with asyncio.timeout(45):
        await said(brief)


async def test_the_schema_binds_even_a_random_model(ollama: str) -> None:
    labeller = OllamaLabeller(ServedModel(MAIN, ollama, num_ctx=2048))
    answers = [await labeller.label("Which type?", list(QueryType)) for _ in range(5)]
    await labeller.close()
    assert all(json.loads(answer)["type"] in list(QueryType) for answer in answers)


@pytest.fixture
async def client(ollama: str, guide: Path, start: Any) -> AsyncIterator[AssistanceClient]:
    service = start(
        guide,
        OLLAMA_HOST=ollama,
        OLLAMA_MODEL_NAME=MAIN,
        OLLAMA_MODEL_NAME_CONVERSATIONAL=LIGHT,
        OLLAMA_NUM_PREDICT="24",
        OLLAMA_NUM_CTX="4096",
    )
    async with AssistanceClient(service.address) as connected:
        yield connected


async def test_the_acceptance_list(client: AssistanceClient) -> None:
    """In one test, as a service with two models takes a while to start."""
    session = uuid.uuid4().hex
    usage = await client.ask("You have a project usage percentage of 20%, provide a recommendation")
    assert (usage.route.type, usage.route.model, usage.searches) == (pb.PLATFORM, LIGHT, 0)
    assert "today" not in usage.text

    prefix = await client.ask("You are a direct and concise assistant. Calls: 12.")
    assert prefix.route.layer == pb.PREFIX
    assert [opinion.layer for opinion in prefix.route.opinions] == [pb.PREFIX]

    for query in ("What is addVar in AVAP?", "How does startLoop count?", "What does addResult do?"):
        answer = await client.ask(query, session_id=session)
        assert (answer.route.type, answer.route.model) == (pb.RETRIEVAL, MAIN)
        assert answer.searches in (1, 2)  # what a random model makes of a question may be searched for a second time
    account = await client.ask("cuántas llamadas llevo este mes?", session_id=session)
    assert (account.route.type, account.route.model, account.searches) == (pb.PLATFORM, LIGHT, 0)
    shorter = await client.ask("en menos palabras", session_id=session)
    assert (shorter.route.type, shorter.route.model, shorter.searches) == (pb.CONVERSATIONAL, LIGHT, 0)

    code = await client.ask("explain this", selected_text="addVar(a, 1)")
    assert (code.route.type, code.route.model, code.route.editor) == (pb.CODE_GENERATION, MAIN, True)
    declared = await client.ask("What is addVar in AVAP?", query_type="PLATFORM")
    assert (declared.route.layer, declared.searches) == (pb.DECLARED, 0)
    assert len((await client.session(session)).turns) == 5


async def test_text_that_no_layer_is_sure_of_is_asked_of_the_model(client: AssistanceClient) -> None:
    route = await client.classify("qwerty uiop asdf")
    assert pb.LLM in [opinion.layer for opinion in route.opinions]


async def test_the_light_slot_falls_back_to_the_main_model(ollama: str, guide: Path, start: Any) -> None:
    service = start(guide, OLLAMA_HOST=ollama, OLLAMA_MODEL_NAME=LIGHT, OLLAMA_NUM_PREDICT="16")
    async with AssistanceClient(service.address) as client:
        answer = await client.ask("tell a story", query_type="CONVERSATIONAL")
        assert answer.route.model == LIGHT
        assert await client.serving("ollama")


async def test_a_caller_who_leaves_is_stored_as_partial(ollama: str, guide: Path, start: Any) -> None:
    service = start(guide, OLLAMA_HOST=ollama, OLLAMA_MODEL_NAME="tiny-qwen3-noeos", OLLAMA_NUM_PREDICT="20000")
    session = uuid.uuid4().hex
    async with AssistanceClient(service.address) as client:
        async with aclosing(client.stream("tell a story", session_id=session, query_type="CONVERSATIONAL")) as events:
            async for event in events:
                if event.text_delta:
                    break
        async with asyncio.timeout(10):
            while "partial" not in service.read_log():
                await client.serving()  # a round trip instead of a sleep
        turns = (await client.session(session)).turns
    assert [turn.outcome for turn in turns] == [pb.PARTIAL]
    assert turns[0].text
