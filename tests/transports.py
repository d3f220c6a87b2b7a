"""One client for each way in which an RPC can be called, behind one form, so that one suite can hold them together."""

from __future__ import annotations

import base64
import json
import ssl
import struct
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import grpc
import httpx
from google.protobuf.json_format import MessageToJson, Parse
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from engine.v1 import engine_pb2 as pb

SERVICE = pb.DESCRIPTOR.services_by_name["AssistanceService"]
_PREFIX = struct.Struct(">BI")
#: For clients over plain HTTP, `verify=UNREAD`: by default each client reads all certificates of the system, for 20 ms.
UNREAD = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass
class Reply:
    """What came back.

    Attributes:
        code: Name of the status code, as gRPC has it.
        metadata: Headers or initial metadata, and trailers.
    """

    messages: list[Message] = field(default_factory=list)
    code: str = "OK"
    text: str = ""
    metadata: dict[str, str] = field(default_factory=dict)


Call = Callable[..., Any]


async def by_grpc(grpc_address: str, web: str, method: str, body: bytes | Message, **headers: str) -> Reply:
    """gRPC itself."""
    del web
    data = body if isinstance(body, bytes) else body.SerializeToString()
    reply = Reply()
    described = SERVICE.methods_by_name[method]
    async with grpc.aio.insecure_channel(grpc_address) as channel:
        path = f"/{SERVICE.full_name}/{method}"
        form: Any = channel.unary_stream if described.server_streaming else channel.unary_unary
        call = form(path)(data, metadata=tuple(headers.items()))
        response = GetMessageClass(described.output_type)
        try:
            if described.server_streaming:
                reply.messages = [response.FromString(item) async for item in call]
            else:
                reply.messages = [response.FromString(await call)]
        except grpc.aio.AioRpcError as error:
            reply.code, reply.text = error.code().name, error.details() or ""
        metadata = [*(await call.initial_metadata() or ()), *(await call.trailing_metadata() or ())]
        reply.metadata = {str(name): str(value) for name, value in metadata}
    return reply


def connect(codec: str) -> Call:
    """Connect, in `json` or `proto`."""

    async def call(grpc_address: str, web: str, method: str, body: bytes | Message, **headers: str) -> Reply:
        del grpc_address
        described = SERVICE.methods_by_name[method]
        streaming = described.server_streaming
        kind = f"application/connect+{codec}" if streaming else f"application/{codec}"
        data = _encoded(body, codec)
        response = await _post(web, method, framed(data) if streaming else data, {"content-type": kind, **headers})
        reply = Reply(metadata=dict(response.headers))
        if not streaming:
            if response.status_code == 200:
                reply.messages = [_decoded(described.output_type, response.content, codec)]
            else:
                reply.code, reply.text = _connect_error(response.json())
            return reply
        assert response.status_code == 200, response.text
        *frames, (flags, last) = frames_of(response.content)
        assert flags == 2
        reply.messages = [_decoded(described.output_type, payload, codec) for _, payload in frames]
        end = json.loads(last)
        if "error" in end:
            reply.code, reply.text = _connect_error(end["error"])
        reply.metadata |= {name: values[0] for name, values in end.get("metadata", {}).items()}
        return reply

    return call


def grpc_web(kind: str) -> Call:
    """gRPC-Web of a content type."""
    codec = "json" if kind.endswith("json") else "proto"
    text = "text" in kind

    async def call(grpc_address: str, web: str, method: str, body: bytes | Message, **headers: str) -> Reply:
        del grpc_address
        described = SERVICE.methods_by_name[method]
        data = framed(_encoded(body, codec))
        sent = base64.b64encode(data) if text else data
        response = await _post(web, method, sent, {"content-type": kind, **headers})
        assert response.status_code == 200, response.text
        *frames, (flags, last) = frames_of(from_base64(response.content) if text else response.content)
        assert flags == 0x80
        trailers = dict(line.split(": ", 1) for line in last.decode().splitlines())
        code = int(trailers["grpc-status"])
        return Reply(
            [_decoded(described.output_type, payload, codec) for _, payload in frames],
            next(status.name for status in grpc.StatusCode if status.value[0] == code),
            unquote(trailers.get("grpc-message", "")),
            dict(response.headers) | trailers,
        )

    return call


TRANSPORTS: dict[str, Call] = {
    "grpc": by_grpc,
    "connect-json": connect("json"),
    "connect-proto": connect("proto"),
    "grpc-web": grpc_web("application/grpc-web"),
    "grpc-web+proto": grpc_web("application/grpc-web+proto"),
    "grpc-web+json": grpc_web("application/grpc-web+json"),
    "grpc-web-text": grpc_web("application/grpc-web-text"),
}


def framed(payload: bytes, flags: int = 0) -> bytes:
    """A payload behind its flags and length."""
    return _PREFIX.pack(flags, len(payload)) + payload


def frames_of(body: bytes) -> list[tuple[int, bytes]]:
    """The frames of a body."""
    frames = []
    while body:
        flags, length = _PREFIX.unpack_from(body)
        frames.append((flags, body[_PREFIX.size : _PREFIX.size + length]))
        assert len(frames[-1][1]) == length
        body = body[_PREFIX.size + length :]
    return frames


def from_base64(body: bytes) -> bytes:
    """The bytes of base64 pieces, each with padding of its own."""
    return b"".join(base64.b64decode(body[place : place + 4]) for place in range(0, len(body), 4))


async def frames_while_they_come(response: httpx.Response) -> AsyncGenerator[tuple[int, bytes]]:
    """The frames of a body that is still being sent."""
    held = b""
    async for chunk in response.aiter_raw():
        held += chunk
        while len(held) >= _PREFIX.size and len(held) >= (end := _PREFIX.size + _PREFIX.unpack_from(held)[1]):
            yield held[0], held[_PREFIX.size : end]
            held = held[end:]


async def _post(web: str, method: str, data: bytes, headers: dict[str, str]) -> httpx.Response:
    async with httpx.AsyncClient(timeout=60, trust_env=False, verify=UNREAD) as client:
        return await client.post(f"http://{web}/{SERVICE.full_name}/{method}", content=data, headers=headers)


def _encoded(body: bytes | Message, codec: str) -> bytes:
    if isinstance(body, bytes):
        return body
    return MessageToJson(body).encode() if codec == "json" else body.SerializeToString()


def _decoded(type_: Any, payload: bytes, codec: str) -> Message:
    message: Message = GetMessageClass(type_)()
    if codec == "json":
        return Parse(payload, message)
    message.ParseFromString(payload)
    return message


def _connect_error(body: dict[str, str]) -> tuple[str, str]:
    return body["code"].upper(), body["message"]
