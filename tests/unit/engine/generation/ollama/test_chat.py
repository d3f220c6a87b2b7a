"""The adapter over its real client and a server on loopback."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from classifier.decision import QueryType
from engine.domain import Message, Usage
from engine.errors import DependencyUnavailable
from engine.generation.ollama.chat import OllamaChatModel, OllamaLabeller, OllamaStructured
from engine.generation.ollama.residency import OllamaLimits
from engine.generation.ollama.served import ServedModel
from engine.generation.port import Done, Prompt, Token
from tests.ollama_server import CANARY, Ending, FakeOllama, done, word

PROMPT = Prompt(QueryType.RETRIEVAL, "q", messages=(Message("system", "Be brief."), Message("user", "Hello?")))


@pytest.fixture
async def server() -> AsyncIterator[FakeOllama]:
    async with FakeOllama().running() as running:
        yield running


@pytest.fixture
def model(server: FakeOllama) -> OllamaChatModel:
    return OllamaChatModel(ServedModel("qwen3:1.7b", server.host, num_ctx=8192, parallel=4), num_predict=512)


@pytest.fixture
def labeller(server: FakeOllama) -> OllamaLabeller:
    return OllamaLabeller(ServedModel("qwen3:0.6b", server.host, num_ctx=2048))


async def said(model: OllamaChatModel) -> list[Token | Done]:
    async with aclosing(model.stream(PROMPT)) as pieces:
        return [piece async for piece in pieces]


async def failure(model: OllamaChatModel) -> tuple[list[str], DependencyUnavailable]:
    """The tokens before the error, and the error."""
    tokens: list[str] = []

    async def consume() -> None:
        async with aclosing(model.stream(PROMPT)) as pieces:
            async for piece in pieces:
                assert isinstance(piece, Token)
                tokens.append(piece.text)

    with pytest.raises(DependencyUnavailable) as raised:
        await consume()
    assert raised.value.dependency == "ollama"
    assert CANARY not in str(raised.value)
    return tokens, raised.value


def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


async def test_tokens_as_the_server_sends_them_and_its_count_at_the_end(model: OllamaChatModel) -> None:
    assert await said(model) == [Token("Hello"), Token(" world"), Done(Usage(11, 7))]


async def test_the_request_says_what_the_server_would_otherwise_guess(
    server: FakeOllama, model: OllamaChatModel
) -> None:
    await said(model)
    ((path, body),) = server.requests
    assert path == "/api/chat"
    assert body["model"] == "qwen3:1.7b"
    assert body["think"] is False
    assert body["stream"] is True
    assert body["keep_alive"] == "30m"
    assert body["options"]["num_ctx"] == 8192
    assert body["options"]["num_predict"] == 512
    assert [(m["role"], m["content"]) for m in body["messages"]] == [("system", "Be brief."), ("user", "Hello?")]


async def test_an_answer_that_hits_the_limit_is_truncated(server: FakeOllama, model: OllamaChatModel) -> None:
    server.lines = [word("Half an"), done("length")]
    assert await said(model) == [Token("Half an"), Done(Usage(11, 7), truncated=True)]


async def test_thinking_never_becomes_text(server: FakeOllama, model: OllamaChatModel) -> None:
    server.lines = [word("", thinking=CANARY), word("Yes", thinking=CANARY), done()]
    assert await said(model) == [Token("Yes"), Done(Usage(11, 7))]


async def test_thinking_that_is_written_into_the_text_is_taken_away(server: FakeOllama, model: OllamaChatModel) -> None:
    server.lines = [word("<thi"), word(f"nk>{CANARY}"), word("</think>"), word("\n\nYes"), word(", <think>"), done()]
    assert await said(model) == [Token("Yes"), Token(", <think>"), Done(Usage(11, 7))]
    server.lines = [word("<thin"), done()]
    assert await said(model) == [Token("<thin"), Done(Usage(11, 7))]


async def test_one_model_serves_many_answers_at_a_time(model: OllamaChatModel) -> None:
    answers = await asyncio.gather(*(said(model) for _ in range(8)))
    assert answers == [[Token("Hello"), Token(" world"), Done(Usage(11, 7))]] * 8


ERROR: dict[str, Any] = {"error": CANARY}


@pytest.mark.parametrize(
    ("status", "problem"),
    [
        (404, "it has no model qwen3:1.7b; run `ollama pull qwen3:1.7b`"),
        (500, "model qwen3:1.7b failed"),
        (503, "its queue for model qwen3:1.7b is full; try again, or raise OLLAMA_MAX_QUEUE on the server"),
        (401, "model qwen3:1.7b failed"),
    ],
)
async def test_an_error_status(server: FakeOllama, model: OllamaChatModel, status: int, problem: str) -> None:
    server.status, server.lines = status, [ERROR]
    tokens, error = await failure(model)
    assert tokens == []
    assert str(error) == f"ollama: {problem}"


@pytest.mark.parametrize(
    ("lines", "ending", "tokens", "problem"),
    [
        ([word("Hel")], Ending.CUT, ["Hel"], "broke off"),
        ([], Ending.CUT, [], "broke off"),
        ([word("Hel"), b'{"mess'], Ending.CUT, ["Hel"], "broke off"),
        ([word("Hel")], Ending.CLEAN, ["Hel"], "broke off"),
        ([], Ending.CLEAN, [], "cannot be read"),
        ([done("load")], Ending.CLEAN, [], "cannot be read"),
        ([word("Hel"), done("load")], Ending.CLEAN, ["Hel"], "broke off"),
        ([word("Hel"), ERROR], Ending.CLEAN, ["Hel"], "failed"),
        ([word("Hel"), b"canary-5177\n", done()], Ending.CLEAN, ["Hel"], "cannot be read"),
        ([word("Hel"), b"[]\n", done()], Ending.CLEAN, ["Hel"], "cannot be read"),
        ([word("Hel"), b'{"message": 5, "done": false}\n', done()], Ending.CLEAN, ["Hel"], "cannot be read"),
    ],
)
async def test_a_stream_that_goes_wrong(
    server: FakeOllama,
    model: OllamaChatModel,
    lines: Sequence[dict[str, Any] | bytes],
    ending: Ending,
    tokens: list[str],
    problem: str,
) -> None:
    server.lines, server.ending = lines, ending
    before, error = await failure(model)
    assert before == tokens
    assert str(error).startswith("ollama: ")
    assert problem in str(error)
    assert "qwen3:1.7b" in str(error)


async def test_nothing_listens() -> None:
    served = ServedModel("m", f"http://127.0.0.1:{closed_port()}", num_ctx=1024)
    model = OllamaChatModel(served, num_predict=8)
    _, error = await failure(model)
    assert str(error) == "ollama: nothing listens at OLLAMA_HOST; start it with `ollama serve`"
    with pytest.raises(DependencyUnavailable, match="nothing listens at OLLAMA_HOST"):
        await model.ping()


@pytest.mark.parametrize(
    ("lines", "silence"), [([], 0.05), ([word("Hel")], 2.0)]
)  # a word may come late to a busy machine
async def test_a_silence_has_a_limit(server: FakeOllama, lines: list[dict[str, Any]], silence: float) -> None:
    server.lines, server.ending = lines, Ending.HANG
    served = ServedModel("m", server.host, num_ctx=1024, limits=OllamaLimits(silence=silence))
    model = OllamaChatModel(served, num_predict=8)
    tokens, error = await failure(model)
    assert len(tokens) == len(lines)
    assert f"sent nothing for {silence:g} s" in str(error)


async def test_a_model_silent_after_an_answer_was_left_is_loaded_anew_and_asked_again(server: FakeOllama) -> None:
    server.ending = Ending.HANG
    served = ServedModel("m", server.host, num_ctx=1024, limits=OllamaLimits(silence=1.0))
    model = OllamaChatModel(served, num_predict=8)
    async with aclosing(model.stream(PROMPT)) as pieces:
        assert await anext(pieces) == Token("Hello")
    server.lines = []
    server.probes.clear()
    asking = asyncio.create_task(said(model))
    async with asyncio.timeout(60):
        while "/api/generate" not in server.probes:  # noqa: ASYNC110  # the server keeps a list, not an event
            await asyncio.sleep(0.001)
        server.lines, server.ending = [word("Hello"), done()], Ending.CLEAN
        assert (await asking)[0] == Token("Hello")
    assert len(server.requests) == 3


async def test_closing_the_generator_closes_the_connection(server: FakeOllama, model: OllamaChatModel) -> None:
    server.lines, server.ending = [word("Hel"), word("lo")], Ending.HANG
    async with asyncio.timeout(1):
        async with aclosing(model.stream(PROMPT)) as pieces:
            assert await anext(pieces) == Token("Hel")
        await server.gone.wait()


async def test_cancelling_the_reader_closes_the_connection(server: FakeOllama, model: OllamaChatModel) -> None:
    server.lines, server.ending = [], Ending.HANG
    reader = asyncio.create_task(said(model))
    await server.asked.wait()
    reader.cancel()
    async with asyncio.timeout(1):
        with pytest.raises(asyncio.CancelledError):
            await reader
        await server.gone.wait()


async def test_ping_asks_for_the_model(server: FakeOllama, model: OllamaChatModel) -> None:
    await model.ping()
    assert server.probes == ["/api/tags"]


@pytest.mark.parametrize(
    ("status", "models", "problem"), [(200, ["other:1b"], "run `ollama pull qwen3:1.7b`"), (500, [], "failed")]
)
async def test_ping_says_what_is_wrong(
    server: FakeOllama, model: OllamaChatModel, status: int, models: list[str], problem: str
) -> None:
    server.status, server.models = status, models
    with pytest.raises(DependencyUnavailable, match=problem) as raised:
        await model.ping()
    assert CANARY not in str(raised.value)


async def test_a_label_is_bound_by_a_schema(server: FakeOllama, labeller: OllamaLabeller) -> None:
    server.lines = [word('{"type": "'), word('PLATFORM"}'), done()]
    assert await labeller.label("Which?", ["PLATFORM", "RETRIEVAL"]) == '{"type": "PLATFORM"}'
    assert labeller.name == "qwen3:0.6b"
    ((_, body),) = server.requests
    assert body["format"] == {
        "type": "object",
        "properties": {"type": {"type": "string", "enum": ["PLATFORM", "RETRIEVAL"]}},
        "required": ["type"],
    }
    assert body["think"] is False
    assert body["options"]["temperature"] == 0
    assert body["options"]["num_ctx"] == 2048
    assert body["options"]["num_predict"] < 100


@pytest.mark.parametrize(
    ("status", "lines", "ending"),
    [
        (404, [ERROR], Ending.CLEAN),
        (500, [ERROR], Ending.CLEAN),
        (200, [ERROR], Ending.CLEAN),
        (200, [word("{")], Ending.CUT),
        (200, [], Ending.CLEAN),
        (200, [done("load")], Ending.CLEAN),
        (200, [b"canary-5177\n"], Ending.CLEAN),
    ],
)
async def test_a_labeller_fails_like_a_model(
    server: FakeOllama,
    labeller: OllamaLabeller,
    status: int,
    lines: Sequence[dict[str, Any] | bytes],
    ending: Ending,
) -> None:
    server.status, server.lines, server.ending = status, lines, ending
    with pytest.raises(DependencyUnavailable) as raised:
        await labeller.label("Which?", ["PLATFORM"])
    assert raised.value.dependency == "ollama"
    assert CANARY not in str(raised.value)


async def test_cancelling_a_label_closes_the_connection(server: FakeOllama, labeller: OllamaLabeller) -> None:
    server.lines, server.ending = [word("{")], Ending.HANG
    asked = asyncio.create_task(labeller.label("Which?", ["PLATFORM"]))
    await server.asked.wait()
    asked.cancel()
    async with asyncio.timeout(1):
        with pytest.raises(asyncio.CancelledError):
            await asked
        await server.gone.wait()


@pytest.fixture
async def structured(server: FakeOllama) -> AsyncIterator[OllamaStructured]:
    model = OllamaStructured(ServedModel("qwen3:1.7b", server.host, num_ctx=4096))
    yield model
    await model.close()


async def test_a_plan_is_bound_by_its_schema(server: FakeOllama, structured: OllamaStructured) -> None:
    server.lines = [word('{"mode": '), word('"direct_llm"}'), done()]
    schema = {"type": "object", "properties": {"mode": {"type": "string"}}}
    assert await structured.complete(PROMPT.messages, schema) == '{"mode": "direct_llm"}'
    assert structured.name == "qwen3:1.7b"
    ((_, body),) = server.requests
    assert body["format"] == schema
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["think"] is False
    assert body["options"]["temperature"] == 0
    assert body["options"]["num_ctx"] == 4096


@pytest.mark.parametrize("status", [404, 500])
async def test_a_planning_model_that_cannot_be_asked_is_unavailable(
    server: FakeOllama, structured: OllamaStructured, status: int
) -> None:
    server.status, server.lines = status, [ERROR]
    with pytest.raises(DependencyUnavailable) as raised:
        await structured.complete(PROMPT.messages, {})
    assert CANARY not in str(raised.value)


LONG = Prompt(QueryType.RETRIEVAL, "q", messages=(Message("system", "Be brief."), Message("user", "word " * 400)))


def reported(seconds: float) -> dict[str, Any]:
    """The last line of an answer whose prompt took so long to read."""
    return done() | {"prompt_eval_count": 500, "prompt_eval_duration": int(seconds * 1e9)}


async def test_the_pace_is_learnt_from_answers(server: FakeOllama, model: OllamaChatModel) -> None:
    server.lines = [word("Yes"), reported(40.0)]
    async with aclosing(model.stream(LONG)) as pieces:
        assert [piece async for piece in pieces] == [Token("Yes"), Done(Usage(500, 7))]
    assert model.pace.seconds("z" * 2010) == pytest.approx(40.0, rel=0.01)
    assert model.pace.first_word == OllamaLimits().first_word


async def test_the_pace_is_learnt_from_labels_and_plans(server: FakeOllama) -> None:
    for ask in ("label", "complete"):
        served = ServedModel("m", server.host, num_ctx=1024)
        server.lines = [word("{}"), reported(10.0)]
        if ask == "label":
            await OllamaLabeller(served).label("word " * 400, ["A"])
        else:
            await OllamaStructured(served).complete(LONG.messages, {})
        assert served.pace.seconds("z" * 2000) == pytest.approx(10.0, rel=0.02)


async def test_a_long_prompt_is_waited_for_as_long_as_it_takes_to_read(server: FakeOllama) -> None:
    served = ServedModel("m", server.host, num_ctx=1024, limits=OllamaLimits(silence=0.05))
    model = OllamaChatModel(served, num_predict=8)
    served.pace.learn(served.pace.begin("word " * 400), reported(400.0))  # 5 characters a second
    server.lines, server.ending = [], Ending.HANG
    other = Prompt(QueryType.RETRIEVAL, "q", messages=(Message("user", "another " * 200),))
    waiting = asyncio.create_task(anext(model.stream(other)))
    await asyncio.sleep(0.3)  # six times the silence that is allowed
    assert not waiting.done()
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_no_label_and_no_plan_is_asked_for_that_would_come_too_late(server: FakeOllama) -> None:
    served = ServedModel("m", server.host, num_ctx=1024)
    labeller, structured = OllamaLabeller(served, within=3.0), OllamaStructured(served, within=3.0)
    server.lines = [word("{}"), reported(400.0)]
    await labeller.label("word " * 400, ["A"])
    asked = len(server.requests)
    with pytest.raises(DependencyUnavailable, match="longer than 3 s"):
        await labeller.label("another " * 200, ["A"])
    with pytest.raises(DependencyUnavailable, match="longer than 3 s"):
        await structured.complete((Message("user", "another " * 200),), {})
    assert len(server.requests) == asked
    assert await labeller.label("word " * 400, ["A"]) == "{}"  # the server has just read that
