"""What all who ask one model share: its loading, its room, and its errors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from classifier.decision import QueryType
from engine.domain import Message
from engine.errors import DependencyUnavailable, Overloaded
from engine.generation.ollama.chat import OllamaChatModel, OllamaLabeller, OllamaStructured
from engine.generation.ollama.residency import OllamaLimits
from engine.generation.ollama.served import Served, ServedModel
from engine.generation.port import Done, Prompt, Token
from tests.ollama_server import Ending, FakeOllama, word

PROMPT = Prompt(QueryType.CONVERSATIONAL, "q", messages=(Message("user", "Hello?"),))
LIMITS = OllamaLimits(connect=2, load=2)


@pytest.fixture
async def server() -> AsyncIterator[FakeOllama]:
    async with FakeOllama().running() as running:
        yield running


@pytest.fixture
async def served(server: FakeOllama) -> AsyncIterator[Served]:
    models = Served(server.host, num_ctx=1024, limits=LIMITS, parallel=1)
    yield models
    await models.close()
    await models.close()


async def said(model: OllamaChatModel) -> list[Token | Done]:
    async with aclosing(model.stream(PROMPT)) as pieces:
        return [piece async for piece in pieces]


async def until_asked(server: FakeOllama, times: int) -> None:
    async with asyncio.timeout(5):
        while len(server.requests) < times:  # noqa: ASYNC110  # the server keeps a list, not an event
            await asyncio.sleep(0.001)


def test_a_model_is_made_once(server: FakeOllama, served: Served) -> None:
    assert served.model("m") is served.model("m")
    assert served.model("m") is not served.model("qwen3:0.6b")


async def test_the_third_request_at_a_time_is_refused(server: FakeOllama, served: Served) -> None:
    server.lines, server.ending = [word("Hel")], Ending.HANG
    model = OllamaChatModel(served.model("m"), num_predict=8)
    held = [asyncio.create_task(said(model)) for _ in range(2)]
    await until_asked(server, 2)
    assert model.busy
    refusals = []
    for _ in range(50):
        with pytest.raises(Overloaded) as refused:
            await said(model)
        refusals.append(refused.value)
    assert all(error.retry_after >= 1 for error in refusals)
    assert len(server.requests) == 2  # the server heard nothing of them
    for task in held:
        task.cancel()
    await asyncio.gather(*held, return_exceptions=True)
    server.ending, server.lines = Ending.CLEAN, FakeOllama().lines
    assert (await said(model))[0] == Token("Hello")  # whoever leaves gives the place back
    await model.close()


async def test_answers_labels_and_plans_of_one_model_share_its_room(server: FakeOllama, served: Served) -> None:
    server.lines, server.ending = [word("{")], Ending.HANG
    model = served.model("m")
    chat, labeller, planner = OllamaChatModel(model, num_predict=8), OllamaLabeller(model), OllamaStructured(model)
    held: list[asyncio.Task[object]] = [
        asyncio.create_task(labeller.label("Which?", ["PLATFORM"])),
        asyncio.create_task(planner.complete(PROMPT.messages, {})),
    ]
    await until_asked(server, 2)
    with pytest.raises(Overloaded):
        await said(chat)
    with pytest.raises(Overloaded):
        await labeller.label("Which?", ["PLATFORM"])
    with pytest.raises(Overloaded):
        await planner.complete(PROMPT.messages, {})
    other = asyncio.create_task(said(OllamaChatModel(served.model("qwen3:0.6b"), num_predict=8)))
    await until_asked(server, 3)  # another model has room of its own
    for task in (*held, other):
        task.cancel()
    await asyncio.gather(*held, other, return_exceptions=True)


async def test_a_model_is_loaded_once_for_whoever_asks_it(server: FakeOllama, served: Served) -> None:
    server.loaded = []
    server.loading.clear()
    server.lines = FakeOllama().lines
    model = served.model("m")
    asked = [
        asyncio.create_task(said(OllamaChatModel(model, num_predict=8))),
        asyncio.create_task(OllamaLabeller(model).label("Which?", ["PLATFORM"])),
        asyncio.create_task(served.warm_up()),
    ]
    while "/api/generate" not in server.probes:  # noqa: ASYNC110  # the server keeps a list, not an event
        await asyncio.sleep(0.001)
    server.loading.set()
    await asyncio.gather(*asked)
    assert server.probes == ["/api/ps", "/api/generate"]


async def test_warming_up_loads_every_model_and_passes_over_one_that_cannot_be(
    server: FakeOllama, served: Served
) -> None:
    server.loaded = []
    first, second = served.model("qwen3:0.6b"), served.model("qwen3:1.7b")
    await served.warm_up()
    # The stand-in has all in memory after one load; the other one reads a little for its pace to be known.
    assert server.probes == ["/api/ps", "/api/generate", "/api/ps", "/api/generate"]
    await first.residency.warm()
    await second.residency.warm()
    assert server.probes.count("/api/ps") == 2

    away = Served("http://127.0.0.1:1", num_ctx=1024, limits=LIMITS, parallel=1)
    away.model("m")
    await away.warm_up()
    with pytest.raises(DependencyUnavailable, match="nothing listens"):
        await away.ping()


async def test_ping_looks_for_every_model(server: FakeOllama, served: Served) -> None:
    served.model("m")
    await served.ping()
    served.model("nobody")
    with pytest.raises(DependencyUnavailable, match="ollama pull nobody"):
        await served.ping()


async def test_an_error_is_told_as_ours_and_forgets_that_the_model_was_loaded(server: FakeOllama) -> None:
    model = ServedModel("m", server.host, num_ctx=1024, limits=LIMITS)
    async with model.asked():
        pass
    with pytest.raises(DependencyUnavailable, match="cannot be read"):
        async with model.asked():
            raise ValueError("their words")
    with pytest.raises(DependencyUnavailable, match="ours"):
        async with model.asked():
            raise DependencyUnavailable("ollama", "ours")
    async with model.asked():
        pass
    assert server.probes == ["/api/ps", "/api/generate", "/api/ps", "/api/ps"]  # it is measured once
    await model.residency.close()


async def test_the_pace_of_a_model_is_known_from_its_loading(server: FakeOllama) -> None:
    server.loaded, server.read = [], {"prompt_eval_count": 90, "prompt_eval_duration": 3_000_000_000}
    model = ServedModel("m", server.host, num_ctx=1024, limits=LIMITS)
    async with model.asked("Hello?"):
        known = model.pace.seconds("z" * 1000)
    assert known is not None
    assert 4 < known < 12  # some four hundred characters in three seconds
    assert server.probes == ["/api/ps", "/api/generate"]
    await model.residency.close()


async def test_a_model_that_was_in_memory_before_us_is_measured_too(server: FakeOllama) -> None:
    server.read = {"prompt_eval_count": 90, "prompt_eval_duration": 3_000_000_000}
    model = ServedModel("m", server.host, num_ctx=1024, limits=LIMITS)
    async with model.asked("Hello?"):
        assert model.pace.known
    await model.residency.close()


async def test_a_server_that_reports_nothing_is_asked_all_the_same(server: FakeOllama) -> None:
    model = ServedModel("m", server.host, num_ctx=1024, limits=OllamaLimits(connect=2, silence=0.05))
    server.loading.clear()  # it does not even answer
    async with model.asked("Hello?"):
        assert not model.pace.known
    server.loading.set()
    await model.residency.close()
