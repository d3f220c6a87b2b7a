"""Files that are sent over HTTP, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from engine.identity.keys import KeyFile
from engine.identity.port import Scope
from engine.retrieval.local.index import LocalIndex
from engine.service.access import Access
from engine.testing import HashedWordsEmbedder
from tests.serving import serving

ROW = b'{"id": "tide-1", "text": "The moon pulls the sea."}\n'


async def test_a_file_that_is_sent_is_listed_and_what_is_wrong_with_one_is_said_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.web.documents.MOST_BYTES", 100)
    index = LocalIndex(tmp_path / "index", HashedWordsEmbedder(32))
    async with (
        serving(tmp_path, documents=index) as served,
        httpx.AsyncClient(trust_env=False, base_url=served.url) as client,
    ):
        made = await client.put("/documents/mareas%20y%20luna.jsonl", content=ROW + b"{broken")
        assert (made.status_code, made.json()["added"]) == (200, 1)
        assert [one["path"] for one in made.json()["problems"]] == ["mareas y luna.jsonl, line 2"]
        assert made.headers["x-request-id"]
        listed = (await client.post("/engine.v1.AssistanceService/ListDocuments", json={})).json()
        assert ([one["name"] for one in listed["documents"]], listed["mayChange"]) == (["tide-1"], True)
        assert (listed["total"], listed["passages"], listed["embedder"]) == (1, 1, "none")
        assert listed["updatedAt"] > 0
        large = await client.put("/documents/large.md", content=b"x" * 101)
        assert (large.status_code, large.json()["message"]) == (
            413,
            "large.md: is too large; a body may have 100 bytes",
        )
        hidden = await client.put("/documents/.env", content=b"x")
        assert (hidden.status_code, hidden.json()["code"]) == (400, "invalid_argument")
        assert (await client.post("/documents/a.md", content=b"x")).status_code == 405
        removing = "/engine.v1.AssistanceService/RemoveDocument"
        assert (await client.post(removing, json={"document": "tide-1"})).json() == {"removed": 1}
        assert (await client.post(removing, json={"document": "tide-1"})).status_code == 404
        assert (await client.post(removing, json={})).json()["message"] == "document: is required"
    await index.close()


async def test_who_may_only_ask_sees_what_there_is_and_changes_nothing(tmp_path: Path) -> None:
    keys = KeyFile(tmp_path / "keys.json")
    reader, writer = (keys.create(str(scopes), scopes)[1] for scopes in ([Scope.ASK], [Scope.ASK, Scope.DOCUMENTS]))
    index = LocalIndex(tmp_path / "index", HashedWordsEmbedder(32))
    async with serving(tmp_path, documents=index, access=Access(keys)) as served:
        for key, status, may in ((reader, 403, False), (writer, 200, True)):
            headers = {"authorization": f"Bearer {key}"}
            async with httpx.AsyncClient(trust_env=False, base_url=served.url, headers=headers) as client:
                put = await client.put("/documents/tide.jsonl", content=ROW)
                listed = (await client.post("/engine.v1.AssistanceService/ListDocuments", json={})).json()
            assert (put.status_code, listed["mayChange"], listed["total"]) == (status, may, int(may))
        async with httpx.AsyncClient(trust_env=False, base_url=served.url) as stranger:
            assert (await stranger.put("/documents/tide.jsonl", content=ROW)).status_code == 401
    await index.close()


async def test_documents_come_in_pages(tmp_path: Path) -> None:
    index = LocalIndex(tmp_path / "index", HashedWordsEmbedder(32))
    async with (
        serving(tmp_path, documents=index) as served,
        httpx.AsyncClient(trust_env=False, base_url=served.url) as client,
    ):
        rows = b"".join(ROW.replace(b"tide-1", b"tide-%d" % n) for n in range(5))
        await client.put("/documents/tides.jsonl", content=rows)
        listing, token = "/engine.v1.AssistanceService/ListDocuments", ""
        found: list[str] = []
        while len(found) < 5:
            page = (await client.post(listing, json={"pageSize": 2, "pageToken": token})).json()
            found += [one["name"] for one in page["documents"]]
            token = page["nextPageToken"]
            assert bool(token) == (len(found) < 5)
        assert found == [f"tide-{n}" for n in range(5)]
        assert (await client.post(listing, json={"pageToken": "x"})).json()["message"].startswith("page_token: ")
    await index.close()
