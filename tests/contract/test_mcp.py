"""The Model Context Protocol by the SDK's client, in the process and over HTTP, in its present and its former version."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from classifier.decision import Decision, Layer, QueryType
from engine.domain import (
    Action,
    Answer,
    Completed,
    Event,
    Evidence,
    Passage,
    Progress,
    Relation,
    Route,
    Routed,
    TextDelta,
    Turn,
)
from engine.errors import DependencyUnavailable, Overloaded
from engine.mcp.server import build_server, local_call
from tests.serving import ListIndex, Script, endless, failing, serving

PASSAGES = (
    Passage("p-1", "guía/bucles.md", "Guía", "Bucles > startLoop", "Repite con `startLoop`."),
    Passage("p-2", "guía/bucles.md", "Guía", "", "Termina con `endLoop`."),
    Passage("p-3", "notes 100%.txt", "Notes", "", "Nothing to loop over."),
)
ROUTE = Route(
    Decision(QueryType.RETRIEVAL, Layer.EMBEDDING, 0.93, "confident"),
    relation=Relation.NEW_TOPIC_INFORMATIONAL,
    action=Action.FRESH,
    search_query="itero",
    model="scripted",
)


async def whole(turn: Turn) -> AsyncGenerator[Event]:
    yield Routed(ROUTE)
    yield Progress("retrieve", "bucles")
    yield Progress("generate")
    yield TextDelta("Con un bucle [1].")
    evidence = (Evidence(1, PASSAGES[0]),)
    yield Completed(Answer("Con un bucle [1].", turn.session_id, "turn-1", ROUTE, evidence, 1, answerability=0.75))


class World:
    """What the calls of one test meet."""

    def __init__(self, folder: Path, by: str) -> None:
        self._folder, self._by = folder, by
        self.index = ListIndex(PASSAGES)
        self.turns: list[Turn] = []

    @asynccontextmanager
    async def client(self, script: Script = whole) -> AsyncIterator[Client]:
        mode = "legacy" if "2025" in self._by else "auto"
        async with serving(self._folder, script, documents=self.index) as served:
            self.turns = served.answers.turns
            there = f"{served.url}/mcp" if "http" in self._by else build_server(served.service, self.index, local_call)
            async with Client(there, mode=mode) as client:
                yield client


Connect = Callable[..., AbstractAsyncContextManager[Client]]


@pytest.fixture(params=["memory", "memory 2025", "http", "http 2025"])
def world(tmp_path: Path, request: pytest.FixtureRequest) -> World:
    return World(tmp_path, request.param)


async def test_the_tools_are_listed_with_the_schemas_of_what_they_take_and_give(world: World) -> None:
    async with world.client() as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {"ask", "search", "classify"}
    for tool in tools.values():
        assert tool.input_schema["required"] == ["query"]
        assert tool.description
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"
    assert {"session", "type", "selected_text"} <= set(tools["ask"].input_schema["properties"])
    assert tools["search"].annotations is not None
    assert tools["search"].annotations.read_only_hint


async def test_an_answer_has_its_text_its_sources_and_its_route(world: World) -> None:
    async with world.client() as client:
        result = await client.call_tool("ask", {"query": "¿cómo itero?", "session": "s-1", "type": "RETRIEVAL"})
    assert not result.is_error
    uri = "document:///gu%C3%ADa/bucles.md"
    (said,) = result.content
    assert said.type == "text"
    assert said.text == f"Con un bucle [1].\n\n[1] guía/bucles.md — Bucles > startLoop ({uri})"
    found: Any = result.structured_content
    assert (found["text"], found["session"], found["turn_id"]) == ("Con un bucle [1].", "s-1", "turn-1")
    assert (found["outcome"], found["answerability"]) == ("complete", 0.75)
    assert found["route"]["type"] == "RETRIEVAL"
    assert found["route"]["layer"] == "embedding"
    assert found["route"]["confidence"] == pytest.approx(0.93)
    assert (found["route"]["relation"], found["route"]["action"]) == ("NEW_TOPIC_INFORMATIONAL", "FRESH")
    (citation,) = found["citations"]
    assert citation == {
        "number": 1,
        "id": "p-1",
        "document": "guía/bucles.md",
        "heading": "Bucles > startLoop",
        "text": "Repite con `startLoop`.",
        "uri": uri,
    }
    (turn,) = world.turns
    assert (turn.query, turn.session_id, turn.declared) == ("¿cómo itero?", "s-1", QueryType.RETRIEVAL)


async def test_an_answer_tells_its_stages_to_who_wants_to_know(world: World) -> None:
    stages = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        stages.append((progress, total, message))

    async with world.client() as client:
        await client.call_tool("ask", {"query": "¿cómo itero?"}, progress_callback=note)
    assert stages == [(1, None, "retrieve bucles"), (2, None, "generate")]


async def test_what_the_editor_and_the_platform_show_goes_along(world: World) -> None:
    asked = {"query": "what is this?", "editor_content": "file", "selected_text": "line", "extra_context": "Calls: 7"}
    async with world.client() as client:
        await client.call_tool("ask", {**asked, "session_id": "s-2", "query_type": "PLATFORM"})
    (turn,) = world.turns
    assert (turn.editor_content, turn.selected_text, turn.extra_context) == ("file", "line", "Calls: 7")
    assert (turn.session_id, turn.declared) == ("s-2", QueryType.PLATFORM)


async def test_a_search_gives_passages_and_asks_no_model(world: World) -> None:
    async with world.client() as client:
        result = await client.call_tool("search", {"query": "repite con", "k": 1})
        nothing = await client.call_tool("search", {"query": "zebra"})
    found: Any = result.structured_content
    assert [hit["id"] for hit in found["hits"]] == ["p-1"]
    assert nothing.structured_content == {"hits": []}
    assert world.turns == []


async def test_a_question_is_classified_without_an_answer(world: World) -> None:
    async with world.client() as client:
        result = await client.call_tool("classify", {"query": "my usage", "type": "PLATFORM"})
    found: Any = result.structured_content
    assert (found["type"], found["layer"], found["reason"]) == ("PLATFORM", "declared", "declared")
    assert world.turns == []


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("ask", {}, "INVALID_ARGUMENT: query: field required"),
        ("ask", {"query": " "}, "INVALID_ARGUMENT: query: is empty"),
        ("ask", {"query": 7}, "INVALID_ARGUMENT: query: input should be a valid string"),
        ("ask", {"query": "x" * 40_000}, "INVALID_ARGUMENT: query: has 40000 bytes"),
        ("ask", {"query": "hi", "type": "CODE"}, "INVALID_ARGUMENT: type: input should be 'retrieval'"),
        ("ask", {"query": "hi", "sesion": "s"}, "the arguments are query, session, type"),
        ("search", {"query": "hi", "k": 0}, "INVALID_ARGUMENT: k: input should be greater"),
        ("search", {"query": " "}, "INVALID_ARGUMENT: query: is empty"),
        ("classify", {"query": "hi", "session": "unknown"}, "NOT_FOUND: session_id: there is no such session"),
        ("delete", {}, "NOT_FOUND: delete: there is no such tool; there are ask, search, classify"),
    ],
)
async def test_a_wrong_call_is_told_what_would_be_right(
    world: World, tool: str, arguments: dict[str, Any], told: str
) -> None:
    async with world.client() as client:
        result = await client.session.call_tool(tool, arguments)
    assert result.is_error
    (content,) = result.content
    assert content.type == "text"
    assert told in content.text


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (Overloaded("engine: no place", 3), "RESOURCE_EXHAUSTED: engine: no place"),
        (DependencyUnavailable("ollama", "is down"), "UNAVAILABLE: ollama: is down"),
        (ValueError("secret"), "INTERNAL: internal error; request id"),
    ],
)
async def test_an_error_has_its_code_and_no_words_of_a_library(world: World, error: Exception, told: str) -> None:
    async with world.client(failing(error)) as client:
        result = await client.call_tool("ask", {"query": "hi"})
    assert result.is_error
    (content,) = result.content
    assert content.type == "text"
    assert told in content.text
    assert "secret" not in content.text


async def test_documents_are_resources_with_their_passages(world: World) -> None:
    async with world.client() as client:
        listed = (await client.list_resources()).resources
        assert [(one.name, one.uri) for one in listed] == [
            ("guía/bucles.md", "document:///gu%C3%ADa/bucles.md"),
            ("notes 100%.txt", "document:///notes%20100%25.txt"),
        ]
        read = (await client.read_resource(listed[0].uri)).contents
        assert [(one.uri, one.text) for one in read if hasattr(one, "text")] == [
            (f"{listed[0].uri}#p-1", "Bucles > startLoop\n\nRepite con `startLoop`."),
            (f"{listed[0].uri}#p-2", "Termina con `endLoop`."),
        ]
        assert [one.uri for one in (await client.read_resource(read[1].uri)).contents] == [read[1].uri]
        (template,) = (await client.list_resource_templates()).resource_templates
        assert template.uri_template.startswith("document:///")


@pytest.mark.parametrize("uri", ["document:///unknown.md", "document:///notes%20100%25.txt#p-1", "file:///etc/passwd"])
async def test_what_is_no_document_is_not_read(world: World, uri: str) -> None:
    async with world.client() as client:
        with pytest.raises(MCPError, match="there is no such document"):
            await client.read_resource(uri)


async def test_many_documents_come_in_pages(world: World) -> None:
    world.index = ListIndex([Passage(f"p-{n}", f"{n:03}.md", "", "", "text") for n in range(250)])
    async with world.client() as client:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        assert [one.name for one in (*first.resources, *second.resources)] == [f"{n:03}.md" for n in range(250)]
        assert second.next_cursor is None
        with pytest.raises(MCPError, match="cursor: is not one that this server gave out"):
            await client.list_resources(cursor="-1")


class Beginning:
    """An answer without an end that says when it has begun."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()

    async def script(self, turn: Turn) -> AsyncGenerator[Event]:
        self.begun.set()
        async for event in endless(turn):
            yield event


async def test_a_call_that_is_cancelled_ends_its_turn(tmp_path: Path) -> None:
    answer = Beginning()
    async with (
        serving(tmp_path, answer.script, documents=ListIndex(())) as served,
        Client(f"{served.url}/mcp") as client,
        asyncio.timeout(60),
    ):
        asking = asyncio.create_task(client.call_tool("ask", {"query": "hi"}))
        await answer.begun.wait()
        asking.cancel()
        await served.answers.ended.wait()


async def test_a_client_of_the_former_version_ends_its_turn_by_leaving(tmp_path: Path) -> None:
    answer = Beginning()
    async with serving(tmp_path, answer.script, documents=ListIndex(())) as served, asyncio.timeout(60):
        async with Client(f"{served.url}/mcp", mode="legacy") as client:
            asking = asyncio.create_task(client.call_tool("ask", {"query": "hi"}))
            await answer.begun.wait()
            asking.cancel()
        await served.answers.ended.wait()
