from __future__ import annotations

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from classifier.decision import Decision, Layer, QueryType
from engine.domain import (
    Action,
    Evaluation,
    Evidence,
    Exchange,
    Origin,
    Passage,
    Plan,
    PlanMode,
    Progress,
    Relation,
    Route,
    Subquery,
    ToolCall,
    Turn,
)
from engine.planning.evaluate import RuleEvaluator
from engine.planning.execute import Found
from engine.planning.planner import Question, RulePlanner
from engine.planning.tools.calculator.arithmetic import BY_ZERO
from engine.planning.tools.port import QUERY_SCHEMA, Arguments, KnowledgeBase, ToolResult, Tools
from engine.planning.workflow import ENGINE, Findings, Planned, Workflow, needs_tools, not_found, with_origins
from engine.testing import ListRetriever
from engine.text.language import Language

RETRIEVAL, CODE, TALK, PLATFORM = (
    QueryType.RETRIEVAL,
    QueryType.CODE_GENERATION,
    QueryType.CONVERSATIONAL,
    QueryType.PLATFORM,
)
ADD = Passage("add", "doc.md", "Variables", "", "addVar adds a variable")
LOOP = Passage("loop", "doc.md", "Loops", "", "startLoop counts numbers")


class Weather:
    """A tool that knows one forecast."""

    name = "weather"
    description = "Forecasts."
    schema = QUERY_SCHEMA
    seconds = 1.0

    def __init__(self, said: str = "sunny", error: str = "") -> None:
        self._result = ToolResult(said, error)
        self.asked: list[object] = []
        self.closed = 0

    async def call(self, arguments: Arguments) -> ToolResult:
        self.asked.append(arguments["query"])
        return self._result

    async def close(self) -> None:
        self.closed += 1


