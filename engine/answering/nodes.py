"""The steps of preparing an answer: one short function a node."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import cast

from classifier.decision import Decision, IntentEntry, Query, QueryType
from classifier.dialogue_act.acts import DialogueAct
from classifier.linear.scoring import without_courtesy
from engine import telemetry
from engine.answering.ports import Figures, Router
from engine.answering.state import AgentState, Tell
from engine.answering.type_review import TypeReview
from engine.conversation import ledger
from engine.conversation.followup.query_rewriting.model import Rewriter
from engine.conversation.followup.resolve import Resolution, evidence_of, resolve
from engine.conversation.history import answered, intent_history
from engine.conversation.store.port import SessionStore, TurnRecord
from engine.domain import Action, Exchange, Passage, PlanMode, Progress, Relation, Retrieved, Route, Routed, Turn
from engine.generation.citations import in_session_numbers
from engine.generation.messages import build_final_messages
from engine.generation.port import EXTRACTIVE, ChatModel, Prompt
from engine.planning.execute import Found
from engine.planning.workflow import Workflow, with_origins
from engine.retrieval.answerability import THRESHOLD, AnswerabilityReader
from engine.retrieval.port import Catalogue, Half, Retriever, names_of_documents
from engine.retrieval.readings import MessageSearch
from engine.retrieval.spelling import Correction, Respelling
from engine.retrieval.whole_tables import WholeTables
from engine.text.language import language_of
from engine.text.material import harmless_passage, quotable
from engine.tracing import traced

#: Answerability from which passages that do not answer may be about what is asked: of two sets of dialogues on the
#: guide 42 of 52 answerable questions that are refused are above it, of 195 of general knowledge 30.
NEAR = 0.05


@dataclass(frozen=True, slots=True)
class Models:
    """The two slots: one model for answers from documents, a light one for the rest."""

    main: ChatModel
    light: ChatModel

    def of(self, type_: QueryType) -> ChatModel:
        """The model that answers queries of this type."""
        return self.main if type_.searches else self.light

    @property
    def busy(self) -> bool:
        """Whether one of them works on as many answers as it can. They share a machine."""
        return self.main.busy or self.light.busy

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
        platform=turn.platform,
    )


def _asked(turn: Turn) -> Turn:
    """`turn` without a greeting before its question and thanks behind it: no document has their words."""
    return replace(turn, query=without_courtesy(turn.query))


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes with the parts they use."""

    router: Router
    retriever: Retriever
    store: SessionStore
    models: Models
    limits: Limits
    workflow: Workflow
    clock: Callable[[], float] = time.perf_counter
    rewriter: Rewriter | None = None
    answerability: AnswerabilityReader = field(default_factory=AnswerabilityReader)
    figures: Figures | None = None
    respelling: Respelling | None = None
    tables: WholeTables | None = None
    catalogue: Catalogue | None = None

    @traced("route")
    async def classify(self, state: AgentState) -> AgentState:
        """Decides the query's type."""
        started = self.clock()
        history = intent_history(state["conversation"])
        decision = await self.router.decide(query_of(state["turn"], history))
        earlier = (turn.query for turn in reversed(state["conversation"].recent))
        decision = replace(decision, language=language_of(state["turn"].query, earlier))
        review = TypeReview(self.retriever, self.answerability, self.figures, self.limits.passages)
        asked = _asked(state["turn"])
        decision, figures = await review.reviewed(asked, decision, state["conversation"])
        for line in telemetry.decision_lines(decision, self.models.light.name):
            telemetry.logger().info(line)
        timings = {"classify": self._since(started)}
        return {
            "classify_history": history,
            "decision": decision,
            "asked": asked,
            "figures": figures,
            "timings": timings,
        }

    @traced("plan")
    async def relate(self, state: AgentState, tell: Tell) -> AgentState:
        """Decides what the message is to the conversation, and what to look up; says so to the caller."""
        turn, decision, conversation = state["turn"], state["decision"], state["conversation"]
        resolution = await resolve(state["asked"], decision, conversation, self.store)
        started = self.clock()
        route = route_of(decision, self.models, resolution)
        if route.action is Action.REWRITE and self.rewriter is not None and not decision.editor:
            rewritten = await self.rewriter.rewrite(turn.query, route.search_query, conversation)
            telemetry.logger().info(telemetry.REWRITTEN.format(how=rewritten.how))
            route = replace(route, search_query=rewritten.query)
        exchanges = exchanges_of(answered(conversation))
        planned = await self.workflow.planned(turn, route, exchanges, tell, busy=self.models.busy)
        timings = self._timed(state, "plan", started)
        route = replace(planned.route, milliseconds={**decision.milliseconds, **timings})
        tell(Routed(route))
        given = {"route": route, "resolution": resolution, "said": planned.said, "wanted": planned.wanted}
        return cast("AgentState", {**given, "timings": timings})

    @traced("search")
    async def retrieve(self, state: AgentState, tell: Tell) -> AgentState:
        """Searches, and numbers what is found for the session."""
        started = self.clock()
        tell(Progress("retrieve"))
        turn, conversation = state["asked"], state["conversation"]
        query, resolution = state["route"].search_query, state["resolution"]
        # A query that a model has written anew has taken one of the ways to read the message.
        otherwise = resolution.otherwise if query == resolution.search_query else ()
        found = await MessageSearch(self.retriever, self.answerability, self.respelling).search(
            turn.query,
            tuple(dict.fromkeys((query, *otherwise))),
            k=self.limits.passages,
            language=state["decision"].language,
            code_shown=bool(turn.selected_text.strip() or turn.editor_content.strip()),
            document=resolution.document,
            alone=resolution.may_stand and query == resolution.search_query,
        )
        follows = state["route"].relation is Relation.CONTEXTUAL_FOLLOW_UP
        last = next((one.answer for one in reversed(answered(conversation))), "") if follows else ""
        table = await self._table(turn.query, found.passages, last)
        passages = [harmless_passage(passage) for passage in (*filter(None, [table]), *found.passages)]
        ids = [passage.id for passage in passages]
        known = await self.store.known_numbers(turn.principal, turn.session_id, ids) if conversation.turns else {}
        evidence = ledger.number(passages, known, conversation.last_number)
        telemetry.logger().info(telemetry.SEARCHED.format(count=len(evidence)))
        tell(Retrieved(evidence))
        return {
            "evidence": evidence,
            "route": replace(state["route"], search_query=found.correction.query),
            "correction": found.correction,
            "searches": found.correction.searches,
            "answerability": await self._answerable_by(table, turn.query, found.answerability),
            "timings": self._timed(state, "retrieve", started),
        }

    async def _table(self, query: str, passages: Sequence[Passage], last: str) -> Passage | None:
        """The whole table that answers, of what was found, or else of what the name of its rows alone finds."""
        if self.tables is None:
            return None
        table = await self.tables.of_all_rows(query, passages, last)
        rows = "" if table is not None or last else self.tables.rows_asked(query)
        if not rows:
            return table
        named = await self.retriever.search(rows, k=self.limits.passages, half=Half.TEXT)
        return await self.tables.of_all_rows(query, named)

    async def _answerable_by(self, table: Passage | None, query: str, known: float | None) -> float | None:
        """How probably the query is answered, by a table of all rows too."""
        figures = (known, None if table is None else await self.answerability.read(query, [table]))
        return max((figure for figure in figures if figure is not None), default=None)

    @traced("look_up")
    async def look_up(self, state: AgentState, tell: Tell) -> AgentState:
        """Asks the tools of the plan, or of its follow-ups, and numbers what they find for the session."""
        started = self.clock()
        turn, conversation = state["turn"], state["conversation"]
        async with aclosing(self.workflow.look_up(state["wanted"], state.get("found", ()))) as events:
            async for event in events:
                if isinstance(event, Progress):
                    tell(event)
                else:
                    findings = event
        passages = [passage for passage, _ in findings.passages]
        known = await self.store.known_numbers(turn.principal, turn.session_id, [passage.id for passage in passages])
        # What the first pass numbered keeps its number: the caller has been shown it.
        shown = {piece.passage.id: piece.number for piece in state.get("evidence", ())}
        last = max([conversation.last_number, *shown.values()])
        evidence = with_origins(findings, ledger.number(passages, {**known, **shown}, last))
        if findings.searches:
            telemetry.logger().info(telemetry.SEARCHED.format(count=len(evidence)))
        tell(Retrieved(evidence))
        return {
            "evidence": evidence,
            "found": findings.found,
            "searches": findings.searches,
            "answerability": await self._best_answerability(findings.found),
            "timings": self._timed(state, "look_up", started),
        }

    async def _best_answerability(self, found: Iterable[Found]) -> float | None:
        """That of the search that found the most fitting passages; None where documents were not searched."""
        searched = [one for one in found if one.subquery.tool == "kb"]
        known = [await self.answerability.read(one.subquery.query, one.passages) for one in searched]
        return max((figure for figure in known if figure is not None), default=None)

    @traced("remember")
    async def remember(self, state: AgentState, tell: Tell) -> AgentState:
        """Takes the material from the conversation: the passages of the turns that the answer is made from."""
        started = self.clock()
        remembered = await evidence_of(state["turn"], state["resolution"], self.store)
        # What an earlier version has stored was not made harmless then.
        evidence = tuple(replace(piece, passage=harmless_passage(piece.passage)) for piece in remembered)
        if evidence:
            tell(Retrieved(evidence))
        return {"evidence": evidence, "timings": self._timed(state, "remember", started)}

    @traced("compose")
    async def compose(self, state: AgentState) -> AgentState:
        """Writes the messages that the model reads."""
        started = self.clock()
        turn, decision, route, resolution = state["turn"], state["decision"], state["route"], state["resolution"]
        turns = answered(state["conversation"]) if resolution.turns is None else resolution.turns
        correction = state.get("correction", Correction(route.search_query))
        rephrased = route.action is Action.REWRITE or correction.changed or state["asked"].query != turn.query
        question = resolution.question or (route.search_query if rephrased else "")
        of_itself = decision.clear_act is DialogueAct.ABILITIES
        prompt = Prompt(
            decision.type,
            turn.query,
            evidence=tuple(replace(piece, passage=quotable(piece.passage)) for piece in state.get("evidence", ())),
            history=exchanges_of(turns),
            recall=resolution.recall,
            calculation=resolution.calculation,
            question=question,
            whole=resolution.whole and question == (resolution.question or resolution.search_query),
            corrections=correction.names,
            more=resolution.more,
            act=decision.clear_act,
            answerable=_is_answerable(state),
            near=(state.get("answerability") or 0.0) >= NEAR,
            asked=state["conversation"].turns + 1,
            documents=await asyncio.to_thread(names_of_documents, self.catalogue) if of_itself else (),
            language=decision.language,
            relation=route.relation,
            parts=tuple(one.query for one in state.get("wanted", ()) if one.tool == "kb"),
            editor=decision.editor,
            selected_text=turn.selected_text,
            editor_content=turn.editor_content,
            extra_context=turn.extra_context or state.get("figures", ""),
            user_info=turn.user_info,
        )
        return {"prompt": self._written(prompt), "timings": self._timed(state, "compose", started)}

    def _written(self, prompt: Prompt) -> Prompt:
        """With its messages, where a model reads them."""
        model = self.models.of(prompt.type)
        if model.name == EXTRACTIVE:
            return prompt
        return build_final_messages(
            prompt,
            history_turns=self.limits.history_turns,
            history_answer_chars=self.limits.history_answer_chars,
            budget_tokens=self.limits.prompt_tokens,
            pace=model.pace,
        )

    def _timed(self, state: AgentState, stage: str, started: float) -> dict[str, float]:
        return {**state["timings"], stage: self._since(started)}

    def _since(self, started: float) -> float:
        return (self.clock() - started) * 1000


def _is_answerable(state: AgentState) -> bool:
    """Whether the passages of a search may answer; without a search, or about shown code, nothing is against it."""
    probability = state.get("answerability")
    return probability is None or probability >= THRESHOLD or state["decision"].editor


def exchanges_of(turns: Iterable[TurnRecord]) -> tuple[Exchange, ...]:
    """Stored turns as question and answer, with the session's numbers in their marks."""
    return tuple(
        Exchange(record.query, in_session_numbers(record.answer, record.cited), record.sequence) for record in turns
    )


def route_of(decision: Decision, models: Models, resolution: Resolution) -> Route:
    """The receipt of a turn as far as it is known before there is a plan."""
    action = resolution.action
    return Route(
        decision,
        resolution.relation,
        action,
        PlanMode.SINGLE_RETRIEVAL if action.searches else PlanMode.DIRECT_LLM,
        search_query=resolution.search_query,
        model=models.of(decision.type).name,
        relation_confidence=resolution.confidence if resolution.relation else 0.0,
        relation_reason=str(resolution.reason) if resolution.relation else "",
    )
