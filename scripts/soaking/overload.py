"""More calls than an engine takes: what each came to, how soon accepted ones began, how soon the rest were refused."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import grpc

from scripts.benchmarks.harness.load import request
from scripts.soaking.rows import Row

_ASK = "/engine.v1.AssistanceService/AskAgentStream"
_SECONDS = 120.0
_EVERY = 0.01
#: What a call may come to under overload; anything else is a fault.
EXPECTED = frozenset({"OK", "RESOURCE_EXHAUSTED"})


@dataclass(frozen=True, slots=True)
class Ended:
    """One call. Seconds from when it was made; `first` is to its first event, None where there was none.

    Attributes:
        hint: Milliseconds after which to try again, as a refusal tells; 0 where it does not.
    """

    code: str
    first: float | None
    total: float
    hint: float = 0.0


async def call(channel: Any, query: str) -> Ended:
    """Asks once."""
    started, first = time.perf_counter(), None
    try:
        async for _ in channel.unary_stream(_ASK)(request(query), timeout=_SECONDS):
            first = time.perf_counter() - started if first is None else first
    except grpc.aio.AioRpcError as error:
        total = time.perf_counter() - started
        said: dict[Any, Any] = dict(error.trailing_metadata() or ())  # type: ignore[arg-type]  # pairs
        return Ended(error.code().name, first, total, float(said.get("retry-after-ms", 0)))
    return Ended("OK", first, time.perf_counter() - started)


async def burst(address: str, queries: Sequence[str], calls: int) -> list[Ended]:
    """So many calls at once, over one connection."""
    async with grpc.aio.insecure_channel(address) as channel:
        return list(await asyncio.gather(*(call(channel, queries[n % len(queries)]) for n in range(calls))))


async def steady(address: str, queries: Sequence[str], callers: int, seconds: float) -> list[Ended]:
    """So many callers who ask again as soon as they have an answer, or a second or two after a refusal.

    They begin within a second, and wait by chance, as callers do who know nothing of each other.
    """
    ended: list[Ended] = []
    until, dice = time.perf_counter() + seconds, random.Random(1)

    async def ask(channel: Any, place: int) -> None:
        await asyncio.sleep(place / callers)
        while time.perf_counter() < until:
            ended.append(await call(channel, queries[(place + len(ended)) % len(queries)]))
            if ended[-1].code != "OK":
                await asyncio.sleep(1 + dice.random())

    async with grpc.aio.insecure_channel(address) as channel:
        await asyncio.gather(*(ask(channel, place) for place in range(callers)))
    return ended


async def lateness(seconds: float) -> list[float]:
    """Seconds that this process's own loop came late, every 10 ms: what its times of others have on top."""
    late: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        started = time.perf_counter()
        await asyncio.sleep(_EVERY)
        late.append(time.perf_counter() - started - _EVERY)
    return late


def firsts(ended: Sequence[Ended]) -> list[float]:
    """Seconds to the first event of each call that was answered."""
    return [one.first for one in ended if one.code == "OK" and one.first is not None]


def faults(ended: Sequence[Ended]) -> dict[str, int]:
    """Codes that no call may come to, with how many did."""
    return {code: count for code, count in Counter(one.code for one in ended).items() if code not in EXPECTED}


def row(name: str, ended: Sequence[Ended], seconds: float) -> Row:
    """What a load came to: milliseconds are medians and 99th percentiles."""
    answered = [one for one in ended if one.code == "OK"]
    refused = [one.total for one in ended if one.code == "RESOURCE_EXHAUSTED"]
    figure = (
        f"{len(answered)} answered ({len(answered) / seconds:.1f}/s), {len(refused)} refused; ms: first event "
        f"{_spread(firsts(ended))}, whole answer {_spread([one.total for one in answered])}, refusal {_spread(refused)}"
    )
    other = faults(ended)
    return Row(name, f"{figure}; {other}" if other else figure, not other)


def _spread(seconds: Sequence[float]) -> str:
    if not seconds:
        return "-"
    last = sorted(seconds)[min(len(seconds) - 1, int(0.99 * len(seconds)))]
    return f"{statistics.median(seconds) * 1000:.0f} / {last * 1000:.0f}"
