"""The wall between gRPC and the service: parsing, request ids, counting, and errors, once for every method.

Requests are parsed here and not by gRPC, because gRPC answers UNKNOWN to bytes it cannot parse and logs a traceback
each time; errors are mapped here, because gRPC sends an unhandled exception's text to the client.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass
from structlog.contextvars import bound_contextvars

from engine import telemetry
from engine.errors import DependencyUnavailable, InvalidInput
from engine.rpc.requests import REQUEST_BYTES
from engine.rpc.status import Status, status_of
from engine.v1 import engine_pb2 as pb

_REQUEST_ID = "x-request-id"
_ALLOWED_ID = re.compile(r"[\w.:+/=-]{1,200}", re.ASCII)
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
SERVICE = pb.DESCRIPTOR.services_by_name["AssistanceService"]


@dataclass(frozen=True, slots=True)
class Call:
    """What a method may know of the call it serves.

    Attributes:
        principal: Who calls.
        deadline: On the event loop's clock, seconds; None when the caller set none.
    """

    method: str
    request_id: str
    principal: str
    deadline: float | None


class InFlight:
    """Calls that are running, and whether new ones are let in."""

    def __init__(self) -> None:
        self._count = 0
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    def close(self) -> None:
        """Lets no new call in."""
        self._closed = True

    async def wait_idle(self, seconds: float) -> bool:
        """Waits until no call runs; whether that came in time."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True

    @contextmanager
    def counted(self) -> Any:
        """Counts a call. Raises `DependencyUnavailable` when the service is stopping."""
        if self._closed:
            raise DependencyUnavailable("engine", "it is stopping; try another replica, or again in a moment")
        self._count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._idle.set()


def handlers(service: Any, in_flight: InFlight) -> Any:
    """GRPC's handlers for a service object with one method per RPC, in snake case.

    A unary method is `async (request, call) -> response`, a streaming one `(request, call) -> async generator`.
    """
    table = {}
    for method in SERVICE.methods:
        implementation = getattr(service, _WORD.sub("_", method.name).lower())
        serializer = GetMessageClass(method.output_type).SerializeToString
        if method.server_streaming:
            table[method.name] = grpc.unary_stream_rpc_method_handler(
                _streaming(method, implementation, in_flight), response_serializer=serializer
            )
        else:
            table[method.name] = grpc.unary_unary_rpc_method_handler(
                _unary(method, implementation, in_flight), response_serializer=serializer
            )
    return grpc.method_handlers_generic_handler(SERVICE.full_name, table)


def _unary(
    method: MethodDescriptor, implementation: Callable[[Any, Call], Awaitable[Message]], in_flight: InFlight
) -> Callable[[bytes, Any], Awaitable[Message | None]]:
    async def serve(data: bytes, context: Any) -> Message | None:
        call = _call(method, context)
        with bound_contextvars(request_id=call.request_id, method=call.method):
            try:
                with in_flight.counted():
                    await context.send_initial_metadata(((_REQUEST_ID, call.request_id),))
                    return await implementation(_parse(method, data), call)
            except Exception as error:  # noqa: BLE001  # the boundary: nothing unmapped may reach a caller
                await _abort(context, _explain(error, call))
        return None

    return serve


def _streaming(
    method: MethodDescriptor, implementation: Callable[[Any, Call], AsyncGenerator[Message]], in_flight: InFlight
) -> Callable[[bytes, Any], AsyncGenerator[Message]]:
    async def serve(data: bytes, context: Any) -> AsyncGenerator[Message]:
        call = _call(method, context)
        structlog.contextvars.bind_contextvars(request_id=call.request_id, method=call.method)
        try:
            with in_flight.counted():
                await context.send_initial_metadata(((_REQUEST_ID, call.request_id),))
                async with aclosing(implementation(_parse(method, data), call)) as messages:
                    async for message in messages:
                        yield message
        except Exception as error:  # noqa: BLE001  # the boundary: nothing unmapped may reach a caller
            await _abort(context, _explain(error, call))

    return serve


def _parse(method: MethodDescriptor, data: bytes) -> Message:
    if len(data) > REQUEST_BYTES:
        raise InvalidInput("request", f"has {len(data)} bytes; at most {REQUEST_BYTES} are allowed")
    try:
        return GetMessageClass(method.input_type).FromString(data)
    except DecodeError:
        raise InvalidInput("request", f"is not a {method.input_type.full_name} message") from None


def _call(method: MethodDescriptor, context: Any) -> Call:
    metadata = dict(context.invocation_metadata() or ())
    given = metadata.get(_REQUEST_ID, "")
    remaining = context.time_remaining()
    return Call(
        method.name,
        given if isinstance(given, str) and _ALLOWED_ID.fullmatch(given) else uuid.uuid4().hex,
        "local",
        None if remaining is None else asyncio.get_running_loop().time() + remaining,
    )


def _explain(error: Exception, call: Call) -> Status:
    status = status_of(error, call.request_id)
    if not status.expected:
        # The traceback names files and lines; the exception's own words may quote a caller and stay out.
        telemetry.logger().error(
            telemetry.UNEXPECTED.format(method=call.method), kind=type(error).__name__, at=telemetry.where(error)
        )
    return status


async def _abort(context: Any, status: Status) -> None:
    await context.abort(status.code, status.message, status.trailers)
