"""Calls over loopback. Messages stay bytes while time runs: a client that parses would be measured too."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from engine.planning.workflow import ENGINE
from engine.v1 import engine_pb2 as pb
from scripts.benchmarks.harness.children import Child, child
from scripts.benchmarks.harness.servers import METHOD, REPLY, SERVICE, Recordings, write_recordings

SERVERS = "scripts.benchmarks.harness.servers"
#: Seconds that a call may take.
_TIMEOUT = 60.0


@dataclass(frozen=True, slots=True)
class Stamped:
    """The messages of one call and the seconds from the call to each."""

    messages: list[bytes]
    at: list[float]


class Caller:
    """Calls one server."""

    def __init__(self, channel: Any) -> None:
        self._call = channel.unary_stream(f"/{SERVICE}/{METHOD}")

    async def stamped(self, request: bytes) -> Stamped:
        """One whole call, each message with its time."""
        messages: list[bytes] = []
        at: list[float] = []
        started = time.perf_counter()
        async for message in self._call(request, timeout=_TIMEOUT):
            at.append(time.perf_counter() - started)
            messages.append(message)
        return Stamped(messages, at)

    async def whole(self, request: bytes) -> list[bytes]:
        """One whole call."""
        return [message async for message in self._call(request, timeout=_TIMEOUT)]

    async def many(self, requests: Sequence[bytes], callers: int) -> list[list[bytes]]:
        """All `requests`, at most `callers` at a time; the answers in the order in which they ended."""
        waiting = iter(requests)
        answers: list[list[bytes]] = []

        async def work() -> None:
            for request in waiting:
                answers.append(await self.whole(request))  # noqa: PERF401  # the workers share the list

        await asyncio.gather(*(work() for _ in range(callers)))
        return answers


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Caller]:
    """A caller of the server there."""
    async with grpc.aio.insecure_channel(address) as channel:
        yield Caller(channel)


@contextmanager
def bare_server(folder: Path, recordings: Recordings) -> Iterator[Child]:
    """The peer, streaming `recordings`."""
    with child(folder, SERVERS, "bare", str(write_recordings(folder / "recordings.json", recordings))) as running:
        yield running


def request(query: str, type_: str = "") -> bytes:
    """A serialized request in a new session, its type declared or not."""
    return pb.AgentRequest(query=query, query_type=type_ or None).SerializeToString()


def parsed(messages: Sequence[bytes]) -> list[pb.AgentEvent]:
    """The events of one answer."""
    return [pb.AgentEvent.FromString(message) for message in messages]


def by_token(messages: Sequence[bytes]) -> list[bytes]:
    """The messages of one answer, with one for each token of its text."""
    found: list[bytes] = []
    for message in messages:
        text = pb.AgentEvent.FromString(message).text_delta
        tokens = re.findall(r"\S+\s*", text)
        found += [pb.AgentEvent(text_delta=token).SerializeToString() for token in tokens] or [message]
    return found


def check(answers: Sequence[Sequence[bytes]], expected: int) -> None:
    """Looks whether every token of every answer came, in order.

    The engine may add a sentence of its own to what the model said, and says by itself what it calculates.

    Raises:
        RuntimeError: Says how many answers are not as scripted.
    """
    wrong = sum(not _as_scripted(parsed(messages)) for messages in answers)
    if wrong or len(answers) != expected:
        raise RuntimeError(f"{wrong} of {len(answers)} answers (of {expected} asked) lost or reordered tokens")


def _as_scripted(events: Sequence[pb.AgentEvent]) -> bool:
    said = "".join(event.text_delta for event in events if event.WhichOneof("event") == "text_delta")
    if not said or events[-1].completed.text != said:
        return False
    if not said.startswith(REPLY):
        return events[-1].completed.route.model == ENGINE
    return REPLY.split(" ", 1)[0] not in said[len(REPLY) :]
