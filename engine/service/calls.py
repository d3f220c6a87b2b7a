"""A call as every transport sees it: its methods, its identity and request id, its parsing, counting and errors."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from engine import telemetry, tracing
from engine.answering.ports import Place
from engine.errors import DependencyUnavailable, InvalidInput
from engine.identity.port import Scope
from engine.service.access import Access
from engine.service.observed import STOPPING, count_refused, observed_call
from engine.service.status import Status, status_of
from engine.v1 import engine_pb2 as pb

#: Metadata in which a caller says who it is: `Bearer TOKEN`.
AUTHORIZATION = "authorization"
#: Metadata in which a caller may send an id for its request, and gets back the one in use.
REQUEST_ID = "x-request-id"
#: Bytes that a whole request may have.
REQUEST_BYTES = 262_144
_ALLOWED_ID = re.compile(r"[\w.:+/=-]{1,200}", re.ASCII)
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
SERVICE = pb.DESCRIPTOR.services_by_name["AssistanceService"]


@dataclass(frozen=True, slots=True)
class Call:
    """What a method may know of the call it serves.

    Attributes:
        principal: Who calls; empty for a call that is refused.
        deadline: On the event loop's clock, seconds; None when the caller set none.
        caller: Whom admission counts the call for.
        platform: Whether the caller may speak as the platform: declare PLATFORM, open a message with a known prefix.
        documents: Whether the caller may change what is in the index.
        refusal: Why the call must not be served; None where it may.
        place: Of the turn that the call asks for, where it was given one before its turn.
    """

    method: str
    request_id: str
    principal: str
    deadline: float | None
    caller: str = ""
    platform: bool = False
    documents: bool = False
    refusal: Exception | None = None
    place: Place | None = None

    def check(self) -> None:
        """Raises the refusal of a call that must not be served."""
        if self.refusal is not None:
            raise self.refusal

    def leave(self) -> None:
        """Gives up the call's place, where it has one."""
        if self.place is not None:
            self.place.leave()


class InFlight:
    """Calls that are running, and whether new ones are let in."""

    def __init__(self) -> None:
        self._count = 0
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def closed(self) -> bool:
        """Whether no new call is let in."""
        return self._closed

    def close(self) -> None:
        """Lets no new call in."""
        self._closed = True

    def check(self, call: Call) -> None:
        """Raises, and counts, why a call must not be served: its own refusal, or that the service is stopping."""
        refusal = call.refusal
        if refusal is None and self._closed:
            refusal = DependencyUnavailable(STOPPING, "it is stopping; try another replica, or again in a moment")
        if refusal is not None:
            count_refused(call.method, refusal)
            raise refusal

    async def wait_idle(self, seconds: float) -> bool:
        """Waits until no call runs; whether that came in time."""
        try:
            async with asyncio.timeout(seconds):
                await self._idle.wait()
        except TimeoutError:
            return False
        return True

    @contextmanager
    def counted(self, call: Call) -> Iterator[None]:
        """Counts a call that is served.

        Raises:
            DependencyUnavailable: The service is stopping.
            Exception: The call's refusal.
        """
        self.check(call)
        self._count += 1
        self._idle.clear()
        try:
            with observed_call(call.method):
                yield
        finally:
            self._count -= 1
            if not self._count:
                self._idle.set()


def open_call(
    access: Access, method: str, metadata: Iterable[tuple[str, Any]], remaining: float | None, peer: str = ""
) -> Call:
    """A call from what its transport knows of it. One of a caller who is not let in says so when it is checked.

    Args:
        access: Says who calls and what they may.
        metadata: Names in lower case and values: gRPC metadata, or the headers of an HTTP request.
        remaining: Seconds until the caller's deadline; None when it set none.
        peer: The other end of the connection, `host:port`; gRPC's `ipv4:host:port` and `ipv6:...` too.
    """
    texts = [(name, value) for name, value in metadata if isinstance(value, str)]
    tracing.called_from(texts)
    given = next((value for name, value in texts if name == REQUEST_ID), "")
    call = Call(
        method,
        given if _ALLOWED_ID.fullmatch(given) else uuid.uuid4().hex,
        "",
        None if remaining is None else asyncio.get_running_loop().time() + remaining,
        caller_of(peer),
    )
    try:
        identity = access.identify(method, [value for name, value in texts if name == AUTHORIZATION])
        caller = call.caller if access.open else identity.principal
        if access.rates is not None:
            access.rates.take(caller)
    except Exception as error:  # noqa: BLE001  # whatever it is, nobody is let in, and the boundary says why
        return replace(call, refusal=error)
    return replace(
        call,
        principal=identity.principal,
        caller=caller,
        platform=identity.may(Scope.PLATFORM),
        documents=identity.may(Scope.DOCUMENTS),
    )


def caller_of(peer: str) -> str:
    """Whom calls over a connection are counted for: its address; on the same machine, where all have one, itself."""
    host = peer.rpartition(":")[0]
    return peer if any(local in host for local in _LOOPBACK) else host


def parse(method: MethodDescriptor, data: bytes) -> Message:
    """The request of `method` in binary protobuf.

    Raises:
        InvalidInput: It is too large, or no such message.
    """
    check_size(len(data))
    try:
        return GetMessageClass(method.input_type).FromString(data)
    except DecodeError:
        raise InvalidInput("request", f"is not a {method.input_type.full_name} message") from None


def check_size(size: int) -> None:
    """Raises `InvalidInput` for a request of more bytes of protobuf than are allowed."""
    if size > REQUEST_BYTES:
        raise InvalidInput("request", f"has {size} bytes; at most {REQUEST_BYTES} are allowed")


def explain(error: BaseException, call: Call) -> Status:
    """What the caller is told of `error`; one that nobody expected is logged."""
    status = status_of(error, call.request_id)
    if not status.expected:
        # The traceback names files and lines; the exception's own words may quote a caller and stay out.
        telemetry.logger().error(
            telemetry.UNEXPECTED.format(method=call.method), kind=type(error).__name__, at=telemetry.where(error)
        )
    return status
