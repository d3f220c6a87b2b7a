"""What a message asks of the conversation, and how it relates to it.

The heads on the encoder say what a message is to the questions before it; rules read what is a matter of record (which
turn is meant, which figures were said), and all of it where no head has read the message.

The failing direction is to search: a question that could have been answered from history costs a search, while one
that could not and was not looked up costs a wrong answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from classifier.decision import Decision, QueryType
from classifier.dialogue_act.acts import CONTINUATIONS, REFORMULATIONS, DialogueAct
from classifier.relation.relations import UNRELATED, ConversationReader, RelationReading, RelationReason
from classifier.relation.relations import Relation as Related
from engine.conversation.followup.dependence import (
    Dependence,
    dependence_of,
    earlier,
    fragment_of,
    names_its_subject,
    says_little,
    turns_to_a_name,
)
from engine.conversation.followup.history_recall import (
    about_what_was_said,
    asks_back,
    recall_in,
    recall_in_another_form,
)
from engine.conversation.followup.ordinals import Item, item_meant, told_rows
from engine.conversation.followup.pairs import pair_meant
from engine.conversation.history import exchanges
from engine.conversation.store.port import Conversation
from engine.domain import Action, Recall, Relation
from engine.text.questions.stated_figures import Calculation, calculate_from_statements
from engine.text.words import asks_how, content

#: Probability of what is likelier than all else together.
_LIKELIER = 0.5
#: What a message needs the conversation for.
_NEEDING = (Related.FOLLOW_UP, Related.REWORDING)
#: Probability of standing alone from which the head overrules words that point at something.
SURE_OVER_WORDS = 0.8
#: Probability from which the head of the relations is sure that a message is a recall, or is none.
SURE_OF_RECALL = 0.9

#: Probability from which a message with words of its own asks for nothing but the reason.
SURE_OF_WHY = 0.9

#: Acts that ask for what the record says of the person and the session, not for what was said: the surer head decides.
COUNTED = frozenset({DialogueAct.QUESTION_COUNT, DialogueAct.USER_IDENTITY})

#: What says the relation of a message that nothing else has read.
BY_WORDS = RelationReason.WORDS


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules find in the words of one message. Each rule is asked once a turn.

    Attributes:
        query: The message.
        dependence: Whether it can be searched for as it stands.
        recall: What it asks to hear again, where it does.
        calculation: What figures that were said come to, where it asks for that; numbered by answer.
        more: It asks for more of what was said, or for its reason, and names nothing itself.
        item: What an ordinal of it or "the two" means, where that is something that was told.
        act: What it does in the conversation.
        confidence: How sure it is of the dependence, 0 to 1.
        reason: What said so.
    """

    query: str
    dependence: Dependence = Dependence.STANDALONE
    recall: Recall | None = None
    calculation: Calculation | None = None
    more: bool = False
    item: Item | None = None
    act: DialogueAct = DialogueAct.NONE
    confidence: float = 1.0
    reason: RelationReason = RelationReason.WORDS


def read(query: str, conversation: Conversation, decision: Decision) -> Reading:
    """What `query` asks of `conversation`, with what the heads have read; a first message has nothing to recall."""
    act, related = decision.act_read, decision.relation
    dependence, confidence, reason = dependence_read(query, conversation, related)
    if act in CONTINUATIONS and earlier(conversation) and not _stands_alone(related):
        dependence, confidence, reason = Dependence.INCOMPLETE, decision.act.confidence, RelationReason.ACT
    counted = act in COUNTED and decision.act.confidence > related.confidence
    # "No, joining them is what I asked": the head of the relations hears "I asked", and the words name no earlier turn.
    corrects = act is DialogueAct.CORRECTION and not asks_back(query)
    # "Make me a list of the fees" names a form of what was said: the surer head says whether it asks what that was.
    reforms = act in REFORMULATIONS and not asks_back(query) and decision.act.confidence > related.confidence
    recalls = conversation.recent and not (counted or corrects or reforms) and _recalls(query, decision)
    recall = about_what_was_said(recall_in(query), query, conversation.recent) if recalls else None
    if conversation.recent and act in REFORMULATIONS:
        recall = recall_in_another_form(query) or recall
    if recall is not None and related.relation is Related.RECALL:
        confidence, reason = related.confidence, RelationReason.HEAD
    item = item_meant(query, conversation)
    if item is None and dependence is not Dependence.STANDALONE:
        item = pair_meant(query, conversation)
    recall = recall or (item.recall if item is not None else None)
    if item is not None and item.query:
        dependence, confidence, reason = Dependence.INCOMPLETE, 1.0, RelationReason.WORDS
    return Reading(
        query,
        dependence,
        recall,
        calculate_from_statements(query, exchanges(conversation)),
        act is DialogueAct.MORE or (act is DialogueAct.WHY and _asks_why_alone(query, decision)),
        item,
        act,
        confidence,
        reason,
    )


