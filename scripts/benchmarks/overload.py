"""More calls than an engine takes: what each came to, how soon accepted ones began, how soon the rest were refused."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from scripts.benchmarks.harness.load import request

_ASK = "/engine.v1.AssistanceService/AskAgentStream"
_SECONDS = 120.0
#: What a call may come to under overload; anything else is a fault.
EXPECTED = frozenset({"OK", "RESOURCE_EXHAUSTED"})


@dataclass(frozen=True, slots=True)
class Ended:
    """One call. Seconds from when it was made; `first` is to its first event, None where there was none."""

    code: str
    first: float | None
    total: float


async def call(channel: Any, query: str) -> Ended:
    """Asks once."""
    started, first = time.perf_counter(), None
    try:
        async for _ in channel.unary_stream(_ASK)(request(query), timeout=_SECONDS):
            first = time.perf_counter() - started if first is None else first
    except grpc.aio.AioRpcError as error:
        return Ended(error.code().name, first, time.perf_counter() - started)
    return Ended("OK", first, time.perf_counter() - started)


async def burst(address: str, queries: Sequence[str], calls: int) -> list[Ended]:
    """So many calls at once, over one connection."""
    async with grpc.aio.insecure_channel(address) as channel:
        return list(await asyncio.gather(*(call(channel, queries[n % len(queries)]) for n in range(calls))))


async def steady(address: str, queries: Sequence[str], callers: int, seconds: float) -> list[Ended]:
    """So many callers who ask again as soon as they have an answer, or a second after a refusal."""
    ended: list[Ended] = []
    until = time.perf_counter() + seconds

    async def ask(channel: Any, place: int) -> None:
        while time.perf_counter() < until:
            ended.append(await call(channel, queries[(place + len(ended)) % len(queries)]))
            if ended[-1].code != "OK":
                await asyncio.sleep(1.0)

    async with grpc.aio.insecure_channel(address) as channel:
        await asyncio.gather(*(ask(channel, place) for place in range(callers)))
    return ended


def faults(ended: Sequence[Ended]) -> dict[str, int]:
    """Codes that no call may come to, with how many did."""
    return {code: count for code, count in Counter(one.code for one in ended).items() if code not in EXPECTED}


def row(name: str, ended: Sequence[Ended], seconds: float) -> str:
    """A line of the table: milliseconds are medians and 99th percentiles."""
    answered = [one for one in ended if one.code == "OK"]
    refused = [one.total for one in ended if one.code == "RESOURCE_EXHAUSTED"]
    firsts = [one.first for one in answered if one.first is not None]
    other = sum(faults(ended).values())
    cells = [name, len(answered), len(refused), other, f"{len(answered) / seconds:.1f}"]
    cells += [_spread(firsts), _spread([one.total for one in answered]), _spread(refused)]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


HEAD = (
    "| Load | Answered | Refused | Other | Answers/s | First event, ms | Whole answer, ms | Refusal, ms |\n"
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def _spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "-"
    last = sorted(seconds)[min(len(seconds) - 1, int(0.99 * len(seconds)))]
    return f"{statistics.median(seconds) * 1000:.0f} / {last * 1000:.0f}"
