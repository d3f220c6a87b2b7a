"""Who is let in, over real connections, by every transport: with keys and with signed tokens."""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from classifier.decision import Decision, Layer, QueryType
from engine.conversation.store.port import SessionStore, TurnRecord
from engine.domain import Answer, Completed, Event, Outcome, Route, Turn
from engine.identity.keys import KeyFile
from engine.identity.port import Authenticator, Scope
from engine.identity.tokens import Tokens
from engine.service.access import Access
from engine.testing import HashedWordsEmbedder
from engine.v1 import engine_pb2 as pb
from tests.serving import Served, serving
from tests.sizes import sized
from tests.tokens import AUDIENCE, ISSUER, RSA_KEY, STRANGER, by_hand, claims, confused, key_set, token
from tests.transports import SERVICE, TRANSPORTS, UNREAD, Reply

ROUTE = Route(Decision(QueryType.CONVERSATIONAL, Layer.DEFAULT, 0.0, "no_layer"), model="scripted")
#: A text of secrets, one of which must never be in a log or an answer.
CANARY = "canary0123456789"


@dataclass
class House:
    """What runs, and the credentials of those who are known there."""

    served: Served
    ana: str
    bob: str
    folder: Path
    keys: KeyFile | None = None
    turn_ids: dict[str, str] = field(default_factory=dict)


async def remembered(turn: Turn, store: SessionStore) -> Answer:
    """Stores a turn as the engine does, without answering it."""
    answer = Answer("Sí.", turn.session_id, uuid.uuid4().hex, ROUTE)
    await store.append(
        TurnRecord(
            turn_id=answer.turn_id,
            session_id=turn.session_id,
            principal=turn.principal,
            query=turn.query,
            answer=answer.text,
            type=QueryType.CONVERSATIONAL,
            layer=Layer.DEFAULT,
            outcome=Outcome.COMPLETE,
            created_at=time.time(),
        )
    )
    return answer


@asynccontextmanager
async def house(kind: str, folder: Path) -> AsyncIterator[House]:
    keys = KeyFile(folder / "keys.json") if kind == "keys" else None
    authenticator: Authenticator
    if keys is not None:
        authenticator = keys
        ana, bob = (keys.create(name, [Scope.ASK])[1] for name in ("ana", "bob"))
    else:
        authenticator = Tokens(key_set(folder), issuer=ISSUER, audience=AUDIENCE)
        ana, bob = token(sub="ana", scope="ask"), token(sub="bob", scope="ask")
    homes: list[House] = []

    async def script(turn: Turn) -> AsyncGenerator[Event]:
        answer = await remembered(turn, homes[0].served.store)
        homes[0].turn_ids[turn.query] = answer.turn_id
        yield Completed(answer)

    async with serving(folder, script, access=Access(authenticator), embedder=HashedWordsEmbedder()) as served:
        homes.append(House(served, f"Bearer {ana}", f"Bearer {bob}", folder, keys))
        yield homes[0]


