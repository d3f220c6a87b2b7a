"""What a message's type becomes once the figures at hand and the documents are looked at.

The layers read the message alone. Whether figures of the account answer it, or documents do, may say otherwise where
they are less than sure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from classifier.decision import Decision, Layer, QueryType
from classifier.reasons import Reason
from classifier.references.resolve import last_substantial
from engine.answering.ports import Figures
from engine.conversation.followup.dependence import goes_on
from engine.conversation.followup.history_recall import is_about, summed_up
from engine.conversation.followup.query_rewriting.rules import carry_over
from engine.conversation.history import in_hand, intent_history
from engine.conversation.store.port import Conversation
from engine.domain import Turn
from engine.errors import EngineError
from engine.retrieval.answerability import THRESHOLD, AnswerabilityReader, carried_stems
from engine.retrieval.port import Retriever
from engine.text.words import content_stems

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
#: Probability from which layer 2's RETRIEVAL stays one, whatever the figures of an earlier turn say.
RETRIEVAL_SURE = 0.85
#: Layers whose word is the last.
_SETTLED = (Layer.DECLARED, Layer.PREFIX)


@dataclass(frozen=True, slots=True)
class TypeReview:
    """Holds a type against the material.

    Attributes:
        retriever: Of documents.
        answerability: Tells whether passages answer.
        figures: Reads figures of an account; None: there is none that does.
        passages: Passages of a search.
    """

    retriever: Retriever
    answerability: AnswerabilityReader
    figures: Figures | None
    passages: int

    async def reviewed(self, turn: Turn, decision: Decision, conversation: Conversation) -> tuple[Decision, str]:
        """The decision, with another type where the material says so, and the figures at hand, empty without any."""
        figures = turn.extra_context if _brings_figures(turn) else in_hand(conversation)
        if figures.strip():
            return await self._goes_on(turn, decision, conversation, figures), figures
        return await self._documented(turn, decision, conversation), figures

    async def _goes_on(self, turn: Turn, decision: Decision, conversation: Conversation, figures: str) -> Decision:
        """`decision`, or PLATFORM for what the figures of the request, or of an earlier turn, answer.

        They have to answer it surely, and it goes on from a turn about them or is one that the layers are not sure of.
        What neither goes on from them nor says a word of theirs is not, where the documents answer it.
        What a request brings figures for is also theirs where they have an answer, or it goes on from a question about
        them, and the documents have none: what names something that the documents are about stays RETRIEVAL, unless
        each of its words stands in what the request brings. What the layers are not sure of is theirs too where
        documents do not answer it surely. What they surely take for talk is theirs only where it names something
        that the request brings, and that answers it surely. So does a PLATFORM become RETRIEVAL that the
        figures have no answer to, not even an unsure one, and the documents have.
        """
        brought = bool(turn.extra_context.strip())
        if self.figures is None or decision.layer in _SETTLED:
            return decision
        theirs_by_layers = decision.type is QueryType.PLATFORM
        unlike = not theirs_by_layers and decision.type is not QueryType.RETRIEVAL
        sure = unlike and decision.confidence >= RETRIEVAL_SURE
        talk = decision.type is QueryType.CONVERSATIONAL
        if unlike and (not brought or (sure and not (talk and _named(turn.query, figures)))):
            return decision
        earlier = [one.query for one in conversation.recent if one.type is QueryType.PLATFORM]
        found = await asyncio.to_thread(self.figures.answered, turn.query, figures, before=earlier)
        if sure and not found.sure:
            return decision
        if theirs_by_layers:
            told = found.sure or found.likely
            away = not told and (await self._documented_by(turn.query) or 0.0) >= DOCUMENTED_ALONE
            return _instead(decision, QueryType.RETRIEVAL, Reason.WITHOUT_FIGURES) if away else decision
        follows = bool(earlier) and conversation.recent[-1].type is QueryType.PLATFORM
        follows = follows and (found.carried or goes_on(turn.query) or decision.relation.follows)
        unsure = decision.confidence < (PLATFORM_SURE if brought else RETRIEVAL_SURE)
        theirs = found.sure and (follows or unsure)
        if not theirs and brought and (found.sure or found.likely) and _names_nothing_else(turn.query, figures):
            theirs = True
        elif not theirs and brought and (found.sure or found.likely or follows):
            documented = await self._documented_by(turn.query)
            bound = DOCUMENTED_ALONE if follows else DOCUMENTED if found.sure else THRESHOLD
            theirs = documented is not None and documented < bound
        elif not theirs and brought and decision.type is QueryType.RETRIEVAL and unsure:
            # What the figures lack is said rather than that documents lack it, or what these say of something like it.
            documented = await self._documented_by(turn.query) if decision.confidence < RETRIEVAL_SURE else None
            theirs = documented is not None and documented < DOCUMENTED
        elif theirs and not brought and not (found.carried or goes_on(turn.query) or decision.relation.follows):
            # Figures of before are near to anything: what names none of them may be in the documents.
            theirs = bool(_named(turn.query, figures)) or (await self._documented_by(turn.query) or 0.0) < DOCUMENTED
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
            passages = await self.retriever.search(query, k=self.passages)
        except EngineError:
            return None
        carried = carried_stems(query, message) if message else ()
        return await self.answerability.read(query, passages, carried, message) if passages else 0.0


def _named(query: str, figures: str) -> AbstractSet[str]:
    """The stems of the words of a message that stand in figures; they may be long, and are read where it matters."""
    return content_stems(query) & content_stems(figures)


def _names_nothing_else(query: str, figures: str) -> bool:
    """Whether each of several words of a message stands in figures."""
    asked = content_stems(query)
    return len(asked) > 1 and asked == _named(query, figures)


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
