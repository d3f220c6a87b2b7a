"""The wall between gRPC and the service, once for every method.

Requests are parsed here and not by gRPC, because gRPC answers UNKNOWN to bytes it cannot parse and logs a traceback
each time; errors are mapped here, because gRPC sends an unhandled exception's text to the client.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
import structlog
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from engine.errors import ENDINGS, DeadlineExceeded, InvalidInput
from engine.rpc.front import Relay, Send
from engine.service.calls import REQUEST_ID, SERVICE, Call, InFlight, explain, open_call, parse
from engine.service.limits import read_in_time
from engine.service.methods import AssistanceService
from engine.service.observed import count_refused
from engine.service.rpcs import StreamCall, UnaryCall, stream_rpcs, unary_rpcs
from engine.service.status import Status

#: Seconds that the status of a call may take to be sent.
_GOODBYE = 1.0
#: Seconds that a call's request may take to come; the call has its place meanwhile.
_REQUEST = 10.0
#: The work of one RPC: is given what sends a message, the request and the call.
_Serve = Callable[[Send, Message, Call], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Boundary:
    """What serves the RPCs of a service on gRPC's event loop, while the service's own work is done on the engine's.

    Attributes:
        stall: Seconds for which a caller may leave its stream unread.
        engine: The event loop of the engine.
    """

    service: AssistanceService
    in_flight: InFlight
    stall: float
    engine: asyncio.AbstractEventLoop

    def handlers(self) -> Any:
        """GRPC's handlers for the RPCs.

        Each reads its one request by itself, as gRPC lets those of streams do: a call that is refused is refused by
        what is known of it without, one step of the event loop and of gRPC's own threads earlier.
        """
        works: dict[str, _Serve] = {name: _once(one) for name, one in unary_rpcs(self.service).items()}
        works |= {name: _each(one) for name, one in stream_rpcs(self.service).items()}
        table = {
            name: grpc.stream_stream_rpc_method_handler(
                self._handler(SERVICE.methods_by_name[name], work), response_serializer=_serialized
            )
            for name, work in works.items()
        }
        return grpc.method_handlers_generic_handler(SERVICE.full_name, table)

    def _handler(self, method: MethodDescriptor, work: _Serve) -> Callable[[object, Any], Awaitable[None]]:
        async def serve(requests: object, context: Any) -> None:
            """Writes by itself: of a generator held in its `yield`, nobody could say that the reader is late."""
            del requests  # the context reads them too, one at a time
            await self._served(method, context, work)

        return serve

    async def _served(self, method: MethodDescriptor, context: Any, work: _Serve) -> None:
        """Lets a call in or refuses it, has its work done on the engine's loop and writes what comes of it."""
        call = open_call(
            self.service.access,
            method.name,
            context.invocation_metadata() or (),
            context.time_remaining(),
            context.peer(),
        )
        structlog.contextvars.bind_contextvars(request_id=call.request_id, method=call.method)
        try:
            message, call = await self._admitted(method, call, context)
            relay = Relay(self.engine)
            relay.begin(partial(self._counted, work, message, call), call.leave)
            try:
                await context.send_initial_metadata(((REQUEST_ID, call.request_id),))
                async for one in relay:
                    try:
                        await read_in_time(context.write(one), call.method, self.stall)
                    except DeadlineExceeded as late:
                        relay.give_up(late)
            finally:
                relay.leave()
        except ENDINGS:
            raise
        except grpc.aio.InternalError:  # nothing can be sent any more: the caller has left
            return
        except BaseException as error:  # noqa: BLE001  # nothing unmapped may reach a caller, no library's panic either
            await _abort(context, explain(error, call), call.request_id)

    async def _admitted(self, method: MethodDescriptor, call: Call, context: Any) -> tuple[Message, Call]:
        """The request and the call, with a place where it needs one. Raises, and counts, why it is not let in."""
        self.in_flight.check(call)
        call = self.service.admitted(call)
        try:
            return parse(method, await _request(context)), call
        except BaseException as error:
            call.leave()
            if not isinstance(error, ENDINGS):
                count_refused(call.method, error)
            raise

    async def _counted(self, work: _Serve, message: Message, call: Call, send: Send) -> None:
        with self.in_flight.counted(call):
            await work(send, message, call)


def _once(implementation: UnaryCall) -> _Serve:
    async def work(send: Send, message: Message, call: Call) -> None:
        await send(await implementation(message, call))

    return work


def _each(implementation: StreamCall) -> _Serve:
    async def work(send: Send, message: Message, call: Call) -> None:
        async with aclosing(implementation(message, call)) as messages:
            async for one in messages:
                await send(one)

    return work


async def _request(context: Any) -> bytes:
    """The bytes of a call's request.

    Raises:
        InvalidInput: There is none.
        DeadlineExceeded: It does not come.
    """
    try:
        async with asyncio.timeout(_REQUEST):
            data = await context.read()
    except TimeoutError:
        raise DeadlineExceeded(f"the request did not come within {_REQUEST:g} s") from None
    if not isinstance(data, bytes):
        raise InvalidInput("request", "is missing; send one message")
    return data


def _serialized(message: Message) -> bytes:
    return message.SerializeToString()


async def _abort(context: Any, status: Status, request_id: str) -> None:
    """Ends the call; one that was not let in has been told its id nowhere else.

    Who does not read gets the status when it does, who has left never: neither is waited for.
    """
    trailers = (*status.trailers, (REQUEST_ID, request_id))
    with suppress(TimeoutError, grpc.aio.InternalError):
        async with asyncio.timeout(_GOODBYE):
            await context.abort(grpc.StatusCode[status.code.name], status.message, trailers)
