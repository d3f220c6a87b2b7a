from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from classifier.decision import Layer, QueryType
from engine.answering.graph import PATHS, PrepareGraph, build_prepare_graph
from engine.answering.nodes import Limits, Models, Nodes
from engine.conversation.store.port import Conversation, TurnRecord
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Action, Event, Evidence, Outcome, Passage, Progress, Retrieved, Routed, Turn
from engine.errors import DependencyUnavailable
from engine.planning.workflow import Workflow
from engine.testing import ListRetriever, ScriptedModel, ScriptedRouter

RETRIEVAL, CODE, TALK, PLATFORM = (
    QueryType.RETRIEVAL,
    QueryType.CODE_GENERATION,
    QueryType.CONVERSATIONAL,
    QueryType.PLATFORM,
)
ADD = Passage("add", "doc.md", "Variables", "", "addVar adds a variable")
EARLIER = TurnRecord(
    "t1", "ana", "s", "What is addVar?", "It adds [1].", RETRIEVAL, Layer.LLM, Outcome.COMPLETE, 1.0, cited=(1,)
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqlSessionStore]:
    opened = SqlSessionStore(tmp_path / "sessions.sqlite3")
    yield opened
    await opened.close()


def graph_over(store: SqlSessionStore, retriever: ListRetriever) -> PrepareGraph:
    model = ScriptedModel("")
    return build_prepare_graph(
        Nodes(ScriptedRouter(), retriever, store, Models(model, model), Limits(), Workflow.by_rules(retriever))
    )


async def run(
    graph: PrepareGraph, query: str, type_: QueryType, conversation: Conversation, told: list[Event] | None = None
) -> tuple[list[str], Any]:
    """The nodes in the order they ran, and the last state; `told` gets the events."""
    events: list[Event] = [] if told is None else told
    given = {"turn": Turn(query, "s", principal="ana", declared=type_), "conversation": conversation}
    visited: list[str] = []
    state: Any = {}
    async for kind, item in graph.astream(given, stream_mode=["updates", "values"], context=events.append):
        if kind == "updates":
            visited += list(item)
        else:
            state = item
    return visited, state


@pytest.mark.parametrize("type_", QueryType)
def test_only_documents_have_a_way_to_a_search(type_: QueryType) -> None:
    nodes = PATHS[type_].values()
    assert ("retrieve" in nodes) is type_.searches
    assert {action for action in PATHS[type_] if action.searches} <= {Action.FRESH, Action.REWRITE}
    assert all(node == "retrieve" for action, node in PATHS[type_].items() if action.searches)


@pytest.mark.parametrize(
    ("query", "type_", "between"),
    [
        ("What is addVar?", RETRIEVAL, ["retrieve"]),
        ("a loop with addVar", CODE, ["retrieve"]),
        ("hola", TALK, []),
        ("addVar of my account", PLATFORM, []),
    ],
)
async def test_the_way_of_a_first_message(
    store: SqlSessionStore, query: str, type_: QueryType, between: list[str]
) -> None:
    retriever = ListRetriever([ADD])
    visited, state = await run(graph_over(store, retriever), query, type_, Conversation())
    assert visited == ["relate", *between]
    assert len(retriever.queries) == len(between) == state.get("searches", 0)
    assert state["prompt"].query == query
    assert list(state["timings"]) == ["classify", "plan", *between, "compose"]


@pytest.mark.parametrize(
    ("query", "type_", "between"),
    [
        ("What was my first question?", RETRIEVAL, ["remember"]),
        ("en menos palabras", TALK, ["remember"]),
        ("What about CrossLab?", RETRIEVAL, ["retrieve"]),
        ("what did I ask about my quota?", PLATFORM, []),
    ],
)
async def test_the_way_of_a_later_message(
    store: SqlSessionStore, query: str, type_: QueryType, between: list[str]
) -> None:
    await store.append(EARLIER, [Evidence(1, ADD)])
    retriever = ListRetriever([ADD])
    conversation = await store.load("ana", "s", turns=5)
    visited, state = await run(graph_over(store, retriever), query, type_, conversation)
    assert visited == ["relate", *between]
    assert len(retriever.queries) == between.count("retrieve")
    assert [piece.passage.id for piece in state.get("evidence", ())] == (["add"] if "remember" in between else [])


async def test_a_failing_search_comes_out_as_it_is(store: SqlSessionStore) -> None:
    error = DependencyUnavailable("elasticsearch", "it refuses")
    graph = graph_over(store, ListRetriever(error=error))
    with pytest.raises(DependencyUnavailable) as raised:
        await run(graph, "What is addVar?", RETRIEVAL, Conversation())
    assert raised.value is error


async def test_events_are_told_as_they_happen(store: SqlSessionStore) -> None:
    told: list[Event] = []
    graph = graph_over(store, ListRetriever([ADD]))
    _, state = await run(graph, "What is addVar?", RETRIEVAL, Conversation(), told)
    assert [type(event) for event in told] == [Routed, Progress, Retrieved]
    assert told[-1] == Retrieved(state["evidence"])


async def test_the_events_of_a_failing_search_have_been_told(store: SqlSessionStore) -> None:
    told: list[Event] = []
    graph = graph_over(store, ListRetriever(error=DependencyUnavailable("elasticsearch", "it refuses")))
    with pytest.raises(DependencyUnavailable):
        await run(graph, "What is addVar?", RETRIEVAL, Conversation(), told)
    assert [type(event) for event in told] == [Routed, Progress]


@pytest.mark.parametrize(("query", "type_"), [("hola, buenas", TALK), ("addVar of my account", PLATFORM)])
async def test_a_way_without_a_search_takes_no_thread(
    store: SqlSessionStore, monkeypatch: pytest.MonkeyPatch, query: str, type_: QueryType
) -> None:
    loop = asyncio.get_running_loop()
    asked: list[Any] = []
    given = loop.run_in_executor

    def spied(executor: Any, work: Any, *arguments: Any) -> Any:
        asked.append(work)
        return given(executor, work, *arguments)

    monkeypatch.setattr(loop, "run_in_executor", spied)
    await run(graph_over(store, ListRetriever([ADD])), query, type_, Conversation())
    assert asked == []
