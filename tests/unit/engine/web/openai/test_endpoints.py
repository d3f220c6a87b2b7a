"""The endpoints over doubles, asked by OpenAI's own client and by hand."""

from __future__ import annotations

import asyncio
import json
import struct
from base64 import b64decode
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import openai
import pytest

from engine.domain import (
    Answer,
    Completed,
    Event,
    Evidence,
    Outcome,
    Passage,
    Progress,
    Routed,
    TextDelta,
    Turn,
)
from engine.errors import (
    ConfigurationError,
    DeadlineExceeded,
    DependencyUnavailable,
    NotFound,
    Overloaded,
    SessionBusy,
)
from engine.testing import HashedWordsEmbedder
from engine.web.openai import endpoints
from tests.serving import ROUTE, Script, Served, endless, failing, serving, telling
from tests.transports import UNREAD

CITED = Evidence(1, Passage("p-1", "guía.md", "Guía", "Bucles", "Repite."))
ASKED: Any = {"model": "assist", "messages": [{"role": "user", "content": "¿cómo itero?"}]}
whole = telling(CITED, "Con un ", "bucle [1].", text="Con un bucle [1].")
TEXT = "Con un bucle [1].\n\n---\n[1] guía.md — Bucles"


@asynccontextmanager
async def asking(folder: Path, script: Script = whole) -> AsyncIterator[tuple[Served, openai.AsyncOpenAI]]:
    async with serving(folder, script, embedder=HashedWordsEmbedder()) as served:
        http = httpx2.AsyncClient(trust_env=False, verify=UNREAD, timeout=60)
        client = openai.AsyncOpenAI(base_url=f"{served.url}/v1", api_key="any", max_retries=0, http_client=http)
        async with client:
            yield served, client


@pytest.fixture
async def http(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        serving(tmp_path, whole, embedder=HashedWordsEmbedder()) as served,
        httpx.AsyncClient(base_url=served.url, timeout=60, trust_env=False, verify=UNREAD) as client,
    ):
        yield client


async def test_a_completion_at_once(tmp_path: Path) -> None:
    async with asking(tmp_path) as (served, client):
        done = await client.chat.completions.create(**ASKED)
    choice = done.choices[0]
    assert (choice.message.role, choice.message.content, choice.finish_reason) == ("assistant", TEXT, "stop")
    assert choice.message.annotations
    assert choice.message.annotations[0].url_citation.url == "guía.md"
    assert done.usage is not None
    assert (done.usage.prompt_tokens, done.usage.completion_tokens, done.usage.total_tokens) == (7, 5, 12)
    assert served.answers.turns[0].query == "¿cómo itero?"


@pytest.mark.parametrize("with_usage", [True, False])
async def test_a_stream(tmp_path: Path, with_usage: bool) -> None:
    options: Any = {"stream_options": {"include_usage": True}} if with_usage else {}
    async with asking(tmp_path) as (_, client):
        chunks = [chunk async for chunk in await client.chat.completions.create(stream=True, **ASKED, **options)]
    last = chunks.pop() if with_usage else None
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == TEXT
    assert chunks[0].choices[0].delta.role == "assistant"
    assert [chunk.choices[0].finish_reason for chunk in chunks] == [None] * (len(chunks) - 1) + ["stop"]
    assert len({chunk.id for chunk in chunks}) == 1
    if last is not None:
        assert last.choices == []
        assert last.usage is not None
        assert last.usage.total_tokens == 12


async def test_the_bytes_of_a_stream_are_events_and_end_as_documented(http: httpx.AsyncClient) -> None:
    answered = await http.post("/v1/chat/completions", json={**ASKED, "stream": True})
    assert answered.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answered.headers["x-session-id"]
    blocks = answered.text.removesuffix("\n\n").split("\n\n")
    assert blocks[-1] == "data: [DONE]"
    assert all(block.startswith((": ", "data: ")) and "\n" not in block for block in blocks)
    chunks = [json.loads(block[6:]) for block in blocks[:-1] if block.startswith("data: ")]
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}