@pytest.fixture(params=["keys", "jwt"])
async def any_house(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[House]:
    async with house(request.param, tmp_path) as running:
        yield running


@pytest.fixture
async def jwt_house(tmp_path: Path) -> AsyncIterator[House]:
    async with house("jwt", tmp_path) as running:
        yield running


@pytest.fixture
async def key_house(tmp_path: Path) -> AsyncIterator[House]:
    async with house("keys", tmp_path) as running:
        yield running


async def asked(at: House, transport: str, method: str, message: bytes | Message, credentials: str | None) -> Reply:
    headers = {} if credentials is None else {"authorization": credentials}
    reply: Reply = await TRANSPORTS[transport](
        at.served.grpc.address, at.served.web.address, method, message, **headers
    )
    return reply


def request_of(method: str) -> Message:
    return {
        "AskAgent": pb.AgentRequest(query="hola", session_id="s-1"),
        "AskAgentStream": pb.AgentRequest(query="hola", session_id="s-1"),
        "Classify": pb.ClassifyRequest(query="hola"),
        "EvaluateRAG": pb.EvaluateRagRequest(limit=1),
        "GetSession": pb.GetSessionRequest(session_id="s-1"),
        "ListSessions": pb.ListSessionsRequest(),
        "DeleteSession": pb.DeleteSessionRequest(session_id="s-1"),
        "RenameSession": pb.RenameSessionRequest(session_id="s-1", name="Loops"),
        "RateTurn": pb.RateTurnRequest(turn_id="t-1", rating=pb.UP),
        "ListDocuments": pb.ListDocumentsRequest(page_size=3),
        "RemoveDocument": pb.RemoveDocumentRequest(document="unknown"),
        "GetRouter": pb.GetRouterRequest(),
        "CorrectTurn": pb.CorrectTurnRequest(turn_id="t-1", type=pb.PLATFORM),
    }[method]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_no_method_is_served_without_credentials(any_house: House, transport: str) -> None:
    told = set()
    for method in SERVICE.methods_by_name:
        # Bytes that are no request too: nothing is parsed for a stranger.
        for message in (request_of(method), b"\xff\xff\xff"):
            for credentials in (None, "Bearer x"):
                reply = await asked(any_house, transport, method, message, credentials)
                assert (reply.code, reply.messages) == ("UNAUTHENTICATED", []), method
                told.add(reply.text)
    assert len(told) == 1
    assert not any_house.served.answers.turns


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_every_method_with_its_scope_is_served(any_house: House, transport: str) -> None:
    for method in SERVICE.methods_by_name:
        reply = await asked(any_house, transport, method, request_of(method), any_house.ana)
        more = method in ("EvaluateRAG", "RemoveDocument")
        assert reply.code in (("PERMISSION_DENIED",) if more else ("OK", "NOT_FOUND")), method
    assert reply.text or reply.messages


async def test_over_http_a_stranger_is_told_how(any_house: House) -> None:
    async with httpx.AsyncClient(trust_env=False, verify=UNREAD, base_url=any_house.served.url) as client:
        path = f"/{SERVICE.full_name}/ListSessions"
        response = await client.post(path, json={})
        assert (response.status_code, response.headers["www-authenticate"]) == (401, "Bearer")
        good = await client.post(path, json={}, headers={"AUTHORIZATION": any_house.ana})
        assert good.status_code == 200
        twice = [("authorization", any_house.ana), ("authorization", any_house.ana)]
        assert (await client.post(path, json={}, headers=twice)).status_code == 401


async def test_probes_need_no_identity(any_house: House) -> None:
    async with httpx.AsyncClient(trust_env=False, verify=UNREAD, base_url=any_house.served.url) as client:
        for path in ("/healthz", "/readyz"):
            assert (await client.get(path)).status_code == 200
    async with grpc.aio.insecure_channel(any_house.served.grpc.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest())
        assert answer.status == health_pb2.HealthCheckResponse.SERVING


Change = Callable[[], str]
NOW = int(time.time())
REFUSED: dict[str, Change | str | None] = {
    "none": None,
    "empty": "",
    "only the scheme": "Bearer",
    "another scheme": lambda: f"Basic {token()}",
    "without a scheme": token,
    "two in one": lambda: f"Bearer {token()} {token()}",
    "oversized": lambda: f"Bearer {token(padding='x' * 8192)}",
    "expired": lambda: f"Bearer {token(exp=NOW - 60, iat=NOW - 600)}",
    "not yet": lambda: f"Bearer {token(nbf=NOW + 3600)}",
    "without an end": lambda: f"Bearer {token(exp=None)}",
    "algorithm none": lambda: f"Bearer {by_hand({'alg': 'none', 'typ': 'JWT'}, claims())}",
    "key confusion": lambda: f"Bearer {confused()}",
    "another's signature": lambda: f"Bearer {token(STRANGER)}",
    "no signature": lambda: f"Bearer {token().rpartition('.')[0]}.",
    "changed claims": lambda: (
        "Bearer "
        + ".".join(
            part if place != 1 else token(sub="root").split(".")[1] for place, part in enumerate(token().split("."))
        )
    ),
    "wrong audience": lambda: f"Bearer {token(aud='another-service')}",
    "wrong issuer": lambda: f"Bearer {token(iss='https://evil.example.org')}",
    "nobody": lambda: f"Bearer {token(sub=None)}",
    "key embedded in the token": lambda: "Bearer " + by_hand({"alg": "RS256", "jwk": {"kty": "RSA"}}, claims()),
    "an API key where tokens are asked for": "Bearer ae_0123456789abcdef_" + "x" * 43,
}


@pytest.mark.parametrize("transport", ["grpc", "connect-json", "grpc-web"])
async def test_credentials_that_identify_nobody(
    jwt_house: House, transport: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = set()
    for name, made in REFUSED.items():
        credentials = made() if callable(made) else made
        reply = await asked(jwt_house, transport, "AskAgent", request_of("AskAgent"), credentials)
        if (name, transport, reply.code) == ("oversized", "grpc", "RESOURCE_EXHAUSTED"):
            continue  # the library does not read so much metadata
        assert reply.code == "UNAUTHENTICATED", name
        told.add(reply.text)
        assert not any(part and part in reply.text for part in (credentials or "").split(".")[1:]), name
    assert len(told) == 1
    assert not jwt_house.served.answers.turns
    printed = "".join(capsys.readouterr())
    assert token().partition(".")[0] not in printed
    reply = await asked(jwt_house, transport, "AskAgent", request_of("AskAgent"), f"bEARER {token()}")
    assert reply.code == "OK"


@pytest.mark.parametrize("transport", ["grpc", "connect-json", "grpc-web"])
async def test_a_revoked_key_and_a_replaced_one(key_house: House, transport: str) -> None:
    assert key_house.keys is not None
    command = KeyFile(key_house.folder / "keys.json")  # as another process has it
    key, text = command.create("short-lived", [Scope.ASK])
    assert (await asked(key_house, transport, "ListSessions", b"", f"Bearer {text}")).code == "OK"
    command.revoke(key.id)
    for _ in range(2):  # and when it is sent again
        refused = await asked(key_house, transport, "ListSessions", b"", f"Bearer {text}")
        assert refused.code == "UNAUTHENTICATED"
    swapped = f"{text[:20]}{key_house.ana.removeprefix('Bearer ')[20:]}"
    assert (await asked(key_house, transport, "ListSessions", b"", f"Bearer {swapped}")).code == "UNAUTHENTICATED"


async def test_nothing_of_a_key_is_logged(key_house: House, capsys: pytest.CaptureFixture[str]) -> None:
    for credentials in (f"Bearer {CANARY}", f"Bearer ae_{CANARY}_{CANARY}", CANARY, f"Basic {CANARY}", key_house.ana):
        for transport in TRANSPORTS:
            reply = await asked(key_house, transport, "AskAgent", request_of("AskAgent"), credentials)
            assert CANARY not in reply.text + str(reply.metadata)
    printed = "".join(capsys.readouterr())
    assert "[identity]" in printed
    assert CANARY not in printed
    assert key_house.ana.split("_", 2)[2] not in printed


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_to_speak_as_the_platform_needs_its_scope(key_house: House, transport: str) -> None:
    assert key_house.keys is not None
    _, text = key_house.keys.create("dashboard", [Scope.ASK, Scope.PLATFORM])
    for method, message in (
        ("AskAgent", pb.AgentRequest(query="hola", query_type=pb.PLATFORM)),
        ("AskAgentStream", pb.AgentRequest(query="hola", query_type=pb.PLATFORM)),
        ("Classify", pb.ClassifyRequest(query="hola", query_type=pb.PLATFORM)),
    ):
        refused = await asked(key_house, transport, method, message, key_house.ana)
        assert (refused.code, refused.text) == (
            "PERMISSION_DENIED",
            "query_type: to declare PLATFORM needs the scope `platform`",
        )
        assert (await asked(key_house, transport, method, message, f"Bearer {text}")).code == "OK"
    await asked(key_house, transport, "AskAgent", pb.AgentRequest(query="hola"), key_house.ana)
    assert [turn.platform for turn in key_house.served.answers.turns] == [True, True, False]


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_foreign_and_missing_look_the_same(any_house: House, transport: str) -> None:
    await asked(any_house, transport, "AskAgent", pb.AgentRequest(query="hola", session_id="anas"), any_house.ana)

    async def replies(session: str, turn_id: str) -> list[tuple[str, str, list[Message]]]:
        found = []
        for method, message in (
            ("GetSession", pb.GetSessionRequest(session_id=session)),
            ("Classify", pb.ClassifyRequest(query="hola", session_id=session)),
            ("DeleteSession", pb.DeleteSessionRequest(session_id=session)),
            ("CorrectTurn", pb.CorrectTurnRequest(turn_id=turn_id, type=pb.RETRIEVAL)),
            ("RateTurn", pb.RateTurnRequest(turn_id=turn_id, rating=pb.DOWN)),
            ("RenameSession", pb.RenameSessionRequest(session_id=session, name="Mine")),
        ):
            reply = await asked(any_house, transport, method, message, any_house.bob)
            found.append((reply.code, reply.text, reply.messages))
        return found

    assert await replies("anas", any_house.turn_ids["hola"]) == await replies("nobodys", "no turn")
    mine = await asked(any_house, transport, "GetSession", pb.GetSessionRequest(session_id="anas"), any_house.ana)
    assert [turn.query for turn in mine.messages[0].turns] == ["hola"]  # type: ignore[attr-defined]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(["ana", "bob"]),
        st.sampled_from(["ask", "read", "list", "delete", "correct"]),
        st.sampled_from(["s-1", "s-2", "s-3"]),
    ),
    min_size=sized(1, 200),
    max_size=sized(8, 200),
)
#: Walks of so many steps, for each of two ways to identify callers.
WALKS = sized(12, 250)


