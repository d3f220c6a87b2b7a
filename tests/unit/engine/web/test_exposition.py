"""`/metrics` over the real server: who may read them, and that no caller's words are among them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from classifier.decision import Decision, Layer, QueryType
from engine import metrics
from engine.domain import Answer, Completed, Event, Route, Routed, Turn
from engine.identity.keys import KeyFile
from engine.identity.port import Scope
from engine.service.access import Access
from engine.v1 import engine_pb2 as pb
from tests.metered import metered
from tests.serving import Served, serving
from tests.transports import TRANSPORTS, UNREAD

ROUTE = Route(Decision(QueryType.CONVERSATIONAL, Layer.DEFAULT, 0.0, "no_layer"), model="scripted")
CANARY = "canary0123456789"


async def answered(turn: Turn) -> AsyncGenerator[Event]:
    yield Routed(ROUTE)
    yield Completed(Answer("hello", turn.session_id, "t-1", ROUTE))


async def scraped(served: Served, token: str = "") -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with httpx.AsyncClient(base_url=served.url, trust_env=False, verify=UNREAD) as http:
        return await http.get("/metrics", headers=headers)


async def test_everybody_may_read_them_where_identity_is_off(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        response = await scraped(served)
    assert response.status_code == 200
    assert response.headers["content-type"] == metrics.CONTENT_TYPE
    assert response.headers["cache-control"] == "no-store"
    assert "engine_streams_in_flight" in {one.name for one in text_string_to_metric_families(response.text)}


@pytest.mark.parametrize(
    ("scopes", "status"),
    [([Scope.METRICS], 200), ([Scope.ADMIN], 200), ([Scope.ASK, Scope.EVALUATE], 403), (None, 401)],
)
async def test_they_need_their_scope_where_identity_is_on(
    tmp_path: Path, scopes: list[Scope] | None, status: int
) -> None:
    keys = KeyFile(tmp_path / "keys.json")
    token = "" if scopes is None else keys.create("prometheus", scopes)[1]
    async with serving(tmp_path, access=Access(keys)) as served:
        response = await scraped(served, token)
    assert response.status_code == status
    assert ("engine_" in response.text) == (status == 200)


@pytest.mark.parametrize("name", TRANSPORTS)
async def test_a_call_is_counted_by_every_transport_and_none_of_its_words_is_shown(tmp_path: Path, name: str) -> None:
    request = pb.AgentRequest(query=f"what is {CANARY}", session_id=CANARY, request_id=CANARY, extra_context=CANARY)
    async with serving(tmp_path, answered) as served:
        with metered() as counted:
            await TRANSPORTS[name](served.grpc.address, served.web.address, "AskAgent", request)
            assert counted["engine_calls_total{code=OK,method=AskAgent}"] == 1
            assert counted["engine_turns_total{outcome=COMPLETE,type=CONVERSATIONAL}"] == 1
        assert CANARY not in (await scraped(served)).text