async def test_a_conversation_goes_on_in_one_session_and_a_named_one_is_used(tmp_path: Path) -> None:
    async with asking(tmp_path) as (served, client):
        await client.chat.completions.create(**ASKED, extra_headers={"x-session-id": "by-header"})
        await client.chat.completions.create(**ASKED, extra_body={"session_id": "by-body"})
        answered = await client.chat.completions.with_raw_response.create(**ASKED)
        await client.chat.completions.create(**ASKED)
    sessions = [turn.session_id for turn in served.answers.turns]
    assert sessions[:2] == ["by-header", "by-body"]
    assert answered.headers["x-session-id"] == sessions[2]
    assert len(set(sessions)) == 4


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (NotFound("session_id: there is no such session"), openai.NotFoundError, "not_found"),
        (SessionBusy("busy"), openai.ConflictError, "session_busy"),
        (Overloaded("full", 1.2), openai.RateLimitError, "rate_limit_exceeded"),
        (DeadlineExceeded("late"), openai.InternalServerError, "timeout"),
        (DependencyUnavailable("ollama", "gone"), openai.InternalServerError, "unavailable"),
        (ConfigurationError("wrong"), openai.InternalServerError, None),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_an_error_is_the_clients_own_kind(
    tmp_path: Path, error: Exception, kind: type[openai.APIStatusError], code: str | None, stream: bool
) -> None:
    async with asking(tmp_path, failing(error)) as (_, client):
        with pytest.raises(kind) as caught:
            await client.chat.completions.create(**ASKED, stream=stream)
    assert str(error) in caught.value.message
    assert caught.value.code == code
    hint = caught.value.response.headers.get("retry-after")
    assert hint == ("2" if isinstance(error, Overloaded) else None)


@pytest.mark.parametrize("stream", [False, True])
async def test_an_unexpected_errors_words_stay_inside(tmp_path: Path, stream: bool, capsys: Any) -> None:
    async with asking(tmp_path, failing(ValueError("canary-words"))) as (_, client):
        with pytest.raises(openai.InternalServerError) as caught:
            await client.chat.completions.create(**ASKED, stream=stream)
    printed = capsys.readouterr()
    assert "canary" not in str(caught.value) + printed.out + printed.err
    assert "request id" in caught.value.message


async def test_an_error_in_mid_stream_ends_it_with_an_error(tmp_path: Path) -> None:
    async def breaking(turn: Turn) -> AsyncGenerator[Event]:
        yield TextDelta("It begins")
        await asyncio.sleep(0)
        raise DependencyUnavailable("ollama", "gone")

    async with asking(tmp_path, breaking) as (_, client):
        chunks = aiter(await client.chat.completions.create(stream=True, **ASKED))
        assert [(await anext(chunks)).choices[0].delta.content for _ in range(2)] == ["", "It begins"]
        with pytest.raises(openai.APIError, match="ollama: gone"):
            await anext(chunks)


async def test_leaving_ends_the_turn(tmp_path: Path) -> None:
    async with asking(tmp_path, endless) as (served, client):
        stream = await client.chat.completions.create(stream=True, **ASKED)
        async for chunk in stream:
            if chunk.choices[0].delta.content == "first":
                break
        await stream.close()
        async with asyncio.timeout(60):
            await served.answers.ended.wait()


async def test_leaving_before_anything_was_said_ends_the_turn_too(tmp_path: Path) -> None:
    async def silent(turn: Turn) -> AsyncGenerator[Event]:
        yield Routed(ROUTE)
        await asyncio.Event().wait()

    async with asking(tmp_path, silent) as (served, client):
        asked = asyncio.create_task(client.chat.completions.create(stream=True, **ASKED))
        while not served.answers.turns:
            await client.models.list()
        asked.cancel()
        async with asyncio.timeout(60):
            await served.answers.ended.wait()


async def test_a_long_silence_begins_the_stream(tmp_path: Path) -> None:
    async def slow(turn: Turn) -> AsyncGenerator[Event]:
        yield Progress("working")
        await asyncio.Event().wait()

    async with asking(tmp_path, slow) as (_, client):
        stream = await client.chat.completions.create(stream=True, **ASKED)
        assert (await anext(aiter(stream))).choices[0].delta.role == "assistant"
        await stream.close()


async def test_a_cut_stream_is_told_why(tmp_path: Path) -> None:
    async with asking(tmp_path, endless) as (served, client):
        stream = await client.chat.completions.create(stream=True, **ASKED)
        chunks = aiter(stream)
        await anext(chunks)
        await anext(chunks)
        await served.web.stop(0)
        with pytest.raises(openai.APIError, match="it is stopping"):
            await anext(chunks)


