"""One HTTP exchange: a body of limited size in, work that ends when the caller leaves, a response that streams."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from structlog.contextvars import bind_contextvars

from engine.errors import ENDINGS, DeadlineExceeded, DependencyUnavailable, InvalidInput
from engine.service.access import Access
from engine.service.calls import Call, open_call
from engine.service.methods import AssistanceService

_T = TypeVar("_T")
_App = TypeVar("_App", bound=ASGIApp)

#: Bytes that a request's body may have on the wire: a little above what its fields may have in all, as with gRPC.
BODY_BYTES = 1 << 20
#: The key of an exchange's scope under which stands what gives its place up.
_PLACE = "engine.place"
#: Seconds that a caller may take to send it.
_BODY_SECONDS = 30.0


def call_of(access: Access, method: str, request: Request) -> Call:
    """The call that a request makes; whoever serves it checks it before anything else."""
    peer = f"{request.client.host}:{request.client.port}" if request.client else ""
    return open_call(access, method, request.headers.items(), None, peer)


def admitted(service: AssistanceService, call: Call, request: Request) -> Call:
    """`call` with a place for the turn that it asks for, which is given up when the exchange ends: see `given_up`.

    Raises:
        Overloaded: There is no place: nothing more of the request is read.
    """
    call = service.admitted(call)
    request.scope[_PLACE] = call.leave
    return call


def given_up(scope: Scope) -> None:
    """Gives up the place that an exchange was given, where it was given one and its turn has not done so."""
    scope.get(_PLACE, lambda: None)()


class TooLarge(InvalidInput):
    """A body of more bytes than are read at all: of `field`, which may have `most`."""

    def __init__(self, field: str, most: int) -> None:
        super().__init__(field, f"is too large; a body may have {most} bytes")


class CallerGone(Exception):
    """The caller has closed the connection: there is nobody to answer."""


async def read_body(request: Request, field: str = "request", most: int = BODY_BYTES) -> bytes:
    """The whole body.

    Args:
        request: Whose body.
        field: What it is called in errors.
        most: Bytes that it may have.

    Raises:
        TooLarge: It has more; the rest is not read.
        DeadlineExceeded: It does not come to its end.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        raise TooLarge(field, most)
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise TooLarge(field, most)
    except TimeoutError:
        raise DeadlineExceeded(f"the body of the request did not come within {_BODY_SECONDS:g} s") from None
    return bytes(body)


async def attended(work: Coroutine[Any, Any, _T], receive: Receive, cut: asyncio.Event) -> _T:
    """The result of `work`, which is cancelled, and waited for, when nobody attends to it any more.

    Args:
        work: Runs as a task.
        receive: Of the exchange, whose body has been read.
        cut: Set when the server ends what is still running.

    Raises:
        CallerGone: The caller has left.
        DependencyUnavailable: The server is stopping.
    """
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_gone(receive))
    ending = asyncio.ensure_future(cut.wait())
    try:
        await asyncio.wait([task, gone, ending], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        if gone.done():
            raise CallerGone
        raise DependencyUnavailable("engine", "it is stopping; try another replica, or again in a moment")
    finally:
        for one in (task, gone, ending):
            one.cancel()
        await asyncio.wait([task, gone, ending])
        if not task.cancelled():
            task.exception()  # it has been looked at: nobody is left to be told


async def answered(
    work: Awaitable[_App], call: Call, refused: Callable[[BaseException, Call], Response]
) -> _App | Response:
    """The response that `work` makes, or that for what ended it; the lines logged from here on name the call.

    Args:
        work: Serves the call.
        call: What is served.
        refused: Makes the response for an error.
    """
    bind_contextvars(request_id=call.request_id, method=call.method)
    try:
        return await work
    except CallerGone:
        return Response(status_code=499)
    except ENDINGS:
        raise
    except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller, no library's panic either
        return refused(error, call)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Streamed:
    """A response whose body is sent piece by piece. An ASGI application.

    Args:
        pieces: Made anew for the exchange; closed when the caller leaves or the server ends the exchange.
        last: What is sent behind them when the server has cut them off.
    """

    def __init__(
        self,
        pieces: Callable[[], AsyncGenerator[bytes]],
        *,
        headers: dict[str, str],
        cut: asyncio.Event,
        last: Callable[[DependencyUnavailable], bytes],
    ) -> None:
        self._pieces = pieces
        self._headers = {"cache-control": "no-store", "x-accel-buffering": "no", **headers}
        self._cut = cut
        self._last = last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends the response."""
        del scope
        headers = [(name.encode(), text.encode("latin-1", "replace")) for name, text in self._headers.items()]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        try:
            await attended(self._send(send), receive, self._cut)
        except CallerGone:
            return
        except DependencyUnavailable as error:
            await send({"type": "http.response.body", "body": self._last(error)})

    async def _send(self, send: Send) -> None:
        async with aclosing(self._pieces()) as pieces:
            async for piece in pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


async def before(deadline: float | None, work: Awaitable[_T]) -> _T:
    """The result of `work`, if it comes before a time on the event loop's clock.

    Raises:
        DeadlineExceeded: It does not.
    """
    try:
        async with asyncio.timeout_at(deadline):
            return await work
    except TimeoutError:
        raise DeadlineExceeded("the deadline passed before the answer was complete") from None