@pytest.mark.parametrize("kind", ["keys", "jwt"])
def test_no_principal_reads_or_changes_anothers_session(
    kind: str, tmp_path_factory: pytest.TempPathFactory, record_property: Callable[[str, object], None]
) -> None:
    import asyncio

    taken = [0]

    @settings(max_examples=WALKS, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STEPS)
    def walk(steps: list[tuple[str, str, str]]) -> None:
        taken[0] += len(steps)
        asyncio.run(walked(kind, tmp_path_factory.mktemp("walk"), steps))

    walk()
    record_property("figure", f"{taken[0]} steps with {kind}, none across principals")


async def walked(kind: str, folder: Path, steps: list[tuple[str, str, str]]) -> None:
    """Each caller sees exactly what it has stored itself, whatever the others do to sessions of the same id."""
    async with house(kind, folder) as at:
        own: dict[str, dict[str, list[str]]] = {"ana": {}, "bob": {}}
        for place, (who, what, session) in enumerate(steps):
            credentials, mine = getattr(at, who), own[who]
            match what:
                case "ask":
                    query = f"{who} {place}"
                    await asked(at, "grpc", "AskAgent", pb.AgentRequest(query=query, session_id=session), credentials)
                    mine.setdefault(session, []).append(query)
                case "read":
                    reply = await asked(at, "grpc", "GetSession", pb.GetSessionRequest(session_id=session), credentials)
                    read: Any = reply.messages
                    assert [turn.query for turn in read[0].turns] == mine[session] if read else session not in mine
                case "list":
                    reply = await asked(at, "grpc", "ListSessions", pb.ListSessionsRequest(), credentials)
                    page: Any = reply.messages[0]
                    assert {one.session_id: one.turns for one in page.sessions} == {k: len(v) for k, v in mine.items()}
                case "delete":
                    reply = await asked(
                        at, "grpc", "DeleteSession", pb.DeleteSessionRequest(session_id=session), credentials
                    )
                    assert reply.code == ("OK" if mine.pop(session, None) else "NOT_FOUND")
                case "correct":
                    for query, turn_id in at.turn_ids.items():
                        if not query.startswith(who):
                            message = pb.CorrectTurnRequest(turn_id=turn_id, type=pb.RETRIEVAL)
                            assert (await asked(at, "grpc", "CorrectTurn", message, credentials)).code == "NOT_FOUND"


