"""The wall between gRPC and the service, once for every method.

Requests are parsed here and not by gRPC, because gRPC answers UNKNOWN to bytes it cannot parse and logs a traceback
each time; errors are mapped here, because gRPC sends an unhandled exception's text to the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from typing import Any

import grpc
import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from structlog.contextvars import bound_contextvars

from engine.errors import ENDINGS
from engine.service.access import Access
from engine.service.calls import REQUEST_ID, SERVICE, Call, InFlight, explain, open_call, parse
from engine.service.limits import read_in_time
from engine.service.methods import AssistanceService
from engine.service.rpcs import StreamCall, UnaryCall, stream_rpcs, unary_rpcs
from engine.service.status import Status

#: Seconds that the status of a call may take to be sent.
_GOODBYE = 1.0


def handlers(service: AssistanceService, in_flight: InFlight, stall: float) -> Any:
    """GRPC's handlers for the RPCs of a service.

    Args:
        stall: Seconds for which a caller may leave its stream unread.
    """
    table = {}
    for name, unary in unary_rpcs(service).items():
        method = SERVICE.methods_by_name[name]
        table[name] = grpc.unary_unary_rpc_method_handler(
            _unary(method, unary, service.access, in_flight), response_serializer=_serialized
        )
    for name, stream in stream_rpcs(service).items():
        method = SERVICE.methods_by_name[name]
        table[name] = grpc.unary_stream_rpc_method_handler(
            _streaming(method, stream, service.access, in_flight, stall), response_serializer=_serialized
        )
    return grpc.method_handlers_generic_handler(SERVICE.full_name, table)


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()


def _unary(
    method: MethodDescriptor,
    implementation: UnaryCall,
    access: Access,
    in_flight: InFlight,
) -> Callable[[bytes, Any], Awaitable[Message | None]]:
    async def serve(data: bytes, context: Any) -> Message | None:
        call = _call(access, method, context)
        with bound_contextvars(request_id=call.request_id, method=call.method):
            try:
                with in_flight.counted(call):
                    await context.send_initial_metadata(((REQUEST_ID, call.request_id),))
                    return await implementation(parse(method, data), call)
            except ENDINGS:
                raise
            except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller, no library's panic either
                await _abort(context, explain(error, call))
        return None

    return serve


def _streaming(
    method: MethodDescriptor,
    implementation: StreamCall,
    access: Access,
    in_flight: InFlight,
    stall: float,
) -> Callable[[bytes, Any], Awaitable[None]]:
    async def serve(data: bytes, context: Any) -> None:
        """Writes by itself: of a generator that is held in its `yield`, nobody could say that the reader is late."""
        call = _call(access, method, context)
        structlog.contextvars.bind_contextvars(request_id=call.request_id, method=call.method)
        try:
            with in_flight.counted(call):
                await context.send_initial_metadata(((REQUEST_ID, call.request_id),))
                async with aclosing(implementation(parse(method, data), call)) as messages:
                    async for message in messages:
                        await read_in_time(context.write(message), call.method, stall)
        except ENDINGS:
            raise
        except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller, no library's panic either
            await _abort(context, explain(error, call))

    return serve


def _call(access: Access, method: MethodDescriptor, context: Any) -> Call:
    return open_call(access, method.name, context.invocation_metadata() or (), context.time_remaining(), context.peer())


async def _abort(context: Any, status: Status) -> None:
    """Ends the call. Who does not read gets the status when it does, who has left never: neither is waited for."""
    with suppress(TimeoutError, grpc.aio.InternalError):
        async with asyncio.timeout(_GOODBYE):
            await context.abort(grpc.StatusCode[status.code.name], status.message, status.trailers)
