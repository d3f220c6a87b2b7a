"""The two servers that are compared, each in its own process: ``python -m scripts.benchmarks.harness.servers KIND``.

`engine` is the engine as `serve` builds it, with a scripted model in both slots. `bare FILE` is a grpc.aio server that
does nothing but stream recorded messages, already serialized: what is above it is ours. Both end when standard input
does, so that none outlives its parent.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc

SERVICE, METHOD = "engine.v1.AssistanceService", "AskAgentStream"
TOKENS = 64
#: The scripted answer: every token has its number, so one that is lost or out of order shows.
REPLY = " ".join(f"token{place:02}" for place in range(TOKENS))

#: By request, the messages that answer it; both serialized.
Recordings = dict[bytes, list[bytes]]


async def serve_engine() -> None:
    """The real engine but for the model; logs as `serve` does."""
    from engine.cli.common import settings_for_command, uncollected

    async with AsyncExitStack() as running:
        with uncollected():
            from engine import bootstrap
            from engine.answering.nodes import Models
            from engine.planning.fast_path import warm_up
            from engine.testing import ScriptedModel

            model = ScriptedModel(REPLY)
            built = bootstrap.engine(settings_for_command(quiet=False), models=Models(model, model))
            server = (await running.enter_async_context(built)).server()
            await server.start()
            warm_up()  # as `serve` does beside the calls: else the first question that may have units waits for them
        _say(server.address)
        await asyncio.Event().wait()


async def serve_bare(recordings: Recordings) -> None:
    """The peer."""

    async def answer(request: bytes, context: Any) -> AsyncIterator[bytes]:
        del context
        for message in recordings[request]:
            yield message

    server: Any = grpc.aio.server(options=(("grpc.so_reuseport", 0),))
    table = {METHOD: grpc.unary_stream_rpc_method_handler(answer)}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, table),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    _say(f"127.0.0.1:{port}")
    await asyncio.Event().wait()


def write_recordings(path: Path, recordings: Recordings) -> Path:
    """Keeps recordings for `bare`; where."""
    path.write_text(json.dumps({key.hex(): [m.hex() for m in value] for key, value in recordings.items()}), "utf-8")
    return path


def read_recordings(path: Path) -> Recordings:
    """What `write_recordings` kept."""
    kept = json.loads(path.read_text("utf-8"))
    return {bytes.fromhex(key): [bytes.fromhex(message) for message in value] for key, value in kept.items()}


def _say(address: str) -> None:
    sys.stdout.write(f"listening on {address}\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    """Serves until it is stopped."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    kind, *rest = sys.argv[1:]
    asyncio.run(serve_engine() if kind == "engine" else serve_bare(read_recordings(Path(rest[0]))))


if __name__ == "__main__":
    main()
