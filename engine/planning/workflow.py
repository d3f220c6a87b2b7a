"""Planning as an answer uses it: what is answered at once, what is planned, looked up, judged, and looked up again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from classifier.decision import QueryType
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
    Route,
    Subquery,
    Turn,
)
from engine.planning.evaluate import Evaluator, Review, RuleEvaluator, evaluate_by_rules
from engine.planning.execute import Executed, Found, execute, merged, of_origin
from engine.planning.fast_path import Fast, FastAnswer, computed, fast_path
from engine.planning.planner import Planner, Question, RulePlanner
from engine.planning.sum_follow_up import sum_follow_up
from engine.planning.tools.port import MAX_QUERY_CHARS, KnowledgeBase, Searcher, Tools
from engine.text import messages
from engine.text.language import Language, spoken

#: The model on the receipt of an answer that no model wrote.
ENGINE = "extractive"


@dataclass(frozen=True, slots=True)
class Planned:
    """What comes of planning.

    Attributes:
        route: With its plan, and with what follows from it.
        said: The whole answer, where it needs neither search nor model.
    """

    route: Route
    said: str = ""

    @property
    def wanted(self) -> tuple[Subquery, ...]:
        """What is looked up with tools; empty where one search in the documents, or none, is enough."""
        plan = self.route.plan
        return plan.subqueries if plan is not None and needs_tools(plan) else ()


@dataclass(frozen=True, slots=True)
class Findings:
    """Results of subqueries, with the passages in the order in which they are shown.

    Attributes:
        found: By subquery.
        passages: Each once, with where it came from.
    """

    found: tuple[Found, ...]
    passages: tuple[tuple[Passage, Origin], ...]

    @property
    def searches(self) -> int:
        """Searches in the documents."""
        return sum(one.subquery.tool == "kb" for one in self.found)


class Workflow:
    """Plans, looks up, judges.

    Args:
        planner: Makes plans.
        evaluator: Judges drafts.
        tools: What is configured; `kb` is among them.
        seconds: The time that all look-ups of one pass may take together.
        now: The time with its zone, for questions about dates.
    """

    def __init__(
        self,
        planner: Planner,
        evaluator: Evaluator,
        tools: Tools,
        *,
        seconds: float = 20.0,
        now: Callable[[], datetime] = lambda: datetime.now().astimezone(),
    ) -> None:
        self._planner = planner
        self._evaluator = evaluator
        self._tools = tools
        self._seconds = seconds
        self._now = now

    @classmethod
    def by_rules(cls, retriever: Searcher) -> Workflow:
        """One without a model and without tools but the documents."""
        return cls(RulePlanner(), RuleEvaluator(), Tools([KnowledgeBase(retriever)]))

    async def planned(
        self,
        turn: Turn,
        route: Route,
        history: Sequence[Exchange],
        tell: Callable[[Progress], None],
        *,
        busy: bool = False,
    ) -> Planned:
        """`route` with its plan.

        Only questions that would be searched for are planned: the rest costs nothing. What is about code in the
        editor, or asks for code, is one search.

        Args:
            tell: Told when a model is going to be asked, which takes a while.
            busy: Whether the models work for others: a courtesy is then answered without one.
        """
        act = route.decision.act.act
        if busy and route.type is QueryType.CONVERSATIONAL and act in messages.COURTESIES:
            # It does not wait for what a model reads for somebody else.
            said = messages.COURTESIES[act][spoken(route.decision.language, turn.query)]
            return _direct(route, Plan(PlanMode.DIRECT_LLM, "courtesy"), said)
        fast = _fast(turn, route) or await self._computed(turn) or _gone_on(turn, history)
        if fast is not None:
            return _at_once(turn, route, fast)
        if not route.action.searches:
            return Planned(replace(route, plan=Plan(PlanMode.DIRECT_LLM, "no_search")))
        if route.type is QueryType.CODE_GENERATION:
            subquery = Subquery("q1", turn.query[:80], route.search_query[:MAX_QUERY_CHARS], "kb")
            return Planned(replace(route, plan=Plan(PlanMode.SINGLE_RETRIEVAL, "code", subqueries=(subquery,))))
        if not isinstance(self._planner, RulePlanner):
            tell(Progress("plan"))
        question = Question(turn.query, self._tools.offers, route.search_query, tuple(history))
        return Planned(_followed(route, await self._planner.plan(question)))

    async def _computed(self, turn: Turn) -> FastAnswer | None:
        """A quantity or a date that is asked for, whatever type the router gave the message."""
        return None if turn.selected_text.strip() else await computed(turn.query, self._now)

    async def look_up(
        self, subqueries: Sequence[Subquery], before: Sequence[Found] = ()
    ) -> AsyncGenerator[Progress | Findings]:
        """Runs `subqueries` side by side; progress, then everything found, that of the pass `before` included."""
        async for event in execute(subqueries, self._tools, seconds=self._seconds):
            if isinstance(event, Executed):
                found = (*before, *event.found)
                yield Findings(found, merged(found))
            else:
                yield event

    async def judge(
        self, query: str, plan: Plan, draft: str, found: Sequence[Found], evidence: Sequence[Evidence]
    ) -> Evaluation:
        """What is to be said of a draft, and what would be looked up again."""
        return await self._evaluator.evaluate(self._review(query, plan, draft, found, evidence))

    def judge_at_once(
        self, query: str, plan: Plan, draft: str, found: Sequence[Found], evidence: Sequence[Evidence]
    ) -> Evaluation:
        """The same by the rules: for the last draft, whose reader waits for nothing more."""
        return evaluate_by_rules(self._review(query, plan, draft, found, evidence))

    async def close(self) -> None:
        """Closes the tools. Idempotent."""
        await self._tools.close()

    def _review(
        self, query: str, plan: Plan, draft: str, found: Sequence[Found], evidence: Sequence[Evidence]
    ) -> Review:
        return Review(query, plan, draft, tuple(found), tuple(evidence), self._tools.offers)


def needs_tools(plan: Plan) -> bool:
    """Whether a plan takes more than one search in the documents: its draft is then judged before it is shown."""
    return any(one.tool != "kb" for one in plan.subqueries) or len(plan.subqueries) > 1


def with_origins(findings: Findings, numbered: Sequence[Evidence]) -> tuple[Evidence, ...]:
    """Numbered passages with where each came from."""
    return of_origin(numbered, findings.passages)


def not_found(language: Language, found: Sequence[Found]) -> str:
    """What the answer has to say of look-ups that failed; empty where none did."""
    # A follow-up asks the same of another tool.
    recovered = {one.subquery.description for one in found if not one.call.error and one.subquery.id.startswith("f")}
    failed = [one for one in found if one.call.error and one.subquery.description not in recovered]
    parts = "; ".join(f"{one.subquery.description} {_why(one, language)}" for one in failed)
    return messages.NOT_FOUND[language].format(parts=parts) if failed else ""


def _why(failed: Found, language: Language) -> str:
    """Why a look-up has no result; the calculator's reasons in the reader's language."""
    if failed.subquery.tool == "calculator":
        return f"({messages.NO_RESULT.get(failed.call.error, messages.NOT_CALCULATED)[language].rstrip('.')})"
    return f"({failed.subquery.tool}): {failed.call.error}"


def _fast(turn: Turn, route: Route) -> FastAnswer | None:
    """How a turn is answered at once; a sum is one for every type, and nothing else is beside code or a dashboard."""
    if turn.selected_text.strip():
        return None
    fast = fast_path(turn.query)
    if fast is None or fast.kind.computes:
        return fast
    if route.type is QueryType.PLATFORM or turn.editor_content.strip():
        return None
    greeted = fast.kind is Fast.GREETING and route.type is QueryType.CONVERSATIONAL
    return None if greeted else fast  # a conversation greets back in its own way


def _gone_on(turn: Turn, history: Sequence[Exchange]) -> FastAnswer | None:
    """What a sum that goes on from the last answer comes to."""
    if not history or turn.selected_text.strip():
        return None
    return sum_follow_up(turn.query, history[-1].answer)


def _at_once(turn: Turn, route: Route, fast: FastAnswer) -> Planned:
    language = spoken(route.decision.language, turn.query)
    said = {Fast.NOISE: messages.NOISE[language], Fast.GREETING: messages.GREETING[language]}.get(
        fast.kind, fast.result
    )
    return _direct(route, fast.plan, said)


def _direct(route: Route, plan: Plan, said: str) -> Planned:
    """What the engine says itself."""
    direct = replace(route, action=Action.NONE, plan_mode=PlanMode.DIRECT_LLM, plan=plan, search_query="", model=ENGINE)
    return Planned(direct, said)


def _followed(route: Route, plan: Plan) -> Route:
    """The route as the plan has it."""
    if not plan.subqueries:
        return replace(route, action=Action.NONE, plan_mode=plan.mode, plan=plan, search_query="")
    if needs_tools(plan):
        return replace(route, plan_mode=plan.mode, plan=plan)
    query = plan.subqueries[0].query
    # A plan's query is cut where a question is very long; the search takes it whole.
    whole = route.search_query if route.search_query.startswith(query) else query
    return replace(route, plan_mode=plan.mode, plan=plan, search_query=whole)
