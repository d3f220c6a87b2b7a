"""`/mcp` of the web address: who may ask, how much, and what becomes of a call when the server stops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from structlog.testing import capture_logs

from engine.identity.port import Identity, Rejected, Scope
from engine.service.access import Access
from engine.web import mcp
from engine.web.exchange import BODY_BYTES
from tests.serving import ListIndex, endless, serving
from tests.transports import UNREAD

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
SENT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}


class ByName:
    """Lets in whoever has a token of `name:scope`."""

    def identify(self, token: str) -> Identity:
        name, _, scope = token.partition(":")
        if not scope:
            raise Rejected("unknown")
        return Identity(name, frozenset({Scope(scope)}))


@asynccontextmanager
async def http_of(url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=url, timeout=60, trust_env=False, verify=UNREAD, headers=SENT) as client:
        yield client


async def test_each_request_says_who_makes_it(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, endless, documents=ListIndex(()), access=Access(ByName())) as served,
        http_of(served.url) as http,
    ):
        unknown = await http.post("/mcp", json=LIST)
        assert (unknown.status_code, unknown.headers["www-authenticate"]) == (401, "Bearer")
        lacking = await http.post("/mcp", json=LIST, headers={"authorization": "Bearer ana:evaluate"})
        assert lacking.status_code == 403
        assert "the scope `ask`" in lacking.json()["message"]
        known = await http.post("/mcp", json=LIST, headers={"authorization": "Bearer ana:ask"})
        assert known.status_code == 200
        assert served.answers.turns == []


async def test_a_turn_belongs_to_the_caller(tmp_path: Path) -> None:
    async with serving(tmp_path, endless, documents=ListIndex(()), access=Access(ByName())) as served:
        headers = {"authorization": "Bearer ana:ask"}
        async with httpx2.AsyncClient(headers=headers, trust_env=False, verify=UNREAD) as http:
            transport = streamable_http_client(f"{served.url}/mcp", http_client=http)
            async with Client(transport) as client:
                refused = await client.call_tool("ask", {"query": "my usage", "type": "PLATFORM"})
                asked = asyncio.create_task(client.call_tool("ask", {"query": "hi"}))
                await served.web.stop(0)
                cut = await asyncio.gather(asked, return_exceptions=True)
    (told,) = refused.content
    assert told.type == "text"
    assert told.text == "PERMISSION_DENIED: query_type: to declare PLATFORM needs the scope `platform`"
    assert cut  # whichever way the client takes a connection that ends
    assert {turn.principal for turn in served.answers.turns} <= {"ana"}


async def test_a_stop_ends_running_calls_and_lets_no_new_one_in(tmp_path: Path) -> None:
    async with serving(tmp_path, endless, documents=ListIndex(())) as served, http_of(served.url) as http:
        call = {**LIST, "method": "tools/call", "params": {"name": "ask", "arguments": {"query": "hi"}}}
        asked = asyncio.create_task(http.post("/mcp", json=call))
        async with asyncio.timeout(60):
            while not served.answers.turns:
                await asyncio.wait([asked], timeout=0.01)
            await served.web.stop(0)
            assert served.answers.ended.is_set()
            await asyncio.wait([asked])


async def test_other_methods_and_large_bodies_are_refused(tmp_path: Path) -> None:
    async with serving(tmp_path, endless, documents=ListIndex(())) as served, http_of(served.url) as http:
        for method in ("GET", "DELETE", "PUT"):
            response = await http.request(method, "/mcp")
            assert (response.status_code, response.headers["allow"]) == (405, "POST")
        large = await http.post("/mcp", content=b"x" * (BODY_BYTES + 1))
        assert large.status_code == 413
        assert "a body may have" in large.json()["message"]
        broken = await http.post("/mcp", content=b"{")
        assert broken.status_code == 400


async def test_a_page_of_another_site_may_not_call(tmp_path: Path) -> None:
    async with serving(tmp_path, endless, documents=ListIndex(())) as served, http_of(served.url) as http:
        assert (await http.post("/mcp", json=LIST, headers={"origin": "https://evil.example"})).status_code == 403
        assert (await http.post("/mcp", json=LIST, headers={"host": "evil.example"})).status_code == 421


async def test_without_an_index_there_is_nothing_at_the_path(tmp_path: Path) -> None:
    async with serving(tmp_path, endless) as served, http_of(served.url) as http:
        assert (await http.post("/mcp", json=LIST)).status_code == 404


async def test_what_nobody_expected_is_logged_without_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_parts: object) -> Any:
        raise ValueError("secret")

    monkeypatch.setattr(mcp, "_built", fails)
    async with serving(tmp_path, endless, documents=ListIndex(())) as served, http_of(served.url) as http:
        with capture_logs() as logs:
            response = await http.post("/mcp", json=LIST, headers={"x-request-id": "r-1"})
    assert (response.status_code, response.headers["x-request-id"]) == (500, "r-1")
    assert response.json()["message"] == "internal error; request id r-1"
    assert "secret" not in str(logs)
    assert [line["kind"] for line in logs if "kind" in line] == ["ValueError"]


def loaded() -> Iterator[str]:
    code = "import engine.web.server, sys\nprint('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    yield from done.stdout.split()


def test_the_sdk_is_loaded_by_the_first_request_and_not_before() -> None:
    assert "mcp" not in set(loaded())