class Fixed:
    """A planner with one plan for everything; it keeps what it was asked."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.asked: list[Question] = []

    async def plan(self, question: Question) -> Plan:
        self.asked.append(question)
        return self._plan


def subquery(id_: str = "q1", tool: str = "kb", query: str = "addVar", description: str = "") -> Subquery:
    return Subquery(id_, description or query, query, tool)


def planned_for(*subqueries: Subquery, reason: str = "because") -> Plan:
    modes = (PlanMode.DIRECT_LLM, PlanMode.SINGLE_RETRIEVAL, PlanMode.MULTI_RETRIEVAL)
    return Plan(modes[min(len(subqueries), 2)], reason, subqueries=subqueries)


def route(type_: QueryType = RETRIEVAL, action: Action = Action.FRESH, query: str = "What is addVar?") -> Route:
    decision = Decision(type_, Layer.EMBEDDING, 0.9, "confident")
    searched = query if action.searches else ""
    return Route(decision, Relation.NEW_TOPIC_INFORMATIONAL, action, PlanMode.SINGLE_RETRIEVAL, searched, "big")


def workflow(planner: Fixed | RulePlanner | None = None, *tools: Weather) -> Workflow:
    kb = KnowledgeBase(ListRetriever([ADD, LOOP]))
    return Workflow(planner or RulePlanner(), RuleEvaluator(), Tools([kb, *tools]))


async def planned(
    query: str,
    given: Route | None = None,
    planner: Fixed | None = None,
    told: list[Progress] | None = None,
    shown: str = "",
    opened: str = "",
    history: Sequence[Exchange] = (),
) -> Planned:
    given = given or route(query=query)
    tell = (told if told is not None else []).append
    return await workflow(planner).planned(
        Turn(query, "s", selected_text=shown, editor_content=opened), given, history, tell
    )


class TestAtOnce:
    @pytest.mark.parametrize(
        ("query", "reason", "said"),
        [
            (".", "noise", "There is no question in that."),
            ("？？？？", "noise", "There is no question in that."),
            ("🙂", "noise", "There is no question in that."),
            ("1024 - 768", "arithmetic", "= 256"),
            ("1024 減去 768 等於多少？", "arithmetic", "256"),
            ("what is twelve times seven?", "arithmetic", "84"),
            ("你好", "greeting", "Hello!"),
            ("hola", "greeting", "¡Hola!"),
        ],
    )
    async def test_it_is_said_without_search_or_model(self, query: str, reason: str, said: str) -> None:
        found = await planned(query)
        assert said in found.said
        assert found.wanted == ()
        assert (found.route.action, found.route.search_query, found.route.model) == (Action.NONE, "", ENGINE)
        assert found.route.plan == Plan(PlanMode.DIRECT_LLM, reason)
        assert found.route.plan_mode is PlanMode.DIRECT_LLM

    async def test_a_conversation_greets_back_in_its_own_way(self) -> None:
        found = await planned("hola", route(TALK, Action.NONE))
        assert (found.said, found.route.model) == ("", "big")

    @pytest.mark.parametrize(("shown", "opened"), [("addVar(x, 1)", ""), ("", "addVar(x, 1)")])
    async def test_marks_beside_code_are_about_the_code(self, shown: str, opened: str) -> None:
        assert (await planned("??", route(CODE, query="??"), shown=shown, opened=opened)).said == ""

    @pytest.mark.parametrize(
        ("query", "said"), [("12 + 30", "= 42"), ("7 lbs in ounces", "= 112 ounces"), ("is 2032 a leap year?", "Yes")]
    )
    @pytest.mark.parametrize("type_", [PLATFORM, TALK, CODE, RETRIEVAL])
    async def test_a_calculation_is_one_whatever_its_type(self, query: str, said: str, type_: QueryType) -> None:
        found = await planned(query, route(type_, Action.NONE))
        assert said in found.said
        assert found.route.model == ENGINE

    async def test_a_sum_goes_on_from_the_last_answer(self) -> None:
        history = (Exchange("what is 6 times 7?", "6 × 7 = 42"),)
        found = await planned("and minus 2?", route(RETRIEVAL, Action.NONE), history=history)
        assert (found.said, found.route.model, found.route.plan) == (
            "42 - 2 = 40",
            ENGINE,
            Plan(PlanMode.DIRECT_LLM, "arithmetic"),
        )
        assert (await planned("and minus 2?", history=history, shown="x = 1")).said == ""
        assert (await planned("and minus 2?")).said == ""

    async def test_what_stands_beside_selected_code_is_about_the_code(self) -> None:
        assert (await planned("12 + 30", route(CODE, Action.NONE), shown="x = 12")).said == ""

    async def test_a_question_that_begins_with_a_greeting_is_a_question(self) -> None:
        assert (await planned("hello, what is addVar?")).said == ""


class TestPlanned:
    async def test_a_simple_question_is_one_search(self) -> None:
        found = await planned("What is addVar?")
        assert found.wanted == ()
        assert found.route.plan is not None
        assert found.route.plan.mode is found.route.plan_mode is PlanMode.SINGLE_RETRIEVAL
        assert (found.route.action, found.route.search_query) == (Action.FRESH, "What is addVar?")

    @pytest.mark.parametrize(
        ("type_", "action"), [(TALK, Action.HISTORY), (PLATFORM, Action.NONE), (RETRIEVAL, Action.HISTORY)]
    )
    async def test_what_is_not_searched_for_is_not_planned(self, type_: QueryType, action: Action) -> None:
        planner = Fixed(planned_for(subquery()))
        given = route(type_, action)
        found = await planned("tell me more", given, planner)
        assert planner.asked == []
        assert found.wanted == ()
        assert replace(found.route, plan=None) == given

    async def test_code_is_one_search(self) -> None:
        planner = Fixed(planned_for(subquery(), subquery("q2")))
        found = await planned("Write a loop and print it", route(CODE), planner)
        assert planner.asked == []
        assert found.wanted == ()
        assert found.route.plan is not None
        assert found.route.plan.reason == "code"

    async def test_several_parts_are_wanted(self) -> None:
        parts = (subquery(), subquery("q2", query="startLoop"))
        found = await planned("What is addVar, and startLoop?", planner=Fixed(planned_for(*parts)))
        assert found.wanted == parts
        assert found.route.plan_mode is PlanMode.MULTI_RETRIEVAL

    async def test_one_tool_alone_is_wanted_too(self) -> None:
        only = subquery(tool="weather")
        assert (await planned("Rain?", planner=Fixed(planned_for(only)))).wanted == (only,)

    async def test_a_plan_without_look_ups_searches_nothing(self) -> None:
        found = await planned("Write a wish", planner=Fixed(planned_for()))
        assert (found.wanted, found.route.action, found.route.search_query) == ((), Action.NONE, "")
        assert found.route.model == "big"

    async def test_the_search_takes_the_query_of_a_model_s_plan(self) -> None:
        found = await planned("and that?", planner=Fixed(planned_for(subquery(query="addVar with two values"))))
        assert found.route.search_query == "addVar with two values"

    async def test_a_long_question_is_searched_for_whole(self) -> None:
        long = "What is addVar? " + "word " * 900
        found = await planned(long, planner=Fixed(planned_for(subquery(query=long[:2000]))))
        assert found.route.search_query == long

    async def test_the_planner_reads_the_conversation_and_the_tools(self) -> None:
        planner = Fixed(planned_for(subquery()))
        history = (Exchange("What is addVar?", "It adds [1]."),)
        await workflow(planner, Weather()).planned(Turn("And there?", "s"), route(), history, lambda _: None)
        question = planner.asked[0]
        assert question.history == history
        assert question.tools == ["kb", "weather"]

    async def test_waiting_for_a_model_is_told(self) -> None:
        told: list[Progress] = []
        await planned("What is addVar?", planner=Fixed(planned_for(subquery())), told=told)
        assert told == [Progress("plan")]
        await planned("What is addVar?", told=told)
        assert len(told) == 1


class TestLookUp:
    async def looked_up(
        self, flow: Workflow, *parts: Subquery, before: Sequence[Found] = ()
    ) -> tuple[list[Progress], Findings]:
        told: list[Progress] = []
        async with aclosing(flow.look_up(parts, before)) as events:
            async for event in events:
                if isinstance(event, Progress):
                    told.append(event)
                else:
                    findings = event
        return told, findings

    async def test_what_is_found_comes_with_where_it_is_from(self) -> None:
        flow = workflow(None, Weather("sunny in Madrid"))
        told, findings = await self.looked_up(flow, subquery(), subquery("q2", "weather", "Madrid"))
        assert [origin for _, origin in findings.passages] == [Origin.SEARCH, Origin.TOOL]
        assert findings.searches == 1
        assert {event.stage for event in told} == {"tool"}
        numbered = [Evidence(place, passage) for place, (passage, _) in enumerate(findings.passages, 1)]
        assert [piece.origin for piece in with_origins(findings, numbered)] == [Origin.SEARCH, Origin.TOOL]

    async def test_a_second_pass_adds_to_the_first(self) -> None:
        flow = workflow(None, Weather())
        _, first = await self.looked_up(flow, subquery())
        _, both = await self.looked_up(flow, subquery("f1", "weather", "Madrid"), before=first.found)
        assert [one.subquery.id for one in both.found] == ["q1", "f1"]
        assert set(first.passages) < set(both.passages)

    async def test_closing_closes_the_tools(self) -> None:
        tool = Weather()
        await workflow(None, tool).close()
        assert tool.closed == 1


class TestJudging:
    async def test_an_empty_part_makes_a_draft_incomplete(self) -> None:
        found = Found(subquery(tool="weather"), ToolCall("q1", "weather", 1.0, "the tool failed"))
        given = ("Rain?", planned_for(subquery(tool="weather")), "I do not know.", (found,), ())
        flow = workflow()
        verdict = await flow.judge(*given)
        assert not verdict.complete
        assert verdict == flow.judge_at_once(*given)

    async def test_a_whole_draft_is_complete(self) -> None:
        found = Found(subquery(), ToolCall("q1", "kb", 1.0, characters=9), (ADD,))
        verdict = await workflow().judge(
            "What is it?", planned_for(subquery()), "It adds [1].", (found,), (Evidence(1, ADD),)
        )
        assert verdict == Evaluation(complete=True, completeness_score=1.0)


class TestNotFound:
    def failed(self, id_: str, description: str, tool: str = "weather") -> Found:
        return Found(subquery(id_, tool, description=description), ToolCall(id_, tool, 1.0, "the tool failed"))

    def good(self, id_: str, description: str, tool: str = "kb") -> Found:
        return Found(subquery(id_, tool, description=description), ToolCall(id_, tool, 1.0, characters=5), (ADD,))

    def test_nothing_is_said_where_all_was_found(self) -> None:
        assert not_found(Language.ENGLISH, [self.good("q1", "rain")]) == ""

    @pytest.mark.parametrize(
        ("language", "said"), [(Language.ENGLISH, "Not found: "), (Language.SPANISH, "No encontrado: ")]
    )
    def test_each_missing_part_is_named(self, language: Language, said: str) -> None:
        text = not_found(language, [self.failed("q1", "rain"), self.good("q2", "wind"), self.failed("q3", "snow")])
        assert text == f"{said}rain (weather): the tool failed; snow (weather): the tool failed."

    @pytest.mark.parametrize("error", [BY_ZERO, "it is not a quantity that can be read"])
    def test_a_calculation_is_refused_in_the_readers_language(self, error: str) -> None:
        call = ToolCall("q1", "calculator", 1.0, error)
        text = not_found(Language.SPANISH, [Found(subquery("q1", "calculator", description="1 / 0"), call)])
        assert text.startswith("No encontrado: 1 / 0 (")
        assert error not in text
        assert "calculator" not in text

    def test_what_a_follow_up_found_is_not_missing(self) -> None:
        assert not_found(Language.ENGLISH, [self.failed("q1", "rain"), self.good("f1", "rain")]) == ""

    def test_what_another_part_found_says_nothing_of_this_one(self) -> None:
        assert "(weather)" in not_found(Language.ENGLISH, [self.failed("q1", "rain"), self.good("q2", "rain")])


@pytest.mark.parametrize(
    ("plan", "needed"),
    [
        (planned_for(), False),
        (planned_for(subquery()), False),
        (planned_for(subquery(tool="calculator")), True),
        (planned_for(subquery(), subquery("q2")), True),
    ],
)
def test_one_search_in_the_documents_needs_no_judgement(plan: Plan, needed: bool) -> None:
    assert needs_tools(plan) is needed
