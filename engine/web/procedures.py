"""The RPCs over HTTP: every method by Connect and by gRPC-Web, with the same requests, events and codes as by gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from engine.errors import ENDINGS
from engine.service.calls import REQUEST_ID, SERVICE, Call, InFlight, explain
from engine.service.methods import AssistanceService
from engine.service.rpcs import stream_rpcs, unary_rpcs
from engine.service.status import Code, Status
from engine.web.exchange import Streamed, TooLarge, admitted, answered, attended, before, call_of, read_body
from engine.web.framing import (
    CONNECT_STREAMS,
    CONNECT_UNARY,
    GRPC_WEB,
    Codec,
    Framing,
    connect_error,
    connect_seconds,
)

#: Where the RPCs are.
PATH = f"/{SERVICE.full_name}/{{method}}"
#: HTTP's status for a code, as the Connect protocol has them.
_HTTP = {
    Code.CANCELLED: 499,
    Code.INVALID_ARGUMENT: 400,
    Code.DEADLINE_EXCEEDED: 504,
    Code.NOT_FOUND: 404,
    Code.PERMISSION_DENIED: 403,
    Code.RESOURCE_EXHAUSTED: 429,
    Code.FAILED_PRECONDITION: 400,
    Code.ABORTED: 409,
    Code.UNIMPLEMENTED: 501,
    Code.INTERNAL: 500,
    Code.UNAVAILABLE: 503,
    Code.UNAUTHENTICATED: 401,
}


def http_status(code: Code) -> int:
    """HTTP's status for a code."""
    return _HTTP[code]


@dataclass(frozen=True, slots=True)
class Procedures:
    """Serves the methods of an `AssistanceService` over HTTP.

    Attributes:
        cut: Set when what is still running has to end.
    """

    service: AssistanceService
    in_flight: InFlight
    cut: asyncio.Event

    async def endpoint(self, request: Request) -> ASGIApp:
        """The response to one request, by its content type."""
        method = SERVICE.methods_by_name.get(request.path_params["method"])
        if method is None:
            status = Status(Code.UNIMPLEMENTED, f"{SERVICE.full_name} has no such method")
            return JSONResponse(connect_error(status), 404)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if encoding := _unknown_encoding(request.headers):
            status = Status(Code.UNIMPLEMENTED, f"{encoding} is not supported; send the body as it is (identity)")
            return JSONResponse(connect_error(status), http_status(status.code))
        framings = {**GRPC_WEB, **(CONNECT_STREAMS if method.server_streaming else {})}
        if kind in framings:
            return await self._framed(request, method, framings[kind])
        if kind in CONNECT_UNARY and not method.server_streaming:
            return await self._plain(request, method, CONNECT_UNARY[kind], kind)
        accepted = [*framings, *(() if method.server_streaming else CONNECT_UNARY)]
        return Response(status_code=415, headers={"accept-post": ", ".join(accepted)})

    async def _plain(self, request: Request, method: MethodDescriptor, codec: Codec, kind: str) -> Response:
        """Connect's unary form: the status is HTTP's, an error is JSON."""
        call = call_of(self.service.access, method.name, request)

        async def made() -> Response:
            self.in_flight.check(call)  # before the body is read
            timed = _due(admitted(self.service, call, request), connect_seconds(request.headers))
            message = codec.read(method, await read_body(request))
            body = await attended(self._only(method, message, timed), request.receive, self.cut)
            return Response(codec.write(body), media_type=kind, headers={REQUEST_ID: call.request_id})

        return await answered(made(), call, refused)

    async def _only(self, method: MethodDescriptor, message: Message, call: Call) -> Message:
        with self.in_flight.counted(call):
            made: Message = await before(call.deadline, unary_rpcs(self.service)[method.name](message, call))
            return made

    async def _framed(self, request: Request, method: MethodDescriptor, framing: Framing) -> ASGIApp:
        """A stream of frames, the last of which has the status; HTTP's own is 200 whatever happens."""
        call = call_of(self.service.access, method.name, request)
        problem: Status | None = None
        message: Message | None = None
        try:
            self.in_flight.check(call)
            call = _due(admitted(self.service, call, request), framing.seconds(request.headers))
            message = framing.read(method, await read_body(request))
        except Exception as error:  # noqa: BLE001  # the boundary
            problem = explained(error, call)

        async def pieces() -> AsyncGenerator[bytes]:
            if message is None:
                yield framing.end(problem)
                return
            async with aclosing(self._frames(method, message, call, framing)) as frames:
                async for frame in frames:
                    yield frame

        headers = {"content-type": framing.content_type, REQUEST_ID: call.request_id}
        return Streamed(pieces, headers=headers, cut=self.cut, last=lambda error: framing.end(explained(error, call)))

    async def _frames(
        self, method: MethodDescriptor, message: Message, call: Call, framing: Framing
    ) -> AsyncGenerator[bytes]:
        structlog.contextvars.bind_contextvars(request_id=call.request_id, method=call.method)
        status: Status | None = None
        try:
            with self.in_flight.counted(call):
                async with aclosing(self._messages(method, message, call)) as messages:
                    while (item := await before(call.deadline, anext(messages, None))) is not None:
                        yield framing.write(item)
        except ENDINGS:
            raise
        except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller, no library's panic either
            status = explained(error, call)
        yield framing.end(status)

    async def _messages(self, method: MethodDescriptor, message: Message, call: Call) -> AsyncGenerator[Any]:
        if not method.server_streaming:
            yield await unary_rpcs(self.service)[method.name](message, call)
            return
        async with aclosing(stream_rpcs(self.service)[method.name](message, call)) as messages:
            async for item in messages:
                yield item


def _due(call: Call, seconds: float | None) -> Call:
    """The call with a deadline in so many seconds."""
    return call if seconds is None else replace(call, deadline=asyncio.get_running_loop().time() + seconds)


def explained(error: BaseException, call: Call) -> Status:
    """What a caller over HTTP is told of `error`."""
    if isinstance(error, TooLarge):  # as the gRPC library answers to what it does not read
        return Status(Code.RESOURCE_EXHAUSTED, str(error))
    return explain(error, call)


def refused(error: BaseException, call: Call) -> JSONResponse:
    """The response for `error`, in Connect's form."""
    status = explained(error, call)
    headers = {REQUEST_ID: call.request_id, **dict(status.trailers)}
    return JSONResponse(connect_error(status), http_status(status.code), headers)


def refused_body(error: BaseException, call: Call) -> JSONResponse:
    """The same where HTTP is spoken and not Connect: a body that is too large has a status of its own."""
    response = refused(error, call)
    response.status_code = 413 if isinstance(error, TooLarge) else response.status_code
    return response


def _unknown_encoding(headers: Mapping[str, str]) -> str:
    """The name of a compression that the body is said to have; empty where it has none."""
    for name in ("content-encoding", "connect-content-encoding", "grpc-encoding"):
        if headers.get(name, "identity").strip().lower() not in ("", "identity"):
            return f"{name}: {headers[name][:40]}"
    return ""