async def test_an_answer_that_was_cut_short_says_so(tmp_path: Path) -> None:
    async def cut(turn: Turn) -> AsyncGenerator[Event]:
        yield Completed(Answer("It", turn.session_id, "t", ROUTE, outcome=Outcome.PARTIAL))

    async with asking(tmp_path, cut) as (_, client):
        assert (await client.chat.completions.create(**ASKED)).choices[0].finish_reason == "length"


@pytest.mark.parametrize(
    ("path", "body", "status", "param", "code"),
    [
        ("chat/completions", b"{", 400, "body", None),
        ("chat/completions", b'{"model": "assist", "messages": []}', 400, "messages", None),
        ("chat/completions", b'{"model": "x", "messages": []}', 404, "model", "model_not_found"),
        (
            "chat/completions",
            b'{"model": "assist", "messages": [{"role": "user", "content": " "}]}',
            400,
            "messages[0].content",
            None,
        ),
        ("chat/completions", b" " * (1 << 20) + b"{}", 413, None, None),
        ("embeddings", b"[]", 400, "body", None),
        ("embeddings", b'{"model": "x", "input": "a"}', 404, "model", "model_not_found"),
        ("embeddings", b'{"input": "a"}', 400, "model", None),
        ("embeddings", b'{"model": "hashed-words-64", "input": [1, 2]}', 400, "input", None),
        ("embeddings", b'{"model": "hashed-words-64", "input": [""]}', 400, "input", None),
        ("embeddings", b'{"model": "hashed-words-64", "input": []}', 400, "input", None),
        ("embeddings", b'{"model": "hashed-words-64", "input": "a", "dimensions": 7}', 400, "dimensions", None),
        (
            "embeddings",
            b'{"model": "hashed-words-64", "input": "a", "encoding_format": "x"}',
            400,
            "encoding_format",
            None,
        ),
        ("nothing", b"{}", 404, None, "not_found"),
        ("models", b"{}", 405, None, "unimplemented"),
    ],
)
async def test_a_bad_request_is_refused_in_openais_form(
    http: httpx.AsyncClient, path: str, body: bytes, status: int, param: str | None, code: str | None
) -> None:
    answered = await http.post(f"/v1/{path}", content=body)
    assert answered.status_code == status
    error = answered.json()["error"]
    assert error["message"]
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)


async def test_models_are_listed_and_looked_up(tmp_path: Path) -> None:
    async with asking(tmp_path) as (_, client):
        names = [model.id async for model in client.models.list()]
        assert names[0] == "assist"
        assert {"assist:code", "assist:platform", "hashed-words-64"} <= set(names)
        assert (await client.models.retrieve("assist:code")).owned_by == "assistance-engine"
        with pytest.raises(openai.NotFoundError) as caught:
            await client.models.retrieve("gpt-x")
    assert caught.value.code == "model_not_found"


async def test_embeddings_are_the_embedders_in_both_forms(tmp_path: Path) -> None:
    texts = ["one two", "three"]
    expected = [pytest.approx(row) for row in HashedWordsEmbedder().embed(texts).tolist()]
    async with asking(tmp_path) as (served, client):
        made = await client.embeddings.create(model="hashed-words-64", input=texts)  # in base64
        assert [one.embedding for one in made.data] == expected
        body = {"model": "hashed-words-64", "input": texts, "encoding_format": "float"}
        async with httpx.AsyncClient(trust_env=False, verify=UNREAD, timeout=60) as http:
            data = (await http.post(f"{served.url}/v1/embeddings", json=body)).json()["data"]
            assert [one["embedding"] for one in data] == expected
            body["encoding_format"] = "base64"
            (first, _) = (await http.post(f"{served.url}/v1/embeddings", json=body)).json()["data"]
    assert list(struct.unpack("<64f", b64decode(first["embedding"]))) == expected[0]


async def test_embeddings_that_pile_up_are_refused_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "_WAITING", 0)
    async with asking(tmp_path) as (_, client):
        with pytest.raises(openai.RateLimitError) as caught:
            await client.embeddings.create(model="hashed-words-64", input="one")
    assert caught.value.response.headers["retry-after-ms"] == "1000"
