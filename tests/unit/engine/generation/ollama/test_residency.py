from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest

from engine.errors import DependencyUnavailable
from engine.generation.ollama.residency import OllamaLimits, Residency
from engine.testing import FixedClock
from tests.ollama_server import FakeOllama

LIMITS = OllamaLimits(connect=2, load=2)


@pytest.fixture
async def server() -> AsyncIterator[FakeOllama]:
    async with FakeOllama().running() as running:
        yield running


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def residency(server: FakeOllama, clock: FixedClock) -> Residency:
    return Residency("m", server.host, num_ctx=1024, limits=LIMITS, clock=clock)


async def test_a_model_in_memory_is_not_loaded(server: FakeOllama, residency: Residency) -> None:
    await residency.warm()
    assert server.probes == ["/api/ps"]


async def test_many_that_wait_cause_one_load(server: FakeOllama, residency: Residency) -> None:
    server.loaded = []
    server.loading.clear()
    waiting = [asyncio.create_task(residency.warm()) for _ in range(20)]
    while "/api/generate" not in server.probes:  # noqa: ASYNC110  # the server keeps a list, not an event
        await asyncio.sleep(0.001)
    waiting.pop().cancel()  # one that leaves takes nothing from the others
    server.loading.set()
    await asyncio.gather(*waiting)
    assert server.probes == ["/api/ps", "/api/generate"]


async def test_a_model_that_has_just_answered_is_not_asked_about(
    server: FakeOllama, residency: Residency, clock: FixedClock
) -> None:
    residency.used()
    await residency.warm()
    assert server.probes == []
    clock.move(61)
    await residency.warm()
    assert server.probes == ["/api/ps"]
    residency.lost(ValueError())
    await residency.warm()
    assert server.probes == ["/api/ps", "/api/ps"]


async def test_a_model_that_was_silent_after_it_had_failed_is_taken_out_of_memory_first(
    server: FakeOllama, residency: Residency
) -> None:
    silence = httpx.ReadTimeout("silent")
    for _ in range(3):  # once, after a whole answer, is no reason
        residency.lost(silence)
        await residency.warm()
        residency.used()
    assert set(server.probes) == {"/api/ps"}
    residency.lost(silence)
    residency.lost(ValueError())
    residency.lost(silence)
    server.probes.clear()
    await residency.warm()
    assert server.probes == ["/api/generate", "/api/ps", "/api/ps", "/api/generate"]
    residency.lost(silence)
    server.probes.clear()
    await residency.warm()  # it is counted anew
    assert server.probes == ["/api/ps"]


async def test_after_an_answer_was_left_one_silence_is_enough(server: FakeOllama, residency: Residency) -> None:
    residency.left()
    residency.used()  # it has answered since
    residency.lost(httpx.ReadTimeout("silent"))
    await residency.warm()
    assert server.probes == ["/api/ps"]
    server.probes.clear()
    residency.used()
    residency.left()
    residency.lost(httpx.ReadTimeout("silent"))
    await residency.warm()
    assert server.probes[0] == "/api/generate"


async def test_a_model_is_asked_again_only_when_it_is_out_of_memory(
    server: FakeOllama, residency: Residency, clock: FixedClock
) -> None:
    server.unloading.clear()
    residency.left()
    residency.lost(httpx.ReadTimeout("silent"))
    waiting = asyncio.create_task(residency.warm())
    while server.probes.count("/api/ps") < 2:  # noqa: ASYNC110  # the server keeps a list, not an event
        await asyncio.sleep(0.001)
    assert not waiting.done()
    server.unloading.set()
    await waiting
    assert server.probes.count("/api/generate") == 2
    server.unloading.clear()
    server.probes.clear()
    residency.left()
    residency.lost(httpx.ReadTimeout("silent"))
    waiting = asyncio.create_task(residency.warm())
    while "/api/ps" not in server.probes:  # noqa: ASYNC110  # the server keeps a list, not an event
        await asyncio.sleep(0.001)
    clock.move(LIMITS.silence)  # others are being answered for longer than it waits
    await waiting
    assert server.probes.count("/api/generate") == 1


async def test_a_load_that_takes_too_long_is_said_and_tried_again(server: FakeOllama) -> None:
    residency = Residency("m", server.host, num_ctx=1024, limits=OllamaLimits(load=0.05))
    server.loaded = []
    server.loading.clear()
    with pytest.raises(DependencyUnavailable, match=r"ollama: model m sent nothing for 0\.05 s"):
        await residency.warm()
    server.loading.set()
    await residency.warm()


async def test_closing_ends_a_load_that_goes_on(server: FakeOllama, residency: Residency) -> None:
    server.loaded = []
    server.loading.clear()
    waiting = asyncio.create_task(residency.warm())
    while "/api/generate" not in server.probes:  # noqa: ASYNC110  # the server keeps a list, not an event
        await asyncio.sleep(0.001)
    await residency.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await residency.close()


@pytest.mark.parametrize(
    ("asked", "has", "found"),
    [
        ("m", ["m"], True),
        ("m:latest", ["m"], True),
        ("m:1b", ["m"], False),
        ("m", ["m:1b"], False),
        ("m:1b", ["m:1b"], True),
        ("registry.example:5000/team/m", ["other"], False),
    ],
)
async def test_a_name_without_a_tag_means_latest(server: FakeOllama, asked: str, has: list[str], found: bool) -> None:
    server.models = has
    residency = Residency(asked, server.host, num_ctx=1024, limits=LIMITS)
    assert await residency.resident() is found
    if found:
        await residency.available()
    else:
        with pytest.raises(DependencyUnavailable, match="ollama pull"):
            await residency.available()


@pytest.mark.parametrize(("written", "sent"), [("30m", "30m"), ("-1", -1), ("60", 60), ("1h", "1h")])
def test_a_number_of_seconds_is_sent_as_a_number(written: str, sent: str | int) -> None:
    assert OllamaLimits(keep_alive=written).keeping == sent
