"""Which hosts and origins are let in."""

from __future__ import annotations

from collections.abc import Sequence

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from engine.web.origins import Origins


async def yes(request: Request) -> PlainTextResponse:
    return PlainTextResponse("in", headers={"vary": "Accept"})


async def ask(
    method: str = "POST", *, hosts: Sequence[str] = (), origins: Sequence[str] = (), **headers: str
) -> httpx.Response:
    app = Starlette(routes=[Route("/", yes, methods=["GET", "POST", "OPTIONS"])])
    transport = httpx.ASGITransport(app=Origins(app, hosts=hosts, origins=origins))
    named = {"host": "127.0.0.1:8080"} | {name.replace("_", "-"): value for name, value in headers.items()}
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client:
        return await client.request(method, "/", headers=named)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:8080",
        "127.0.0.1",
        "localhost:8080",
        "LOCALHOST",
        "localhost.",
        "[::1]:8080",
        "192.168.1.7:80",
        "10.0.0.1",
    ],
)
async def test_addresses_and_localhost_are_ours(host: str) -> None:
    assert (await ask(host=host)).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "rebound.example.com:8080",
        "localhost.example.com",
        "127.0.0.1.example.com",
        "",
        "[::1",
        "user@host",
        "1.2.3",
        "a b",
    ],
)
async def test_any_other_name_is_refused(host: str) -> None:
    refused = await ask("GET", host=host)
    assert refused.status_code == 421
    assert "ENGINE_WEB_HOSTS" in refused.json()["message"]


async def test_names_that_were_configured_are_ours() -> None:
    assert (await ask(hosts=["Assist.Example.com"], host="assist.example.com:443")).status_code == 200
    assert (await ask(hosts=["assist.example.com"], host="other.example.com")).status_code == 421
    assert (await ask(hosts=["*"], host="other.example.com")).status_code == 200


@pytest.mark.parametrize("origin", ["http://127.0.0.1:8080", "HTTP://127.0.0.1:8080"])
async def test_our_own_page_may_call(origin: str) -> None:
    answered = await ask(origin=origin)
    assert answered.status_code == 200
    assert "access-control-allow-origin" not in answered.headers


@pytest.mark.parametrize(
    "origin", ["https://other.example.com", "null", "http://127.0.0.1:9999", "http://localhost:8080", "http://[", "x"]
)
async def test_another_sites_page_may_not(origin: str) -> None:
    refused = await ask(origin=origin)
    assert refused.status_code == 403
    assert "ENGINE_CORS_ORIGINS" in refused.json()["message"]
    assert "access-control-allow-origin" not in refused.headers
    assert (await ask("OPTIONS", origin=origin, access_control_request_method="POST")).status_code == 403


async def test_what_another_site_gets_it_cannot_read() -> None:
    seen = await ask("GET", origin="https://other.example.com")
    assert seen.status_code == 200
    assert "access-control-allow-origin" not in seen.headers


async def test_an_allowed_origin_may_call_and_read() -> None:
    allowed = {"origins": ["https://Dash.example.com"], "origin": "https://dash.example.com"}
    answered = await ask(**allowed)  # type: ignore[arg-type]
    assert answered.text == "in"
    assert answered.headers["access-control-allow-origin"] == "https://dash.example.com"
    assert "Origin" in answered.headers["vary"]
    assert "grpc-status" in answered.headers["access-control-expose-headers"]
    assert (await ask(origins=["https://dash.example.com"], origin="https://evil.example.com")).status_code == 403
    assert (await ask(origins=["*"], origin="https://any.example.com")).status_code == 200


async def test_a_preflight_allows_what_was_asked_for() -> None:
    answered = await ask(
        "OPTIONS",
        origins=["https://dash.example.com"],
        origin="https://dash.example.com",
        access_control_request_method="POST",
        access_control_request_headers="connect-protocol-version, content-type",
        access_control_request_private_network="true",
    )
    assert answered.status_code == 204
    assert answered.headers["access-control-allow-headers"] == "connect-protocol-version, content-type"
    assert answered.headers["access-control-allow-methods"] == "GET, POST"
    assert answered.headers["access-control-allow-private-network"] == "true"
    assert answered.headers["access-control-allow-origin"] == "https://dash.example.com"
