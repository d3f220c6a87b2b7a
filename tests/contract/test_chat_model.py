"""The promise of `ChatModel`, kept by everything that writes answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

import pytest

from classifier.decision import QueryType
from engine.domain import Evidence, Message, Passage
from engine.errors import DependencyUnavailable
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.generation.ollama.chat import OllamaChatModel
from engine.generation.ollama.served import ServedModel
from engine.generation.port import ChatModel, Done, Prompt, Token
from engine.testing import HashedWordsEmbedder, ScriptedModel
from tests.ollama_server import Ending, FakeOllama, done, word

PASSAGE = Passage("p", "doc.md", "Variables", "", "The addVar command adds a variable.")
PROMPT = Prompt(
    QueryType.RETRIEVAL,
    "What does the addVar command add?",
    messages=(Message("system", "Be brief."), Message("user", "What does the addVar command add?")),
    evidence=(Evidence(1, PASSAGE),),
)
WHOLE = "The addVar command adds a variable. [1]"


@dataclass(frozen=True)
class Case:
    """A model that answers `PROMPT` with `WHOLE`, and its server where it has one."""

    model: ChatModel
    server: FakeOllama | None = None


@pytest.fixture(params=["scripted", "extractive", "ollama"])
async def case(request: pytest.FixtureRequest) -> AsyncIterator[Case]:
    if request.param == "scripted":
        yield Case(ScriptedModel(WHOLE))
    elif request.param == "extractive":
        yield Case(ExtractiveAnswerer(HashedWordsEmbedder()))
    else:
        async with FakeOllama().running() as server:
            server.lines = [*(word(f"{text} ") for text in WHOLE.split(" ")[:-1]), word("[1]"), done()]
            served = ServedModel("m", server.host, num_ctx=1024, parallel=4)
            yield Case(OllamaChatModel(served, num_predict=64), server)


async def pieces_of(model: ChatModel) -> list[Token | Done]:
    async with aclosing(model.stream(PROMPT)) as pieces:
        return [piece async for piece in pieces]


async def test_tokens_and_then_exactly_one_done(case: Case) -> None:
    *tokens, last = await pieces_of(case.model)
    assert isinstance(last, Done)
    assert not last.truncated
    assert all(isinstance(piece, Token) and piece.text for piece in tokens)
    assert "".join(piece.text for piece in tokens if isinstance(piece, Token)) == WHOLE


async def test_many_answers_at_a_time(case: Case) -> None:
    alone = await pieces_of(case.model)
    assert await asyncio.gather(*(pieces_of(case.model) for _ in range(8))) == [alone] * 8


async def test_closing_early_closes(case: Case) -> None:
    if case.server is not None:
        case.server.lines, case.server.ending = [word("The ")], Ending.HANG
    async with asyncio.timeout(1):
        async with aclosing(case.model.stream(PROMPT)) as pieces:
            first = await anext(pieces)
            assert isinstance(first, Token)
            assert first.text.startswith("The ")  # a line of it from what has all of it at once
        with pytest.raises(StopAsyncIteration):
            await anext(pieces)
        if case.server is not None:
            await case.server.gone.wait()
        if isinstance(case.model, ScriptedModel):
            assert case.model.closed == 1


async def test_a_stream_that_is_not_consumed_asks_nobody(case: Case) -> None:
    await case.model.stream(PROMPT).aclose()
    assert case.server is None or case.server.requests == []


async def test_it_has_a_name(case: Case) -> None:
    assert case.model.name


async def test_ping_returns_when_it_can_be_asked(case: Case) -> None:
    if case.server is not None:
        case.server.lines = [{}]
    async with asyncio.timeout(5):
        await case.model.ping()


async def test_closing_twice_is_closing_once(case: Case) -> None:
    await pieces_of(case.model)
    await case.model.close()
    await case.model.close()


@pytest.mark.parametrize("case", ["ollama"], indirect=True)
async def test_ping_raises_when_it_cannot_be_asked(case: Case) -> None:
    assert case.server is not None
    case.server.status = 503
    with pytest.raises(DependencyUnavailable):
        await case.model.ping()
