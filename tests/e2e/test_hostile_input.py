"""Bytes, texts and query syntax that no program of ours would send: a documented code each, and the service goes on."""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message

from engine.client import AssistanceClient
from engine.v1 import engine_pb2 as pb
from tests.sizes import sized

SERVICE = "engine.v1.AssistanceService"
MUTATED, UNICODE, SYNTAX = sized(250, 50_000), sized(12, 300), sized(12, 500)
#: What bad input may come to; answers too, since some mutations leave a request that means something.
DOCUMENTED = {"OK", "INVALID_ARGUMENT", "NOT_FOUND"}
#: What an error begins with: a field, also one of a list, or two of which one is needed.
NAMED = re.compile(r"[a-z_]+(\[\d+\]\.[a-z_]+)?( or [a-z_]+)?")
TRAILERS = (
    b"",
    b"\x00",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x0a\x7f",
    b"\xfb\xff\xff\xff\x0f",
    b"\x0b" * 200,
)
Told = Callable[[str, object], None]

#: By method that takes one message and leaves nothing to wait for: a good request.
REQUESTS: dict[str, Message] = {
    "Classify": pb.ClassifyRequest(
        query="¿qué es addVar?", history=[pb.IntentHistoryEntry(type="RETRIEVAL", query="x")]
    ),
    "AskAgent": pb.AgentRequest(query="thanks", session_id="s", editor_content="a = 1", request_id="r"),
    "GetSession": pb.GetSessionRequest(session_id="s", page_size=3, page_token="t"),
    "ListSessions": pb.ListSessionsRequest(page_size=3, page_token="t"),
    "DeleteSession": pb.DeleteSessionRequest(session_id="s"),
    "RenameSession": pb.RenameSessionRequest(session_id="s", name="Loops"),
    "CorrectTurn": pb.CorrectTurnRequest(turn_id="t", type=pb.PLATFORM),
    "RateTurn": pb.RateTurnRequest(turn_id="t", rating=pb.UP, reason="r"),
}


def mutated(good: bytes, dice: random.Random) -> bytes:
    """The bytes of a request with some of them changed, cut, doubled or put in from elsewhere."""
    content = bytearray(good)
    for _ in range(dice.randint(1, 4)):
        place = dice.randrange(len(content) + 1)
        match dice.randrange(6):
            case 0:
                content[place : place + 1] = bytes([dice.randrange(256)])
            case 1 if content:
                content[min(place, len(content) - 1)] ^= 1 << dice.randrange(8)
            case 2:
                del content[place : place + dice.randint(1, 8)]
            case 3:
                content[place:place] = dice.randbytes(dice.randint(1, 12))
            case 4:
                content += content[: dice.randrange(len(content) + 1)]
            case _:
                content += dice.choice(TRAILERS)
    return bytes(content)


def numerous(pieces: Sequence[str], most: int) -> Callable[[random.Random], str]:
    return lambda dice: "".join(dice.choices(pieces, k=dice.randint(1, most)))


#: A sign of each category of Unicode, but for halves of pairs, which UTF-8 has no bytes for.
SIGNS = [
    sign
    for category in (
        "Lu",
        "Ll",
        "Lt",
        "Lm",
        "Lo",
        "Mn",
        "Mc",
        "Me",
        "Nd",
        "Nl",
        "No",
        "Pc",
        "Pd",
        "Ps",
        "Po",
        "Sm",
        "Sc",
        "Sk",
        "So",
        "Zs",
        "Zl",
        "Zp",
        "Cc",
        "Cf",
        "Co",
        "Cn",
    )
    for sign in [chr(n) for n in range(0, sys.maxunicode, 37) if unicodedata.category(chr(n)) == category][:40]
]
#: What the query languages of Lucene, tantivy, SQL, regular expressions, templates, JSON and shells are made of.
SYNTAX_PIECES = (
    *("AND", "OR", "NOT", "(", ")", "[", "]", "{", "}", '"', "'", ":", "*", "?", "~2", "^3.5", "+", "-", "/.*/", "\\", "&&", "||", "!"),
    *(" TO ", "text:", "_exists_:", "IN [a b]", "title:(", "<", ">=", "; DROP TABLE turns; --", "%00", "${x}", "{{7*7}}", "$(id)", "`id`"),
    *('{"query": {', "'}}", "\n", "\t", "..", "../../etc/passwd", "<script>", "%s%n", "(a+)+$", "addVar", "loop", " "),
)  # fmt: skip


async def answered(client: AssistanceClient, texts: Iterator[str]) -> Counter[str]:
    """What each text came to as a question that is looked up."""
    outcomes = Counter[str]()
    for text in texts:
        answer = await client.ask(f"x{text}", query_type="RETRIEVAL")
        assert answer.text
        outcomes[pb.Outcome.Name(answer.outcome)] += 1
    return outcomes


@pytest.mark.timeout(3600)
async def test_a_mutated_request_has_a_documented_code(service: Any, record_property: Told) -> None:
    dice, codes, told, before = random.Random(14), Counter[str](), set[str](), len(service.read_log())
    channel: Any = grpc.aio.insecure_channel(service.address)
    async with channel:
        for number in range(MUTATED):
            method = list(REQUESTS)[number % len(REQUESTS)]
            body = mutated(REQUESTS[method].SerializeToString(), dice)
            try:
                await channel.unary_unary(f"/{SERVICE}/{method}")(body, timeout=60)
                codes["OK"] += 1
            except grpc.aio.AioRpcError as error:
                codes[error.code().name] += 1
                told.add((error.details() or "").partition(":")[0])
    assert set(codes) <= DOCUMENTED, codes
    assert codes["INVALID_ARGUMENT"] > MUTATED // 10
    assert all(NAMED.fullmatch(name) for name in told), told  # each names a field, or the request
    async with AssistanceClient(service.address) as client:
        assert await client.serving()
    log = service.read_log()[before:]
    assert "Traceback" not in log
    assert "unexpected" not in log
    record_property("figure", f"{MUTATED} mutated protobufs: {dict(codes)}")


@pytest.mark.parametrize(
    ("kind", "count", "made"),
    [
        ("Unicode", UNICODE, numerous(SIGNS, 60)),
        ("query-syntax", SYNTAX, numerous(SYNTAX_PIECES, 12)),
    ],
)
@pytest.mark.timeout(3600)
async def test_signs_and_syntax_of_any_kind_are_a_question(
    client: AssistanceClient, kind: str, count: int, made: Callable[[random.Random], str], record_property: Told
) -> None:
    dice = random.Random(15)
    outcomes = await answered(client, (made(dice) for _ in range(count)))
    assert set(outcomes) == {"COMPLETE"}, outcomes
    assert outcomes.total() == count
    record_property("figure", f"{count} {kind} strings answered")
