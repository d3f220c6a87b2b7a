"""Callers who do not read their streams, and callers who leave: what that costs the others, and what stays behind.

Server, model and callers are in this process, so times are to be compared with those of the same run.
"""

from __future__ import annotations

import asyncio
import random
import resource
import statistics
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from engine.answering.admission import Admission
from engine.answering.engine import AnswerEngine
from engine.answering.nodes import Limits, Models, Nodes
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Outcome
from engine.generation.port import Done, Prompt, Token
from engine.planning.workflow import Workflow
from engine.rpc.server import GrpcServer
from engine.service.limits import ServerLimits
from engine.service.methods import AssistanceService
from engine.testing import ListRetriever, ScriptedModel, ScriptedRouter, counting_ids
from scripts.benchmarks.harness.load import request

_ASK = "/engine.v1.AssistanceService/AskAgentStream"
#: A question whose answer never ends; words and their size, of which no buffer holds all; and words of the others.
ENDLESS, _PIECE, _WORDS = "tell me everything", "word " * 200, 64
#: Looks at the store, each after 50 ms, until all turns are there.
_LOOKS = 200
#: Seconds without a word after which streams are said to wait.
_STILL = 0.3
#: Streams that are cancelled at a time, and the longest that one is let run, in seconds.
_AT_ONCE, _RUN = 50, 0.1


class Pouring(ScriptedModel):
    """A model that answers with 64 words, or without end; it counts its open streams, and what they said."""

    live = poured = 0

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`."""
        self.live += 1
        try:
            place = 0
            while place < _WORDS or prompt.query == ENDLESS:
                yield Token(_PIECE if prompt.query == ENDLESS else "word ")
                await asyncio.sleep(0)
                place += 1
                self.poured += 1
            yield Done()
        finally:
            self.live -= 1


@dataclass(frozen=True, slots=True)
class Running:
    """The engine under load."""

    address: str
    model: Pouring
    store: SqlSessionStore


@asynccontextmanager
async def running(folder: Path, stall: float, turns: int) -> AsyncIterator[Running]:
    """An engine over that model, behind gRPC."""
    store, model, nothing = SqlSessionStore(folder / "sessions.sqlite3"), Pouring(""), ListRetriever([])
    nodes = Nodes(ScriptedRouter(), nothing, store, Models(model, model), Limits(), Workflow.by_rules(nothing))
    answers = AnswerEngine(nodes, new_id=counting_ids(), admission=Admission(turns, turns))
    service = AssistanceService(answers, ScriptedRouter(), store, folder / "none")
    limits = ServerLimits(stall=stall)
    server = GrpcServer(service, address="127.0.0.1:0", checks={}, reflection_on=False, limits=limits)
    await server.start()
    try:
        yield Running(server.address, model, store)
    finally:
        await server.stop(0)
        await store.close()


@dataclass(frozen=True, slots=True)
class Stalled:
    """What readers that stop came to. Milliseconds are 99th percentiles of whole answers of those who read.

    Attributes:
        alone: Before the others ask.
        filling: While what the others are sent still fills what lies between engine and reader.
        beside: Once that is full, and their turns wait.
        ended: Seconds until the turns of all who did not read were stored.
        partial: How many of those are stored as partial.
    """

    alone: float
    filling: float
    beside: float
    ended: float
    partial: int


async def stalled(engine: Running, stopped: int, healthy: int, asks: int) -> Stalled:
    """So many callers read an endless answer's beginning and stop; others ask before that and while it lasts."""
    async with AsyncExitStack() as kept:
        channels = [await kept.enter_async_context(_connected(engine.address)) for _ in range(stopped)]
        ask = (await kept.enter_async_context(_connected(engine.address))).unary_stream(_ASK, None, None)
        alone = await _answers(ask, healthy, asks)
        calls = [channel.unary_stream(_ASK, None, None)(request(ENDLESS)) for channel in channels]
        await asyncio.gather(*(anext(aiter(call)) for call in calls))
        await _until(lambda: engine.model.live == stopped)
        started = time.perf_counter()
        filling = await _answers(ask, healthy, asks)
        await _still(engine.model)
        beside = await _answers(ask, healthy, asks)
        await _until(lambda: not engine.model.live)
        ended = time.perf_counter() - started
        partial = await _partial(engine, stopped)
        for call in calls:
            call.cancel()
    return Stalled(_p99(alone), _p99(filling), _p99(beside), ended, partial)


def _connected(address: str) -> grpc.aio.Channel:
    """A connection of its own: one whose streams are not read has no room left for others (RFC 9113, section 5.2).

    It takes 64 KB ahead of its reader and no more, or what nobody reads would be in this process.
    """
    options = (
        ("grpc.use_local_subchannel_pool", 1),
        ("grpc.http2.bdp_probe", 0),
        ("grpc.http2.lookahead_bytes", 65_536),
    )
    return grpc.aio.insecure_channel(address, options=options)


async def _partial(engine: Running, expected: int) -> int:
    """How many turns are stored as partial, once as many are as is expected, or some time later."""
    count = 0
    for _ in range(_LOOKS):
        turns = await engine.store.every_turn(size=100_000)
        count = sum(turn.outcome is Outcome.PARTIAL for turn in turns)
        if count >= expected:
            break
        await asyncio.sleep(0.05)
    return count


async def _answers(ask: Any, callers: int, asks: int) -> list[float]:
    """Milliseconds of each answer, of callers who ask one question after the other."""
    spent: list[float] = []

    async def caller() -> None:
        for _ in range(asks):
            started = time.perf_counter()
            async for _ in ask(request("hello there, how is it going")):
                pass
            spent.append((time.perf_counter() - started) * 1000)

    await asyncio.gather(*(caller() for _ in range(callers)))
    return spent


async def _still(model: Pouring) -> None:
    """Returns when the model's streams have said nothing for a while: all wait for their readers."""
    before = -1
    while before != model.poured:
        before = model.poured
        await asyncio.sleep(_STILL)


async def _until(true: Callable[[], bool]) -> None:
    while not true():  # noqa: ASYNC110  # a count of the model's, which knows of no waiting
        await asyncio.sleep(0.01)


def _p99(milliseconds: list[float]) -> float:
    return statistics.quantiles(milliseconds, n=100)[98]


async def cancelled(engine: Running, calls: int, seed: int = 1) -> tuple[float, float]:
    """Callers who leave at any moment: megabytes that the process grew by, seconds until the model was left alone."""
    dice = random.Random(seed)
    async with _connected(engine.address) as channel:
        ask = channel.unary_stream(_ASK, None, None)

        async def leave() -> None:
            call = ask(request(ENDLESS))
            await asyncio.sleep(dice.random() * _RUN)
            call.cancel()

        async def leaving(count: int) -> None:
            for _ in range(count // _AT_ONCE):
                await asyncio.gather(*(leave() for _ in range(_AT_ONCE)))

        await leaving(calls)  # what is made once, and what is kept for use again, is there
        before = _megabytes()
        await leaving(calls)
        started = time.perf_counter()
        await _until(lambda: not engine.model.live)
        return _megabytes() - before, time.perf_counter() - started


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / 1e6
