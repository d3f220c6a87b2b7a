"""Bodies to messages and back, the broken ones too."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import InvalidInput
from engine.service.status import Code, Status
from engine.v1 import engine_pb2 as pb
from engine.web.framing import CONNECT_STREAMS, GRPC_WEB, Framing, connect_name, connect_seconds
from engine.web.protobuf_json import parse_json, to_json
from tests.transports import SERVICE, framed, frames_of, from_base64

ASK = SERVICE.methods_by_name["AskAgent"]
EVALUATE = SERVICE.methods_by_name["EvaluateRAG"]
REQUEST = pb.AgentRequest(query="¿qué?", query_type=pb.PLATFORM)
BINARY = CONNECT_STREAMS["application/connect+proto"]
TEXT = GRPC_WEB["application/grpc-web-text"]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"", "one framed message"),
        (b"\0\0\0\0", "one framed message"),
        (framed(b"abc")[:-1], "its length says 3 bytes"),
        (framed(b"") + b"x", "its length says 0 bytes"),
        (framed(REQUEST.SerializeToString()) * 2, "one framed message"),
        (framed(REQUEST.SerializeToString(), 1), "compressed"),
        (framed(REQUEST.SerializeToString(), 2), "one framed message"),
        (b"\0\xff\xff\xff\xff", "4294967295"),
    ],
)
def test_a_body_that_is_not_one_frame_is_refused(body: bytes, told: str) -> None:
    for framing in (BINARY, GRPC_WEB["application/grpc-web"]):
        with pytest.raises(InvalidInput, match=told):
            framing.read(ASK, body)


@given(st.binary(max_size=64))
def test_no_bytes_do_worse_than_to_be_refused(body: bytes) -> None:
    for framing in (*CONNECT_STREAMS.values(), *GRPC_WEB.values()):
        for sent in (body, framed(body)):
            try:
                read = framing.read(ASK, sent)
            except InvalidInput:
                continue
            assert isinstance(read, pb.AgentRequest)


def test_base64_may_come_in_padded_pieces_and_lines() -> None:
    body = framed(REQUEST.SerializeToString())
    assert TEXT.read(ASK, base64.b64encode(body)) == REQUEST
    pieces = base64.b64encode(body[:5]) + base64.b64encode(body[5:])
    assert b"=" in pieces[:-2]
    assert TEXT.read(ASK, pieces) == REQUEST
    assert TEXT.read(ASK, base64.encodebytes(body)) == REQUEST
    with pytest.raises(InvalidInput, match="base64"):
        TEXT.read(ASK, b"@@@@")
    with pytest.raises(InvalidInput, match="base64"):
        TEXT.read(ASK, b"AAA")


def test_the_status_ends_a_connect_stream() -> None:
    ((flags, payload),) = frames_of(BINARY.end(None))
    assert (flags, json.loads(payload)) == (2, {})
    ((flags, payload),) = frames_of(BINARY.end(Status(Code.RESOURCE_EXHAUSTED, "ñ", (("retry-after-ms", "5"),))))
    assert json.loads(payload) == {
        "error": {"code": "resource_exhausted", "message": "ñ"},
        "metadata": {"retry-after-ms": ["5"]},
    }


@pytest.mark.parametrize("kind", ["application/grpc-web", "application/grpc-web-text"])
def test_the_status_ends_a_grpc_web_body(kind: str) -> None:
    def end(status: Status | None) -> tuple[int, str]:
        body = GRPC_WEB[kind].end(status)
        ((flags, payload),) = frames_of(from_base64(body) if "text" in kind else body)
        return flags, payload.decode()

    assert end(None) == (0x80, "grpc-status: 0\r\n")
    hostile = Status(Code.NOT_FOUND, "50 % ñ\r\ngrpc-status: 0~", (("retry-after-ms", "5"),))
    flags, text = end(hostile)
    assert flags == 0x80
    assert text == "grpc-status: 5\r\ngrpc-message: 50 %25 %C3%B1%0D%0Agrpc-status: 0~\r\nretry-after-ms: 5\r\n"


@pytest.mark.parametrize(
    ("given", "seconds"), [("1H", 3600), ("2M", 120), ("3S", 3), ("40m", 0.04), ("50u", 5e-5), ("60n", 6e-8)]
)
def test_grpcs_deadlines_have_units(given: str, seconds: float) -> None:
    assert TEXT.seconds({"grpc-timeout": given}) == pytest.approx(seconds)


@pytest.mark.parametrize("given", ["", "S", "5", "123456789S", "-1S", "1.5S", "5s", "٣S"])
def test_a_deadline_of_another_form_is_refused(given: str) -> None:
    with pytest.raises(InvalidInput, match="grpc-timeout"):
        TEXT.seconds({"grpc-timeout": given})


def test_connects_deadlines_are_milliseconds() -> None:
    assert connect_seconds({"connect-timeout-ms": "1500"}) == 1.5
    assert connect_seconds({}) is None
    for given_ in ("", "-1", "1.5", "12345678901", "1e3"):
        with pytest.raises(InvalidInput, match="connect-timeout-ms"):
            connect_seconds({"connect-timeout-ms": given_})


def test_codes_are_spelt_as_connect_spells_them() -> None:
    assert [connect_name(code) for code in (Code.CANCELLED, Code.NOT_FOUND)] == ["canceled", "not_found"]


@pytest.mark.parametrize(
    "body",
    [
        {"query": "¿qué?", "queryType": "PLATFORM"},
        {"query": "¿qué?", "query_type": "PLATFORM"},
        {"query": "¿qué?", "queryType": 4},
        {"query": "¿qué?", "queryType": "PLATFORM", "sessionId": None},
        {"query": "¿qué?", "queryType": "PLATFORM", "ofALaterVersion": {"deep": [1]}},
    ],
)
def test_json_is_read_in_both_spellings_and_from_newer_clients(body: dict[str, Any]) -> None:
    assert parse_json(ASK, json.dumps(body).encode()) == REQUEST


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b"[]", "request: must be a JSON object"),
        (b"{", "request: is not JSON"),
        (b'{"query": "\xff"}', "request: is not JSON"),
        (b"[" * 100_000, "request: is not JSON"),
        (b'{"query": 7}', "query: has a value of another kind; it must be text"),
        (b'{"sessionId": {}}', "session_id: has a value"),
        (b'{"queryType": "PLATFROM"}', "query_type: is none of QUERY_TYPE_UNSPECIFIED, RETRIEVAL"),
        (b'{"query": "\\ud800"}', "query: has a value"),
    ],
)
def test_json_that_is_no_request_names_the_field(body: bytes, told: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_json(ASK, body)
    assert str(caught.value).startswith(told)


def test_fields_of_fields_are_checked_and_unknown_ones_left_out() -> None:
    body = {"cases": [{"query": "q", "later": 1, "relevant": [{"document": "d", "later": 1}]}], "limit": 2}
    read = parse_json(EVALUATE, json.dumps(body).encode())
    assert isinstance(read, pb.EvaluateRagRequest)
    assert read.cases[0].relevant[0].document == "d"
    with pytest.raises(InvalidInput, match=r"cases: .* a list of engine\.v1\.GoldenCase"):
        parse_json(EVALUATE, b'{"cases": [{"type": "NONE"}]}')
    with pytest.raises(InvalidInput, match=r"limit: .* whole number"):
        parse_json(EVALUATE, b'{"limit": 1.5}')


def test_json_is_written_in_full_but_for_what_was_not_chosen() -> None:
    assert json.loads(to_json(pb.AgentResponse(text="ñ")))["searches"] == 0
    assert json.loads(to_json(pb.AgentEvent(text_delta=""))) == {"textDelta": ""}


def test_every_framing_says_what_it_sends() -> None:
    for kind, framing in (CONNECT_STREAMS | GRPC_WEB).items():
        assert framing.content_type.startswith(kind)
        checked: Framing = framing
        assert checked.seconds({}) is None