async def test_keys_that_cannot_be_read_let_nobody_in(key_house: House) -> None:
    (key_house.folder / "keys.json").write_text("{", "utf-8")
    for transport in TRANSPORTS:
        reply = await asked(key_house, transport, "ListSessions", b"", key_house.ana)
        assert (reply.code, reply.messages) == ("UNAVAILABLE", []), transport
        assert reply.text == "identity: callers cannot be identified now; the log says why"


async def test_another_tenants_token_is_another_principal(jwt_house: House) -> None:
    other = replace(jwt_house, ana=f"Bearer {token(RSA_KEY, sub='ana2', tenant='other')}")
    await asked(jwt_house, "grpc", "AskAgent", request_of("AskAgent"), jwt_house.ana)
    await asked(other, "grpc", "AskAgent", request_of("AskAgent"), other.ana)
    principals = [turn.principal for turn in jwt_house.served.answers.turns]
    assert principals == [f"{ISSUER} ana", f"{ISSUER} ana2"]
    assert [turn.caller for turn in jwt_house.served.answers.turns] == principals  # admission counts for them


async def test_openais_endpoints_ask_for_the_same_credentials(any_house: House) -> None:
    asked_for = {
        "/v1/models": None,
        "/v1/models/assist": None,
        "/v1/chat/completions": {"model": "assist", "messages": [{"role": "user", "content": "hola"}]},
        "/v1/embeddings": {"model": HashedWordsEmbedder().id, "input": "hola"},
    }
    async with httpx.AsyncClient(trust_env=False, verify=UNREAD, base_url=any_house.served.url) as client:
        for path, body in asked_for.items():
            for credentials in (None, "Bearer x"):
                headers = {} if credentials is None else {"authorization": credentials}
                sent = {} if body is None else {"json": body}
                response = await client.request("POST" if body else "GET", path, headers=headers, **sent)  # type: ignore[arg-type]
                assert response.status_code == 401, path
                assert response.headers["www-authenticate"] == "Bearer"
                assert response.json()["error"]["code"] == "invalid_api_key"
            if body:  # nothing is read for a stranger
                assert (await client.post(path, content=b"{")).status_code == 401
            good = {"authorization": any_house.ana}
            response = await client.request("POST" if body else "GET", path, headers=good, **sent)  # type: ignore[arg-type]
            assert response.status_code in (200, 404), (path, response.text)
    (turn,) = any_house.served.answers.turns
    assert turn.principal.startswith("key:") or turn.principal.endswith(" ana")
