"""How long the service takes to be there, and the memory it holds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractContextManager

from scripts.benchmarks.harness.children import Child, child
from scripts.benchmarks.harness.load import bare_server, connected, request
from scripts.benchmarks.harness.material import Resolution, golden_queries
from scripts.benchmarks.harness.report import Row, Section, median

ANSWERS = 100
_CALLERS = 8
_NOTE = (
    f"`python -m engine serve` on the indexed guide, extractive answers; the peer is a process with a bare grpc.aio "
    f"server; memory is resident (VmRSS), at start and after {ANSWERS} answers to {_CALLERS} callers."
)


def measure(material: Resolution) -> Section:
    """Seconds from process start to listening, and MiB."""
    rounds = 2 if material.quick else 3
    requests = [request(query) for query in golden_queries()]
    requests = (requests * (ANSWERS // len(requests) + 1))[:ANSWERS]
    ours: list[tuple[float, float, float]] = []
    peers: list[tuple[float, float, float]] = []
    recordings = asyncio.run(_record(material, requests[0]))
    for _ in range(rounds):
        ours.append(_run(child(material.guide(), "engine", "serve"), requests))
        peers.append(_run(bare_server(material.fresh("bare"), {requests[0]: recordings}), requests[:1] * ANSWERS))
    return Section("start", _rows(ours, peers), _NOTE)


async def _record(material: Resolution, first: bytes) -> list[bytes]:
    with child(material.guide(), "engine", "serve") as running:
        async with connected(running.address) as caller:
            return await caller.whole(first)


def _run(started: AbstractContextManager[Child], requests: Sequence[bytes]) -> tuple[float, float, float]:
    """Seconds to listen, MiB then, MiB after the answers."""
    with started as running:
        resident = running.resident()
        asyncio.run(_ask(running.address, requests))
        return running.seconds, resident, running.resident()


async def _ask(address: str, requests: Sequence[bytes]) -> None:
    async with connected(address) as caller:
        await caller.many(requests, _CALLERS)


def _rows(ours: Sequence[tuple[float, ...]], peers: Sequence[tuple[float, ...]]) -> list[Row]:
    names = (("Start to listening", "s"), ("Memory at start", "MiB"), (f"Memory after {ANSWERS} answers", "MiB"))
    return [
        Row(
            name,
            unit,
            median([run[place] for run in ours]),
            median([run[place] for run in peers]),
            "bare grpc.aio",
            len(ours),
            {"least": min(run[place] for run in ours), "most": max(run[place] for run in ours)},
        )
        for place, (name, unit) in enumerate(names)
    ]
