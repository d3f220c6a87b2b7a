"""The steps of preparing an answer: one short function a node."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from langgraph.types import StreamWriter

from classifier.decision import Decision, IntentEntry, Query, QueryType
from engine import telemetry
from engine.conversation import evidence as ledger
from engine.conversation.history import answered, intent_history
from engine.conversation.recall import relate, topic
from engine.conversation.store import Conversation, SessionStore
from engine.domain import Action, Exchange, PlanMode, Progress, Retrieved, Route, Routed, Turn
from engine.generation.citations import in_session_numbers
from engine.generation.messages import build_final_messages
from engine.generation.port import ChatModel, Prompt
from engine.retrieval.port import Retriever
from engine.state import AgentState

#: Characters of the selection that a search may use beside the question.
_SELECTION_CHARS = 400
#: Characters of the topic that a follow-up carries on: chains of follow-ups must not grow without end.
_TOPIC_CHARS = 200


class Router(Protocol):
    """What decides a query's type: `classifier.cascade.Cascade`."""

    async def decide(self, query: Query, *, every_layer: bool = False) -> Decision:
        """The decision, never an error."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """The two slots: one model for answers from documents, a light one for the rest."""

    main: ChatModel
    light: ChatModel

    def of(self, type_: QueryType) -> ChatModel:
        """The model that answers queries of this type."""
        return self.main if type_.searches else self.light

    async def ping(self) -> None:
        """Returns when both can be asked, raises `DependencyUnavailable` otherwise."""
        await self.light.ping()
        if self.main is not self.light:
            await self.main.ping()

    async def close(self) -> None:
        """Closes both. Idempotent."""
        await self.light.close()
        await self.main.close()


@dataclass(frozen=True, slots=True)
class Limits:
    """How much goes into a prompt.

    Attributes:
        passages: Passages that a search gives to the generator.
        history_turns: Question-answer pairs of history.
        history_answer_chars: Characters after which an earlier answer is cut.
        prompt_tokens: Tokens that all messages together may take.
    """

    passages: int = 8
    history_turns: int = 3
    history_answer_chars: int = 500
    prompt_tokens: int = 7168


def query_of(turn: Turn, history: tuple[IntentEntry, ...]) -> Query:
    """What the router is given of a turn."""
    return Query(
        turn.query,
        declared=turn.declared,
        history=history,
        has_selection=bool(turn.selected_text.strip()),
        has_editor=bool(turn.editor_content.strip()),
        has_context=bool(turn.extra_context.strip()),
    )


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes with the parts they use."""

    router: Router
    retriever: Retriever
    store: SessionStore
    models: Models
    limits: Limits
    clock: Callable[[], float] = time.perf_counter

    async def classify(self, state: AgentState) -> AgentState:
        """Decides the query's type."""
        started = self.clock()
        history = intent_history(state["conversation"])
        decision = await self.router.decide(query_of(state["turn"], history))
        for line in telemetry.decision_lines(decision, self.models.light.name):
            telemetry.logger().info(line)
        timings = {"classify": self._since(started)}
        return {"classify_history": history, "decision": decision, "timings": timings}

    async def relate(self, state: AgentState, writer: StreamWriter) -> AgentState:
        """Decides what the message is to the conversation, and whether to search; says so to the caller."""
        decision = state["decision"]
        route = replace(
            route_of(state["turn"], decision, state["conversation"], self.models),
            milliseconds={**decision.milliseconds, **state["timings"]},
        )
        writer(Routed(route))
        return {"route": route}

    async def retrieve(self, state: AgentState, writer: StreamWriter) -> AgentState:
        """Searches, and numbers what is found for the session."""
        started = self.clock()
        writer(Progress("retrieve"))
        turn, conversation = state["turn"], state["conversation"]
        passages = await self.retriever.search(state["route"].search_query, k=self.limits.passages)
        ids = [passage.id for passage in passages]
        known = await self.store.known_numbers(turn.principal, turn.session_id, ids) if conversation.turns else {}
        evidence = ledger.number(passages, known, conversation.last_number)
        telemetry.logger().info(telemetry.SEARCHED.format(count=len(evidence)))
        writer(Retrieved(evidence))
        return {"evidence": evidence, "searches": 1, "timings": self._timed(state, "retrieve", started)}

    async def remember(self, state: AgentState, writer: StreamWriter) -> AgentState:
        """Takes the material from the conversation: what the last answer cited, and the first question."""
        started = self.clock()
        turn, conversation = state["turn"], state["conversation"]
        last = answered(conversation)[-1:]
        numbers = [number for record in last for number in record.cited]
        evidence = tuple(await self.store.evidence(turn.principal, turn.session_id, numbers)) if numbers else ()
        if evidence:
            writer(Retrieved(evidence))
        first = await self._first_query(turn, conversation)
        timings = self._timed(state, "remember", started)
        return {"evidence": evidence, "first_query": first, "timings": timings}

    async def compose(self, state: AgentState) -> AgentState:
        """Writes the messages that the model reads."""
        started = self.clock()
        turn, decision, route = state["turn"], state["decision"], state["route"]
        history = tuple(
            Exchange(record.query, in_session_numbers(record.answer, record.cited))
            for record in answered(state["conversation"])
        )
        prompt = Prompt(
            decision.type,
            turn.query,
            evidence=state.get("evidence", ()),
            history=history,
            first_query=state.get("first_query", ""),
            relation=route.relation,
            editor=decision.editor,
            selected_text=turn.selected_text,
            editor_content=turn.editor_content,
            extra_context=turn.extra_context,
            user_info=turn.user_info,
        )
        return {
            "prompt": build_final_messages(
                prompt,
                history_turns=self.limits.history_turns,
                history_answer_chars=self.limits.history_answer_chars,
                budget_tokens=self.limits.prompt_tokens,
            ),
            "timings": self._timed(state, "compose", started),
        }

    async def _first_query(self, turn: Turn, conversation: Conversation) -> str:
        if conversation.turns <= len(conversation.recent):
            return conversation.recent[0].query if conversation.recent else ""
        first = await self.store.first(turn.principal, turn.session_id)
        return first.query if first else ""

    def _timed(self, state: AgentState, stage: str, started: float) -> dict[str, float]:
        return {**state["timings"], stage: self._since(started)}

    def _since(self, started: float) -> float:
        return (self.clock() - started) * 1000


def route_of(turn: Turn, decision: Decision, conversation: Conversation, models: Models) -> Route:
    """What follows from a decision: relation, action, plan, what to search for, and which model answers."""
    relation, action = relate(turn.query, decision.type, conversation)
    return Route(
        decision,
        relation,
        action,
        PlanMode.SINGLE_RETRIEVAL if action.searches else PlanMode.DIRECT_LLM,
        search_query=search_query(turn, decision, conversation, action),
        model=models.of(decision.type).name,
    )


def search_query(turn: Turn, decision: Decision, conversation: Conversation, action: Action) -> str:
    """What to search for; empty when nothing is searched.

    The question as asked, with the beginning of the selection when it is about code that is shown, or behind the topic
    that it points back to.
    """
    if not action.searches:
        return ""
    shown = turn.selected_text or turn.editor_content
    if decision.editor and shown.strip():
        return f"{turn.query}\n{shown[:_SELECTION_CHARS]}"
    if action is Action.REWRITE:
        return f"{topic(conversation)[:_TOPIC_CHARS]} {turn.query}"
    return turn.query
