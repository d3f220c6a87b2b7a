"""A program's stdin and stdout as a transport of the MCP SDK.

The SDK has one of its own. It joins what came to what comes and splits all of it again at each read, which takes eight
seconds for a result of ten megabytes and has no limit. This one reads line by line up to a limit, and is otherwise the
same: the server gets few variables, a session of its own, and when it is to end first its stdin closed, then SIGTERM,
then SIGKILL.

Source:
    Model Context Protocol, "Transports: stdio" and "Lifecycle: shutdown".
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter

from engine.planning.tools.config import Server

#: Seconds that a program has to end by itself, and again after SIGTERM; and that one has that was killed.
_GRACE, _GONE = 2.0, 10.0

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]


@asynccontextmanager
async def program(server: Server, *, max_line: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """Starts the server's program, and ends it at the end.

    Args:
        max_line: Bytes of one message; a longer one ends the session.

    Raises:
        OSError: It cannot be started.
    """
    process = await asyncio.create_subprocess_exec(
        server.command,
        *server.args,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,  # it may repeat what a user asked
        env={**get_default_environment(), **server.env},
        cwd=server.cwd,
        start_new_session=True,
        limit=max_line,
    )
    came, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, goes = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_read, process, came)
        group.start_soon(_write, process, goes)
        try:
            yield incoming, outgoing
        finally:
            with anyio.CancelScope(shield=True):
                incoming.close()
                outgoing.close()
                await _end(process)
                # asyncio closes the pipes when it has read them to their end, which nobody does any more.
                process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001
            group.cancel_scope.cancel()


async def _read(process: asyncio.subprocess.Process, came: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    """Hands on what the program writes; the session sees the end of the stream as the end of the connection."""
    assert process.stdout is not None  # noqa: S101  # it was asked for
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with came:
            while line := await _line(process.stdout):
                try:
                    message = jsonrpc_message_adapter.validate_json(line, by_name=False)
                except ValueError as error:
                    await came.send(error)  # a line that is no message, such as a greeting, is passed over
                else:
                    await came.send(SessionMessage(message))


async def _line(stdout: asyncio.StreamReader) -> bytes:
    try:
        return await stdout.readline()
    except ValueError:  # longer than the limit
        return b""


async def _write(process: asyncio.subprocess.Process, goes: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None  # noqa: S101  # it was asked for
    with suppress(OSError):  # it has ended, which the reader tells
        async with goes:
            async for message in goes:
                text: str = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                process.stdin.write(text.encode("utf-8", "replace") + b"\n")
                await process.stdin.drain()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends the program and everything that it started."""
    assert process.stdin is not None  # noqa: S101  # it was asked for
    process.stdin.close()
    for sent in (signal.SIGTERM, signal.SIGKILL, None):
        with suppress(TimeoutError):
            async with asyncio.timeout(_GRACE if sent else _GONE):
                await process.wait()
        if process.returncode is not None or sent is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, sent)
