"""The steps of preparing an answer: one short function a node."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import cast

from classifier.decision import Decision, IntentEntry, Layer, Query, QueryType
from classifier.reasons import Reason
from classifier.references.resolve import last_substantial
from engine import telemetry
from engine.answering.ports import Figures, Router
from engine.answering.state import AgentState, Tell
from engine.conversation import ledger
from engine.conversation.followup.dependence import goes_on
from engine.conversation.followup.history_recall import is_about, summed_up
from engine.conversation.followup.query_rewriting.model import Rewriter
from engine.conversation.followup.query_rewriting.rules import carry_over
from engine.conversation.followup.resolve import Resolution, evidence_of, resolve
from engine.conversation.history import answered, in_hand, intent_history
from engine.conversation.store.port import Conversation, SessionStore, TurnRecord
from engine.domain import Action, Exchange, PlanMode, Progress, Retrieved, Route, Routed, Turn
from engine.errors import EngineError
from engine.generation.citations import in_session_numbers
from engine.generation.messages import build_final_messages
from engine.generation.port import EXTRACTIVE, ChatModel, Prompt
from engine.planning.execute import Found
from engine.planning.workflow import Workflow, with_origins
from engine.retrieval.answerability import THRESHOLD, AnswerabilityReader, carried_stems
from engine.retrieval.port import Retriever
from engine.retrieval.readings import MessageSearch
from engine.retrieval.spelling import Correction, Respelling
from engine.text.language import language_of
from engine.text.material import harmless_passage, quotable
from engine.text.words import content_stems
from engine.tracing import traced

#: Probability from which layer 2's PLATFORM stays one, whatever the documents say.
PLATFORM_SURE = 0.95
#: Answerability from which documents answer what may have been about the account: .94 of the guide's golden questions
#: are above it, and .04 of the seed's PLATFORM questions (300 of them, asked of the guide).
DOCUMENTED = 0.4
#: Answerability from which documents answer what goes on from a question about the figures of a request, and what
#: layer 2 is sure is about the account, of which nothing is at hand. On 14 documents about accounts and services, 20 of
#: 215 such questions of the seed are above it, 10 below `PLATFORM_CERTAIN`; of 9 on left-out dialogues none is.
DOCUMENTED_ALONE = 0.6
#: Probability from which PLATFORM stays one although no figures are at hand and documents say something to it.
PLATFORM_CERTAIN = 0.995
#: Answerability from which passages that do not answer may be about what is asked: of two sets of dialogues on the
#: guide 42 of 52 answerable questions that are refused are above it, of 195 of general knowledge 30.
NEAR = 0.05
#: Probability from which layer 2's RETRIEVAL stays one, whatever the figures of an earlier turn say.
RETRIEVAL_SURE = 0.85
#: Layers whose word is the last.
_SETTLED = (Layer.DECLARED, Layer.PREFIX)


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

    @traced("route")
    async def classify(self, state: AgentState) -> AgentState:
        """Decides the query's type."""
        started = self.clock()
        history = intent_history(state["conversation"])
        decision = await self.router.decide(query_of(state["turn"], history))
        earlier = (turn.query for turn in reversed(state["conversation"].recent))
        decision = replace(decision, language=language_of(state["turn"].query, earlier))
        brought = _brings_figures(state["turn"])
        figures = state["turn"].extra_context if brought else in_hand(state["conversation"])
        if figures.strip():
            decision = await self._goes_on(state["turn"], decision, state["conversation"], figures)
        else:
            decision = await self._documented(state["turn"], decision, state["conversation"])
        for line in telemetry.decision_lines(decision, self.models.light.name):
            telemetry.logger().info(line)
        timings = {"classify": self._since(started)}
        return {"classify_history": history, "decision": decision, "figures": figures, "timings": timings}

    async def _goes_on(self, turn: Turn, decision: Decision, conversation: Conversation, figures: str) -> Decision:
        """`decision`, or PLATFORM for what the figures of the request, or of an earlier turn, answer.

        They have to answer it surely, and it goes on from a turn about them or is one that the layers are not sure of.
        What neither goes on from them nor says a word of theirs is not, where the documents answer it.
        What a request brings figures for is also theirs where they have an answer, or it goes on from a question about
        them, and the documents have none: what names something that the documents are about stays RETRIEVAL. So does a
        PLATFORM become RETRIEVAL that the figures have no answer to, not even an unsure one, and the documents have.
        """
        brought = bool(turn.extra_context.strip())
        if self.figures is None or decision.layer in _SETTLED:
            return decision
        theirs_by_layers = decision.type is QueryType.PLATFORM
        unlike = not theirs_by_layers and decision.type is not QueryType.RETRIEVAL
        if unlike and (not brought or decision.confidence >= RETRIEVAL_SURE):
            return decision
        earlier = [one.query for one in conversation.recent if one.type is QueryType.PLATFORM]
        found = await asyncio.to_thread(self.figures.answered, turn.query, figures, before=earlier)
        if theirs_by_layers:
            told = found.sure or found.likely
            away = not told and (await self._documented_by(turn.query) or 0.0) >= DOCUMENTED_ALONE
            return _instead(decision, QueryType.RETRIEVAL, Reason.WITHOUT_FIGURES) if away else decision
        follows = bool(earlier) and conversation.recent[-1].type is QueryType.PLATFORM
        follows = follows and (found.carried or goes_on(turn.query) or decision.relation.follows)
        unsure = decision.confidence < (PLATFORM_SURE if brought else RETRIEVAL_SURE)
        theirs = found.sure and (follows or unsure)
        if not theirs and brought and (found.sure or found.likely or follows):
            documented = await self._documented_by(turn.query)
            bound = DOCUMENTED_ALONE if follows else DOCUMENTED if found.sure else THRESHOLD
            theirs = documented is not None and documented < bound
        elif theirs and not brought and not (found.carried or goes_on(turn.query) or decision.relation.follows):
            # Figures of before are near to anything: what names none of them may be in the documents.
            named = content_stems(turn.query) & content_stems(figures)
            theirs = bool(named) or (await self._documented_by(turn.query) or 0.0) < DOCUMENTED
        return _instead(decision, QueryType.PLATFORM, Reason.FIGURES_IN_HAND) if theirs else decision

    async def _documented(self, turn: Turn, decision: Decision, conversation: Conversation) -> Decision:
        """`decision`, or RETRIEVAL for what documents answer and the layers have taken for something else.

        That is a PLATFORM that comes without figures (documents have to answer it the better the surer it is), and talk
        that may as well be a question in few words, or wishes a summary of what the last answer has not told of.
        """
        if decision.layer in _SETTLED or _brings_figures(turn):
            return decision
        if decision.type is QueryType.PLATFORM:
            return await self._documented_without_figures(turn, decision, conversation)
        about_documents = any(one.type.searches for one in conversation.recent)
        # Before the first message there is nothing to talk about: what is no act of its own may be a question.
        opens = not conversation.turns and decision.asks_first
        topic = summed_up(turn.query) if decision.type is QueryType.CONVERSATIONAL else ""
        elsewhere = topic != "" and not any(is_about(one, topic) for one in conversation.recent[-1:])
        if not opens and not elsewhere and not (about_documents and decision.may_ask):
            return decision
        if (await self._documented_by(topic if elsewhere else turn.query) or 0.0) < DOCUMENTED:
            return decision
        return _instead(decision, QueryType.RETRIEVAL, Reason.DOCUMENTED)

    async def _documented_without_figures(self, turn: Turn, decision: Decision, conversation: Conversation) -> Decision:
        """PLATFORM, or RETRIEVAL where documents answer: of the account can only be said that no figures are seen."""
        before = last_substantial(intent_history(conversation)) if decision.relation.follows else None
        follows = before is QueryType.RETRIEVAL
        doubted = decision.confidence < PLATFORM_SURE or follows
        certain = decision.confidence >= PLATFORM_CERTAIN or before is QueryType.PLATFORM
        if certain and not doubted:
            return decision
        bound = DOCUMENTED if doubted else DOCUMENTED_ALONE
        if (await self._documented_by(turn.query) or 0.0) >= bound:
            return _instead(decision, QueryType.RETRIEVAL, Reason.WITHOUT_FIGURES)
        # "I did that and it still leaks" says with the question before it what it is about.
        carried = carry_over(turn.query, conversation).query if follows else turn.query
        if carried == turn.query or (await self._documented_by(carried, turn.query) or 0.0) < bound:
            return decision
        return _instead(decision, QueryType.RETRIEVAL, Reason.WITHOUT_FIGURES)

    async def _documented_by(self, query: str, message: str = "") -> float | None:
        """The answerability of a query by the documents; None where it is not known.

        Args:
            query: To be searched for.
            message: What it was made of, where it has words of the conversation.
        """
        try:
            passages = await self.retriever.search(query, k=self.limits.passages)
        except EngineError:
            return None
        carried = carried_stems(query, message) if message else ()
        return await self.answerability.read(query, passages, carried, message) if passages else 0.0

    @traced("plan")
    async def relate(self, state: AgentState, tell: Tell) -> AgentState:
        """Decides what the message is to the conversation, and what to look up; says so to the caller."""
        turn, decision, conversation = state["turn"], state["decision"], state["conversation"]
        resolution = await resolve(turn, decision, conversation, self.store)
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
        turn, conversation = state["turn"], state["conversation"]
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
        )
        passages = [harmless_passage(passage) for passage in found.passages]
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
            "answerability": found.answerability,
            "timings": self._timed(state, "retrieve", started),
        }

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
        rephrased = route.action is Action.REWRITE or correction.changed
        prompt = Prompt(
            decision.type,
            turn.query,
            evidence=tuple(replace(piece, passage=quotable(piece.passage)) for piece in state.get("evidence", ())),
            history=exchanges_of(turns),
            recall=resolution.recall,
            calculation=resolution.calculation,
            question=resolution.question or (route.search_query if rephrased else ""),
            corrections=correction.names,
            more=resolution.more,
            act=decision.clear_act,
            answerable=_is_answerable(state),
            near=(state.get("answerability") or 0.0) >= NEAR,
            asked=state["conversation"].turns + 1,
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


def _brings_figures(turn: Turn) -> bool:
    """Whether the request says something of the account itself."""
    return bool(turn.extra_context.strip() or turn.user_info.strip())


def _instead(decision: Decision, type_: QueryType, reason: Reason) -> Decision:
    """`decision` with another type, for that reason; what the layers said is the runner-up."""
    return replace(
        decision,
        type=type_,
        reason=str(reason),
        runner_up=decision.type,
        runner_up_confidence=decision.confidence,
        confidence=1.0 - decision.confidence,
    )


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