def dependence_read(
    query: str, conversation: Conversation, related: RelationReading
) -> tuple[Dependence, float, RelationReason]:
    """How much `query` needs the conversation, how sure that is, and what says so.

    Whether it does is told by the head, unless words point at something and it is not sure of the contrary: a word too
    many in a search costs less than one too few. A follow-up that says enough by itself is searched for as it is: words
    carried into it spoil its search. A fragment behind a row that was told names another row or column of it, whatever
    the head says.
    """
    by_words = dependence_of(query, conversation)
    if fragment_of(query) and any(told_rows(turn.answer) for turn in earlier(conversation)[-1:]):
        return Dependence.INCOMPLETE, 1.0, RelationReason.WORDS
    if related.relation is None or not earlier(conversation) or turns_to_a_name(query):
        return by_words, 1.0, RelationReason.WORDS
    if related.relation not in _NEEDING:
        if by_words is Dependence.INCOMPLETE and related.confidence < SURE_OVER_WORDS:
            return by_words, 1.0 - related.confidence, RelationReason.WORDS
        return Dependence.STANDALONE, related.confidence, RelationReason.HEAD
    little = by_words is Dependence.INCOMPLETE or says_little(query) or fragment_of(query) != ""
    little = little and not names_its_subject(query, conversation)
    return Dependence.INCOMPLETE if little else Dependence.TOPICAL, related.confidence, RelationReason.HEAD


def _asks_why_alone(query: str, decision: Decision) -> bool:
    """Whether nothing but the reason is asked for: "and if it is because I move?" asks something of its own."""
    return decision.act.confidence >= SURE_OF_WHY or not any(content(query))


def _stands_alone(related: RelationReading) -> bool:
    return related.relation is Related.STANDS_ALONE and related.confidence >= _LIKELIER


def needs_by(reader: ConversationReader | None) -> Callable[[str, Conversation], Dependence]:
    """How much a message needs its conversation, as the engine sees it with `reader`; None: by rules alone."""

    def needs(query: str, conversation: Conversation) -> Dependence:
        asked = [turn.query for turn in conversation.recent] or None
        related = UNRELATED if reader is None else reader.read([query], [asked])[0].relation
        return dependence_read(query, conversation, related)[0]

    return needs


def _recalls(query: str, decision: Decision) -> bool:
    """Whether a message asks for what was said: the head says so, or its words do and the head is not sure.

    Of what is a question for the documents by its type the head has to be sure.
    """
    related = decision.relation
    sure = related.confidence >= SURE_OF_RECALL
    if related.relation is Related.RECALL and (sure or not decision.type.searches):
        return True
    return (related.relation is None or not sure) and asks_back(query)


def relate(reading: Reading, type_: QueryType, conversation: Conversation) -> tuple[Relation | None, Action]:
    """What a message is to the conversation, and what to do to have the material of its answer, by its words.

    Returns:
        The relation (None for a first message that is about no topic, such as a greeting) and the action. PLATFORM
        and CONVERSATIONAL never search. A REWRITE may still turn out to be covered by what was shown (`resolve`).
    """
    if type_ is not QueryType.PLATFORM and reading.calculation is not None:
        return Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY
    if type_ is not QueryType.PLATFORM and reading.recall is not None:
        return Relation.HISTORY_RECALL, Action.HISTORY
    return relate_topic(reading, type_, conversation)


def relate_topic(reading: Reading, type_: QueryType, conversation: Conversation) -> tuple[Relation | None, Action]:
    """`relate` for a message that asks for nothing that was said before."""
    if type_ is QueryType.CONVERSATIONAL:
        return (Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY) if conversation.recent else (None, Action.NONE)
    if type_ is QueryType.PLATFORM:
        return Relation.NEW_TOPIC_INFORMATIONAL, Action.NONE
    code = type_ is QueryType.CODE_GENERATION
    if reading.dependence is not Dependence.STANDALONE:
        return Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE
    procedural = code or asks_how(reading.query)
    relation = Relation.NEW_TOPIC_PROCEDURAL if procedural else Relation.NEW_TOPIC_INFORMATIONAL
    return relation, Action.FRESH
