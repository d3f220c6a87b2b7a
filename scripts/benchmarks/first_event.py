"""What the engine adds to the time until a caller sees something, by route."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.v1 import engine_pb2 as pb
from scripts.benchmarks.harness.children import child
from scripts.benchmarks.harness.load import SERVERS, Caller, Stamped, bare_server, connected, parsed, request
from scripts.benchmarks.harness.material import Resolution, seed_queries
from scripts.benchmarks.harness.report import Row, Section, median, percentile

ROUTES = ("RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM")
_NOTE = (
    "one caller; the real router decides (no type declared), each question once; 'added' is ours less the peer's, and "
    "the peer streams the same messages, already serialized."
)


def measure(material: Resolution) -> Section:
    """Milliseconds to the first event, and to the first text, of ours and of a bare server."""
    return Section("first_event", asyncio.run(_measure(material)), _NOTE)


async def _measure(material: Resolution) -> list[Row]:
    rounds, calls = (2, 8) if material.quick else (5, 30)
    with child(material.guide(), SERVERS, "engine") as ours:
        async with connected(ours.address) as engine:
            canonical = {route: await _canonical(engine, route) for route in ROUTES}
            recordings = dict(canonical.values())
            with bare_server(material.fresh("bare"), recordings) as peer:
                async with connected(peer.address) as bare:
                    return [await _route(engine, bare, route, canonical[route][0], rounds, calls) for route in ROUTES]


async def _canonical(engine: Caller, route: str) -> tuple[bytes, list[bytes]]:
    """A request that takes the route, with its answer: what the peer repeats. Warms the engine up too."""
    for query in seed_queries(route)[-20:]:
        messages = await engine.whole(request(query))
        if _taken(messages) == route:
            return request(query), messages
    raise RuntimeError(f"the router takes no seed question to {route}")


async def _route(engine: Caller, bare: Caller, route: str, same: bytes, rounds: int, calls: int) -> Row:
    ours: list[Stamped] = []
    peers: list[Stamped] = []
    for query in seed_queries(route)[: rounds * calls]:
        # Turn by turn: what else the machine does hits both alike.
        ours.append(await engine.stamped(request(query)))
        peers.append(await bare.stamped(same))
    taken = [call for call in ours if _taken(call.messages) == route]
    first, peer = _first(taken), _first(peers)
    texts = [_to_text(call) for call in taken]
    more = {
        "added ms": median(first) - median(peer),
        "p95 ms": percentile(first, 0.95),
        "first text ms": median(texts),
        "peer's first text ms": median([_to_text(call) for call in peers]),
        "calls": len(taken),
    }
    return Row(f"First event, {route}", "ms", median(first), median(peer), "bare grpc.aio", rounds * calls, more)


def _first(calls: Sequence[Stamped]) -> list[float]:
    return [call.at[0] * 1000 for call in calls]


def _to_text(call: Stamped) -> float:
    kinds = [event.WhichOneof("event") for event in parsed(call.messages)]
    return call.at[kinds.index("text_delta")] * 1000


def _taken(messages: Sequence[bytes]) -> str:
    """The route of an answer, by name."""
    route = parsed(messages[:1])[0].route
    return pb.QueryType.Name(route.type)
