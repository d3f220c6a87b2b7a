"""More calls than the service takes: each is answered or refused, by the service and not by the library."""

from __future__ import annotations

import asyncio
import resource
import socket
import uuid
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from engine.bootstrap.descriptors import connections
from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb

_ASK = "/engine.v1.AssistanceService/AskAgentStream"
_BURST = 300


@asynccontextmanager
async def connection(address: str) -> AsyncGenerator[Any]:
    """A connection of its own: channels of one process share theirs otherwise."""
    async with grpc.aio.insecure_channel(address, options=(("grpc.use_local_subchannel_pool", 1),)) as channel:
        yield channel


async def ended(channel: Any, query: str, session_id: str) -> tuple[str, float]:
    """The status of a call, and the hint where it has one."""
    request = pb.AgentRequest(query=query, session_id=session_id).SerializeToString()
    call = channel.unary_stream(_ASK)(request, timeout=120)
    try:
        async for _ in call:
            pass
    except grpc.aio.AioRpcError as error:
        hints: dict[Any, Any] = dict(error.trailing_metadata() or ())  # type: ignore[arg-type]  # pairs
        return error.code().name, float(hints.get("retry-after-ms", 0))
    return "OK", 0.0


async def healthy(channel: Any) -> bool:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    response = await stub.Check(health_pb2.HealthCheckRequest(service=""), timeout=60)
    return bool(response.status == health_pb2.HealthCheckResponse.SERVING)


async def test_a_burst_is_answered_or_refused_and_another_caller_is_served(guide: Path, start: Any) -> None:
    running = start(guide, ENGINE_MAX_TURNS="1", ENGINE_QUEUE="8")
    sessions = [f"burst-{uuid.uuid4().hex}" for _ in range(_BURST)]
    async with connection(running.address) as flood, connection(running.address) as other:
        asked = [asyncio.create_task(ended(flood, "What is addVar in AVAP?", one)) for one in sessions]
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        talk, well = await asyncio.gather(ended(other, "thanks", f"other-{uuid.uuid4().hex}"), healthy(other))
        outcomes = await asyncio.gather(*asked)
    counted = Counter(code for code, _ in outcomes)
    assert set(counted) == {"OK", "RESOURCE_EXHAUSTED"}
    assert counted["OK"] >= 8  # one runs and eight wait, of which the other caller may take the place of one
    assert all(hint >= 1000 for code, hint in outcomes if code == "RESOURCE_EXHAUSTED")
    assert (talk[0], well) == ("OK", True)
    async with AssistanceClient(running.address) as client:
        stored, page = set[str](), None
        while page is None or page.next_page_token:
            page = await client.sessions(page_size=200, page_token=page.next_page_token if page else "")
            stored |= {one.session_id for one in page.sessions if one.session_id.startswith("burst-")}
    answered = {one for one, (code, _) in zip(sessions, outcomes, strict=True) if code == "OK"}
    assert stored == answered  # what was refused left nothing behind
    assert "[admission]" in running.read_log()


async def test_a_place_in_the_queue_is_told(guide: Path, start: Any) -> None:
    running = start(guide, ENGINE_MAX_TURNS="1", ENGINE_QUEUE="50")
    async with AssistanceClient(running.address) as client:

        async def first() -> pb.AgentEvent:
            events = [event async for event in client.stream("What is addVar in AVAP?")]
            assert events[-1].WhichOneof("event") == "completed"
            return events[0]

        firsts = await asyncio.gather(*(first() for _ in range(12)))
    places = [int(event.progress.detail) for event in firsts if event.progress.stage == "queue"]
    assert places
    assert max(places) <= 11


async def test_idle_connections_take_neither_the_files_of_others_turns_nor_the_engine(guide: Path, start: Any) -> None:
    running = start(guide, ENGINE_CONNECTIONS=str(connections(256)))
    resource.prlimit(running.process.pid, resource.RLIMIT_NOFILE, (256, 256))
    async with connection(running.address) as early:
        assert await healthy(early)
        idle = []
        for address in (running.address, running.web):
            host, _, port = address.rpartition(":")
            idle += [socket.create_connection((host, int(port))) for _ in range(200)]
        outcomes = [await ended(early, "What is addVar in AVAP?", f"early-{uuid.uuid4().hex}") for _ in range(5)]
        assert outcomes == [("OK", 0.0)] * 5
        assert await healthy(early)
        for one in idle:
            one.close()
    assert "unexpected" not in running.read_log()
