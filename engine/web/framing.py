"""The three ways in which an RPC is put into an HTTP body: a plain message, Connect's stream, and gRPC-Web.

Sources: the Connect protocol (connectrpc.com/docs/protocol) and gRPC-Web (PROTOCOL-WEB.md of the grpc repository).
Both put each message behind one byte of flags and its length as four bytes, most significant first.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from engine.errors import InvalidInput
from engine.service.calls import parse
from engine.service.status import Code, Status
from engine.web.protobuf_json import parse_json, to_json

_PREFIX = struct.Struct(">BI")
_COMPRESSED, _CONNECT_END, _GRPC_TRAILERS = 0x01, 0x02, 0x80
_BASE64_GROUP = 4


@dataclass(frozen=True, slots=True)
class Codec:
    """One message to bytes and back."""

    read: Callable[[MethodDescriptor, bytes], Message]
    write: Callable[[Message], bytes]


BINARY = Codec(parse, lambda message: message.SerializeToString())
JSON = Codec(parse_json, to_json)


class Framing(Protocol):
    """How a request's body is read, and a response's is written piece by piece.

    Attributes:
        content_type: Of both bodies.
    """

    @property
    def content_type(self) -> str:
        """Of both bodies."""
        ...

    def read(self, method: MethodDescriptor, body: bytes) -> Message:
        """The one message of a request. Raises `InvalidInput`."""
        ...

    def write(self, message: Message) -> bytes:
        """A message of the response."""
        ...

    def end(self, status: Status | None) -> bytes:
        """What closes the response: its status, None for success."""
        ...

    def seconds(self, headers: Mapping[str, str]) -> float | None:
        """Seconds until the caller's deadline, where it set one. Raises `InvalidInput`."""
        ...


@dataclass(frozen=True, slots=True)
class ConnectStream:
    """Connect's framing of streams; the last envelope holds the status in JSON."""

    content_type: str
    codec: Codec

    def read(self, method: MethodDescriptor, body: bytes) -> Message:
        """See `Framing.read`."""
        return self.codec.read(method, _only_message(body))

    def write(self, message: Message) -> bytes:
        """See `Framing.write`."""
        return _framed(0, self.codec.write(message))

    def end(self, status: Status | None) -> bytes:
        """See `Framing.end`."""
        last: dict[str, Any] = {}
        if status is not None:
            last["error"] = connect_error(status)
            last["metadata"] = {name: [value] for name, value in status.trailers}
        return _framed(_CONNECT_END, json.dumps(last, ensure_ascii=False).encode("utf-8", "replace"))

    def seconds(self, headers: Mapping[str, str]) -> float | None:
        """See `Framing.seconds`."""
        return connect_seconds(headers)


@dataclass(frozen=True, slots=True)
class GrpcWeb:
    """gRPC-Web's framing; the last frame holds the trailers.

    Attributes:
        text: Bodies are in base64, for clients that can read text only.
    """

    content_type: str
    codec: Codec
    text: bool = False

    def read(self, method: MethodDescriptor, body: bytes) -> Message:
        """See `Framing.read`."""
        return self.codec.read(method, _only_message(_from_base64(body) if self.text else body))

    def write(self, message: Message) -> bytes:
        """See `Framing.write`."""
        return self._put(_framed(0, self.codec.write(message)))

    def end(self, status: Status | None) -> bytes:
        """See `Framing.end`."""
        lines = [("grpc-status", "0")]
        if status is not None:
            message = quote(status.message.encode("utf-8", "replace"), safe=" !\"#$&'()*+,/:;<=>?@[\\]^`{|}")
            lines = [("grpc-status", str(int(status.code))), ("grpc-message", message), *status.trailers]
        return self._put(_framed(_GRPC_TRAILERS, "".join(f"{name}: {text}\r\n" for name, text in lines).encode()))

    def seconds(self, headers: Mapping[str, str]) -> float | None:
        """See `Framing.seconds`."""
        given = headers.get("grpc-timeout")
        if given is None:
            return None
        units = {"H": 3600.0, "M": 60.0, "S": 1.0, "m": 1e-3, "u": 1e-6, "n": 1e-9}
        if not re.fullmatch(r"[0-9]{1,8}[HMSmun]", given):
            raise InvalidInput("grpc-timeout", "must be up to eight digits and one of H, M, S, m, u, n, such as 30S")
        return int(given[:-1]) * units[given[-1]]

    def _put(self, frame: bytes) -> bytes:
        return base64.b64encode(frame) if self.text else frame


#: By content type: how unary RPCs are read and written by Connect, and how all other bodies are framed.
CONNECT_UNARY = {"application/json": JSON, "application/proto": BINARY}
CONNECT_STREAMS: dict[str, Framing] = {
    "application/connect+json": ConnectStream("application/connect+json", JSON),
    "application/connect+proto": ConnectStream("application/connect+proto", BINARY),
}
GRPC_WEB: dict[str, Framing] = {
    "application/grpc-web": GrpcWeb("application/grpc-web+proto", BINARY),
    "application/grpc-web+proto": GrpcWeb("application/grpc-web+proto", BINARY),
    "application/grpc-web+json": GrpcWeb("application/grpc-web+json", JSON),
    "application/grpc-web-text": GrpcWeb("application/grpc-web-text+proto", BINARY, text=True),
    "application/grpc-web-text+proto": GrpcWeb("application/grpc-web-text+proto", BINARY, text=True),
}


def connect_name(code: Code) -> str:
    """A code as Connect writes it."""
    return "canceled" if code is Code.CANCELLED else code.name.lower()


def connect_error(status: Status) -> dict[str, str]:
    """An error as Connect's JSON has it."""
    return {"code": connect_name(status.code), "message": status.message}


def connect_seconds(headers: Mapping[str, str]) -> float | None:
    """Seconds until the deadline that Connect's header sets.

    Raises:
        InvalidInput: It is no number of milliseconds.
    """
    given = headers.get("connect-timeout-ms")
    if given is None:
        return None
    if not re.fullmatch(r"[0-9]{1,10}", given):
        raise InvalidInput("connect-timeout-ms", "must be a number of milliseconds, of ten digits at most")
    return int(given) / 1000


def _framed(flags: int, payload: bytes) -> bytes:
    return _PREFIX.pack(flags, len(payload)) + payload


def _only_message(body: bytes) -> bytes:
    """The payload of a body that is one framed message, as requests of unary and server-streaming RPCs are."""
    if len(body) < _PREFIX.size:
        raise InvalidInput("request", "is not one framed message: a byte of flags, four of length, then the message")
    flags, length = _PREFIX.unpack_from(body)
    if flags & _COMPRESSED:
        raise InvalidInput("request", "is a compressed message; send it as it is")
    if flags or len(body) != _PREFIX.size + length:
        raise InvalidInput("request", f"is not one framed message: its length says {length} bytes")
    return body[_PREFIX.size :]


def _from_base64(body: bytes) -> bytes:
    """The bytes of base64 text, which may be several padded pieces one behind the other."""
    text = b"".join(body.split())
    try:
        groups = (text[place : place + _BASE64_GROUP] for place in range(0, len(text), _BASE64_GROUP))
        if b"=" not in text.rstrip(b"="):
            return base64.b64decode(text, validate=True)
        return b"".join(base64.b64decode(group, validate=True) for group in groups)
    except binascii.Error:
        raise InvalidInput("request", "is not base64") from None
