"""Answers per second under many streams at once, as a share of what bare grpc.aio streams on the same machine."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field

from scripts.benchmarks.harness.children import Child, child
from scripts.benchmarks.harness.load import SERVERS, Caller, bare_server, by_token, check, connected, request
from scripts.benchmarks.harness.material import Resolution, seed_queries
from scripts.benchmarks.harness.report import Row, Section, median
from scripts.benchmarks.harness.servers import TOKENS

CALLERS = 64
TYPES = ("PLATFORM", "RETRIEVAL")
_NOTE = (
    f"{CALLERS} callers, {TOKENS} tokens an answer, the type declared, each answer a session of its own, each question "
    "new to the embedder's memo; every token came, in order. The peer sends a message a token; tokens that wait for "
    "their reader go as one message from ours, and `joined` is a peer that sends those. The client shares the cores; "
    "CPU is the server's alone."
)


@dataclass(slots=True)
class _Side:
    """One of the two servers, and its rounds."""

    caller: Caller
    server: Child
    rates: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)

    async def round(self, requests: list[bytes]) -> None:
        """Streams all answers once and checks them afterwards."""
        cpu, started = self.server.cpu(), time.perf_counter()
        answers = await self.caller.many(requests, CALLERS)
        self.rates.append(len(requests) / (time.perf_counter() - started))
        self.cpu.append((self.server.cpu() - cpu) * 1000 / len(requests))
        check(answers, len(requests))


def measure(material: Resolution) -> Section:
    """Streams per second of ours and of a bare server."""
    rounds, answers = (2, 128) if material.quick else (3, 600)
    rows = [asyncio.run(measured(material, type_, rounds, answers)) for type_ in TYPES]
    return Section("streams", rows, _NOTE)


async def measured(material: Resolution, type_: str, rounds: int, answers: int) -> Row:
    """Streams per second of ours and of the bare server in both of its ways, in turn, with so many answers a round.

    Raises:
        RuntimeError: A token was lost or reordered.
    """
    with child(material.guide(), SERVERS, "engine") as ours:
        async with connected(ours.address) as engine:
            asked, again = (request(text, type_) for text in seed_queries(type_)[:2])
            answer = await engine.whole(asked)
            with bare_server(material.fresh("bare"), {asked: by_token(answer), again: answer}) as peer:
                async with connected(peer.address) as bare:
                    sides = (_Side(engine, ours), _Side(bare, peer), _Side(bare, peer))
                    for number in range(rounds):
                        await sides[0].round(_requests(type_, number, answers))
                        await sides[1].round([asked] * answers)
                        await sides[2].round([again] * answers)
    return _row(type_, *sides)


def _requests(type_: str, number: int, count: int) -> list[bytes]:
    """Requests whose texts differ from those of every other round, each still one question."""
    texts = seed_queries(type_)
    return [request(f"{number}/{place}: {texts[place % len(texts)]}", type_) for place in range(count)]


def _row(type_: str, engine: _Side, bare: _Side, joined: _Side) -> Row:
    ours, peer = median(engine.rates), median(bare.rates)
    more = {
        "joined": median(joined.rates),
        "server CPU ms an answer": median(engine.cpu),
        "peer's": median(bare.cpu),
        "worst round": min(engine.rates),
        "best round": max(engine.rates),
    }
    return Row(f"Streams, {type_}", "answers/s", ours, peer, "bare grpc.aio", len(engine.rates), more)
