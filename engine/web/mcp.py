"""`/mcp`: the Model Context Protocol over streamable HTTP, without sessions of its own.

Each request stands for itself: several replicas may serve one client, and each request says who makes it. The SDK is
loaded by the first one.

Source: Model Context Protocol, "Transports: Streamable HTTP".
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send
from structlog.contextvars import bound_contextvars

from engine.errors import ENDINGS
from engine.retrieval.port import Index
from engine.service.calls import Call, InFlight
from engine.service.methods import AssistanceService
from engine.web.exchange import CallerGone, attended, call_of, read_body
from engine.web.procedures import refused_body

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

#: The key of an ASGI scope under which a request's handlers find its call.
_CALL = "engine.call"


class ModelContext:
    """Serves the protocol. An ASGI application.

    Args:
        cut: Set when what is still running has to end.
    """

    def __init__(self, service: AssistanceService, index: Index, in_flight: InFlight, cut: asyncio.Event) -> None:
        self._service = service
        self._index = index
        self._in_flight = in_flight
        self._cut = cut
        self._loading = asyncio.Lock()
        self._manager: StreamableHTTPSessionManager | None = None
        self._running: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serves one request."""
        request = Request(scope, receive)
        call = call_of(self._service.access, "Mcp", request)
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        with bound_contextvars(request_id=call.request_id, method=call.method):
            try:
                await self._serve(request, call, sending)
            except CallerGone:
                return
            except ENDINGS:
                raise
            except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller
                if not started:
                    await refused_body(error, call)(scope, receive, send)

    async def _serve(self, request: Request, call: Call, send: Send) -> None:
        if request.method != "POST":  # there is no stream to open and no session to end
            await Response(status_code=405, headers={"allow": "POST"})(request.scope, request.receive, send)
            return
        self._in_flight.check(call)  # before the body is read
        body = await read_body(request)
        with self._in_flight.counted(call):
            manager = await self._started()
            work = manager.handle_request({**request.scope, _CALL: call}, _replayed(body), send)
            await attended(work, request.receive, self._cut)

    async def _started(self) -> StreamableHTTPSessionManager:
        async with self._loading:
            if self._manager is None:
                self._manager = await asyncio.to_thread(_built, self._service, self._index)
                ready = asyncio.Event()
                self._running = asyncio.create_task(_kept(self._manager, ready))
                await ready.wait()
        return self._manager

    async def stop(self) -> None:
        """Ends what serves requests."""
        if self._running is not None:
            self._running.cancel()
            with suppress(asyncio.CancelledError):
                await self._running


def _built(service: AssistanceService, index: Index) -> StreamableHTTPSessionManager:
    """Loads the SDK, which takes half a second; in a thread, so that what else is served goes on."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from engine.mcp.server import build_server

    server = build_server(service, index, _call_of)
    # Names and origins of callers are checked for every path, by `Origins`.
    return StreamableHTTPSessionManager(server, stateless=True, security_settings=None)


async def _kept(manager: StreamableHTTPSessionManager, ready: asyncio.Event) -> None:
    """Keeps the manager running: it has to end in the task that it began in."""
    async with manager.run():
        ready.set()
        await asyncio.Event().wait()


def _call_of(context: Any) -> Call:
    call: Call = context.request.scope[_CALL]
    return call


def _replayed(body: bytes) -> Receive:
    """A body that was read, and then nothing: `attended` watches for the end of the connection."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop()
        await asyncio.Event().wait()
        raise AssertionError  # an event that nobody sets

    return receive
