"""The cases of the workflow over the wire, against a real MCP server: with a scripted model, and without any model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from engine.answering.engine import AnswerEngine
from engine.answering.nodes import Limits, Models, Nodes
from engine.client import AssistanceClient
from engine.conversation.store.sql import SqlSessionStore
from engine.domain import Passage
from engine.planning.evaluate import ModelEvaluator
from engine.planning.planner import ModelPlanner
from engine.planning.tools.calculator.tool import Calculator
from engine.planning.tools.clock.tool import Clock
from engine.planning.tools.config import read_tools_file
from engine.planning.tools.mcp.tool import mcp_tools
from engine.planning.tools.port import KnowledgeBase, Tools
from engine.planning.workflow import Workflow
from engine.rpc.server import GrpcServer
from engine.service.methods import AssistanceService
from engine.testing import ListRetriever, ScriptedModel, ScriptedRouter, counting_ids
from engine.v1 import engine_pb2 as pb
from tests.conftest import Service
from tests.planning_model import ReadingModel
from tests.workflow_cases import (
    CASES,
    FAST,
    HARD,
    HARD_FACTS,
    WRITING,
    tools_file,
    write_answer,
    write_evaluation,
    write_plan,
)

LOOP = Passage("p1", "guide.md", "Guide", "Loops", "startLoop counts from one number to another")


@dataclass
class Scripted:
    """A served engine whose models can only read their prompts."""

    client: AssistanceClient
    retriever: ListRetriever
    planner: ReadingModel
    model: ScriptedModel


@pytest.fixture
async def scripted(tmp_path: Path, tool_server: str) -> AsyncIterator[Scripted]:
    retriever = ListRetriever([LOOP])
    planner = ReadingModel(write_plan)
    model = ScriptedModel(write_answer, name="reading")
    store = SqlSessionStore(tmp_path / "sessions.sqlite3")
    tools = Tools(
        [
            KnowledgeBase(retriever),
            Calculator(),
            Clock(lambda: datetime(2026, 11, 21, 12, tzinfo=UTC)),
            *mcp_tools(read_tools_file(tools_file(tmp_path, tool_server))),
        ]
    )
    workflow = Workflow(ModelPlanner(planner), ModelEvaluator(ReadingModel(write_evaluation)), tools)
    models, router = Models(model, model), ScriptedRouter()
    nodes = Nodes(router, retriever, store, models, Limits(), workflow)
    answers = AnswerEngine(nodes, new_id=counting_ids())
    service = AssistanceService(answers, router, store, tmp_path / "golden.jsonl")
    server = GrpcServer(service, address="127.0.0.1:0", checks={}, reflection_on=False)
    await server.start()
    async with AssistanceClient(server.address) as client:
        yield Scripted(client, retriever, planner, model)
    await server.stop(0)
    await workflow.close()
    await store.close()


@pytest.fixture(scope="module")
def bare(guide: Path, tmp_path_factory: pytest.TempPathFactory, tool_server: str) -> Iterator[Service]:
    """A service with tools and without a model."""
    folder = tmp_path_factory.mktemp("bare")
    running = Service(guide, folder / "log", TOOLS_FILE=str(tools_file(folder, tool_server)))
    yield running
    running.end()


def lacking(answer: pb.AgentResponse, facts: list[str]) -> list[str]:
    return [fact for fact in facts if fact not in answer.text]


class TestWithAModel:
    @pytest.mark.parametrize("query", CASES)
    async def test_a_question_is_answered_whole(self, scripted: Scripted, query: str) -> None:
        answer = await scripted.client.ask(query)
        assert lacking(answer, CASES[query]) == []
        assert answer.outcome == pb.COMPLETE
        assert answer.searches == 0
        assert answer.citations
        assert {cited.origin for cited in answer.citations} == {pb.TOOL}
        assert [call.subquery for call in answer.tool_calls] == [part.id for part in answer.route.plan.subqueries]
        assert not any(call.error for call in answer.tool_calls)
        assert answer.evaluation.complete
        assert answer.passes == 1

    async def test_the_hard_one_finds_the_missing_rating_in_pass_two_and_stops(self, scripted: Scripted) -> None:
        events = [event async for event in scripted.client.stream(HARD)]
        answer = events[-1].completed
        assert lacking(answer, HARD_FACTS) == []
        assert (answer.passes, answer.evaluation.complete) == (2, True)
        assert [call.subquery for call in answer.tool_calls] == ["q1", "q2", "f1"]
        assert answer.route.plan.mode == "multi_retrieval"
        assert answer.route.plan_mode == pb.MULTI_RETRIEVAL
        kinds = [event.WhichOneof("event") for event in events]
        told = [event.progress.stage for event in events if event.WhichOneof("event") == "progress"]
        assert list(dict.fromkeys(told)) == ["plan", "tool", "draft", "evaluate"]
        # The first draft is not shown: what the caller reads is the last one.
        assert "".join(event.text_delta for event in events) == answer.text
        assert kinds.index("text_delta") > len(kinds) - 1 - kinds[::-1].index("sources")
        assert len(scripted.model.prompts) == 2

    async def test_numbers_stay_through_both_passes(self, scripted: Scripted) -> None:
        sources = [
            {source.passage_id: source.number for source in event.sources.sources}
            async for event in scripted.client.stream(HARD)
            if event.WhichOneof("event") == "sources"
        ]
        assert len(sources) == 2
        assert sources[0].items() < sources[1].items()

    @pytest.mark.parametrize("query", FAST)
    async def test_the_fast_path_asks_nobody(self, scripted: Scripted, query: str) -> None:
        answer = await scripted.client.ask(query)
        assert FAST[query] in answer.text
        assert (answer.searches, answer.route.plan.mode, answer.route.model) == (0, "direct_llm", "extractive")
        assert scripted.model.prompts == []
        assert scripted.planner.prompts == []
        assert scripted.retriever.queries == []

    async def test_writing_looks_nothing_up(self, scripted: Scripted) -> None:
        answer = await scripted.client.ask(WRITING)
        assert answer.text == "加油，你一定可以！"
        assert (answer.searches, answer.route.action, scripted.retriever.queries) == (0, pb.NONE, [])
        assert len(answer.tool_calls) == 0

    async def test_a_simple_question_asks_no_planner_and_no_evaluator(self, scripted: Scripted) -> None:
        answer = await scripted.client.ask("What does startLoop count from one number to?")
        assert (answer.searches, answer.passes, len(answer.tool_calls)) == (1, 0, 0)
        assert not answer.HasField("evaluation")
        assert answer.route.plan.reason == "one_part"
        assert scripted.planner.prompts == []

    async def test_tools_that_misbehave_cost_their_own_part_only(self, scripted: Scripted) -> None:
        answer = await scripted.client.ask("misbehave, all of you, please")
        assert "22°C" in answer.text
        assert "Not found: 香港將軍澳 (broken)" in answer.text
        assert "(stuck)" in answer.text
        calls = {call.tool: call for call in answer.tool_calls}
        assert calls["stuck"].error.startswith("no answer within") or "answer within" in calls["stuck"].error
        assert calls["large"].characters == 8_000
        assert not calls["rude"].error  # its orders are material
        assert set(calls) == {"broken", "stuck", "rude", "large", "weather"}
        assert answer.outcome == pb.COMPLETE

    async def test_the_conversation_goes_on(self, scripted: Scripted) -> None:
        first = await scripted.client.ask(HARD)
        await scripted.client.ask("1024 減去 768 等於多少？", session_id=first.session_id)
        stored = await scripted.client.session(first.session_id)
        assert [turn.sequence for turn in stored.turns] == [1, 2]
        assert stored.turns[0].citations[0].document == "tool:web_search"
        assert "256" in stored.turns[1].text


class TestWithoutAModel:
    async def test_the_cases(self, bare: Service) -> None:
        async with AssistanceClient(bare.address) as client:
            for query, facts in {**CASES, HARD: HARD_FACTS}.items():
                answer = await client.ask(query)
                assert lacking(answer, facts) == [], query
                assert answer.route.model == "extractive"
            for query, said in FAST.items():
                answer = await client.ask(query)
                assert said in answer.text
                assert answer.searches == 0
            assert (await client.ask(WRITING)).searches == 0

    async def test_arithmetic_in_words(self, bare: Service) -> None:
        asked = {
            "what is twelve times seven?": "84",
            "¿Cuánto es el 15 % de 240?": "36",
            "cuánto es mil veinticuatro menos setecientos sesenta y ocho": "256",
            "一千零二十四減七百六十八": "256",
        }
        async with AssistanceClient(bare.address) as client:
            for query, said in asked.items():
                answer = await client.ask(query)
                assert said in answer.text, query
                assert (answer.searches, answer.route.plan.reason) == (0, "arithmetic")

    async def test_two_questions_at_once_are_both_answered(self, bare: Service) -> None:
        async with AssistanceClient(bare.address) as client:
            answer = await client.ask("What does addVar do and how does startLoop count?")
        assert answer.searches == 2
        assert {"addVar", "startLoop"} <= set(answer.text.replace("`", " ").replace("(", " ").split())
