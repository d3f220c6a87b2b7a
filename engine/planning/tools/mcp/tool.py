"""Tools of MCP servers, through the official SDK: programs over stdio, and addresses over streamable HTTP.

A session is opened by the first call that needs it and kept. The SDK ties a session to the task that opened it, so
each has a task of its own, which opens it, waits, and closes it; calls come from wherever they like. A session that
failed or did not answer in time is given up: the next call opens a new one, and the old one ends when its last call
has.

What a server says is data: its text becomes a passage, its errors are told in our own words, and what it writes to
stderr is not shown, because it may repeat a user's question.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED, CallToolResult, EmbeddedResource, TextContent, TextResourceContents

from engine.planning.tools.config import MappedTool, Server, ToolsFile
from engine.planning.tools.mcp.stdio import program
from engine.planning.tools.port import QueryTool, ToolResult, limited

#: Bytes of one event that a server may send: more than any result that is of use, little enough to hold.
_MAX_EVENT = 32 * 1024 * 1024
#: Seconds between bytes: a server may hold a stream open for long; the budget of a call ends it sooner.
_HTTP_TIMES = httpx2.Timeout(10.0, read=300.0)
#: Seconds that closing may take.
_CLOSE_SECONDS = 8.0

# The SDK logs what a server sent when it cannot read it: no text of anyone's belongs in a log.
logging.getLogger("mcp").addHandler(logging.NullHandler())
logging.getLogger("mcp").propagate = False


class _Session:
    """One session with a server, held by a task of its own.

    Attributes:
        client: Once it is open.
        calls: That are running.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._opened: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self.calls = 0
        self.task = asyncio.create_task(self._hold(), name=f"mcp {server.name}")

    async def _hold(self) -> None:
        try:
            async with connected(self._server) as client:
                self._opened.set_result(client)
                await self._stop.wait()
        except BaseException as error:
            if not self._opened.done():
                self._opened.set_exception(ConnectionError("not opened"))
                self._opened.exception()  # nobody may be waiting any more
            if not isinstance(error, Exception):
                raise

    async def client(self) -> Client:
        """The open client; raises `ConnectionError` when the server cannot be talked to."""
        return await asyncio.shield(self._opened)

    @property
    def usable(self) -> bool:
        """Whether it has not ended and has not been told to."""
        return not self.task.done() and not self._stop.is_set()

    def end(self) -> None:
        """Closes it: at once where it is not even open yet."""
        self._stop.set()
        if not self._opened.done():
            self.task.cancel()


class Connection:
    """The way to one server, opened when it is needed and again when it broke."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._session: _Session | None = None
        self._ending: set[asyncio.Task[None]] = set()

    async def call(self, tool: str, arguments: dict[str, Any], seconds: float) -> CallToolResult:
        """The server's result, within `seconds`.

        A session that has been idle may have ended unseen; a call that finds it so is made again over a new one, once:
        tools change nothing, so a second call does no harm.

        Raises:
            TimeoutError: There is none by then; the session is given up.
            Exception: Of whatever kind the SDK raises, when there is none; the session is given up too, unless the
                server itself refused the call. It also is when the caller goes away: whether the server hangs cannot
                be told, and opening another costs little.
        """
        async with asyncio.timeout(seconds):
            idle = self._session is not None and self._session.usable
            try:
                return await self._try(tool, arguments)
            except (MCPError, OSError) as error:
                if not idle or (isinstance(error, MCPError) and error.code != CONNECTION_CLOSED):
                    raise
            return await self._try(tool, arguments)

    async def _try(self, tool: str, arguments: dict[str, Any]) -> CallToolResult:
        if self._session is None or not self._session.usable:
            self._session = _Session(self._server)
        session = self._session
        session.calls += 1
        broken = True
        try:
            client = await session.client()
            # A session may end under a call; the call must not wait for its budget then.
            result = await _unless(session.task, client.call_tool(tool, arguments))
        except MCPError as error:
            broken = error.code == CONNECTION_CLOSED
            raise
        else:
            broken = False
            return result
        finally:
            session.calls -= 1
            if broken and self._session is session:
                self._session = None
            if session is not self._session and not session.calls:
                self._give_up(session)

    def _give_up(self, session: _Session) -> None:
        session.end()
        self._ending.add(session.task)
        session.task.add_done_callback(self._ending.discard)

    async def close(self) -> None:
        """Ends the session and waits for it. Idempotent."""
        session, self._session = self._session, None
        if session is not None:
            self._give_up(session)
        if self._ending:
            await asyncio.wait(set(self._ending), timeout=_CLOSE_SECONDS)
        for task in set(self._ending):
            task.cancel()


class McpTool(QueryTool):
    """A tool of an MCP server. Fulfils `Tool`."""

    def __init__(self, mapped: MappedTool, connection: Connection) -> None:
        self._mapped = mapped
        self._connection = connection
        self.name = mapped.name
        self.description = mapped.description
        self.seconds = mapped.seconds

    async def answer(self, query: str) -> ToolResult:
        """The text parts of the server's result."""
        given = {**self._mapped.arguments, self._mapped.query: query}
        try:
            result = await self._connection.call(self._mapped.tool, given, self.seconds)
        except TimeoutError:
            return ToolResult(error=f"the server did not answer within {self.seconds:g} s")
        except Exception:  # noqa: BLE001  # the SDK's, the transport's and the system's errors are of many families
            return ToolResult(error="the server cannot be reached, or broke off")
        if result.is_error:
            return ToolResult(error="the server says that it failed")
        text = _text(result)
        return ToolResult(limited(text), error="" if text else "the server answered without text")

    async def close(self) -> None:
        """See `Tool.close`: ends the session with the server, which other tools of it may share."""
        await self._connection.close()


def mcp_tools(file: ToolsFile) -> tuple[McpTool, ...]:
    """The tools that the file names; those of one server share its session. Nothing is opened yet."""
    connections = {server.name: Connection(server) for server in file.servers}
    return tuple(McpTool(mapped, connections[mapped.server]) for mapped in file.tools)


@asynccontextmanager
async def connected(server: Server) -> AsyncIterator[Client]:
    """A session with the server, ended at the end; it belongs to the task that opens it."""
    if server.url:
        async with (
            httpx2.AsyncClient(headers=server.headers, timeout=_HTTP_TIMES) as http,
            Client(streamable_http_client(server.url, http_client=http, max_sse_event_size=_MAX_EVENT)) as client,
        ):
            yield client
        return
    async with Client(program(server, max_line=_MAX_EVENT)) as client:
        yield client


async def _unless(ended: asyncio.Task[None], work: Any) -> CallToolResult:
    """The result of `work`, unless the session ends first; cancels `work` when its caller is cancelled."""
    working = asyncio.ensure_future(work)
    try:
        await asyncio.wait({working, ended}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ConnectionError("the session ended")
        result: CallToolResult = working.result()
        return result
    finally:
        if not working.done():
            working.cancel()
            await asyncio.wait([working])  # not awaited itself: a cancel of ours would look like its own end
            if not working.cancelled():
                working.exception()


def _text(result: CallToolResult) -> str:
    parts = [_part(block) for block in result.content]
    if not parts and result.structured_content:  # otherwise it repeats what the parts say
        parts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n".join(part for part in parts if part).strip()


def _part(block: object) -> str:
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, EmbeddedResource) and isinstance(block.resource, TextResourceContents):
        return block.resource.text
    return ""
