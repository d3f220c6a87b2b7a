"""What the act of a message says about its type, once the layers have decided by its words.

"Another example" and "no, I meant the other one" are talk by their words, and still need documents after an answer from
documents; a bare "again?" of whose type no layer was sure is talk; "the second one, how many?" asks for something new,
though by its words it is talk, which its relation to the question before it tells; and "mine has none", which says
nothing without the question before it, is of that one's type. Nothing else is changed, and never what a caller declared
or a known prefix settled.
"""

from __future__ import annotations

import dataclasses

from classifier.decision import Decision, Layer, Query, QueryType
from classifier.dialogue_act.acts import (
    CONTINUATIONS,
    REFORMULATIONS,
    REWRITINGS,
    SURE,
    SURE_TALK,
    UNREAD,
    ActReading,
    DialogueAct,
)
from classifier.reasons import Reason
from classifier.references.resolve import last_substantial
from classifier.relation.relations import LONGEST, ConversationReading, Relation, RelationReading

#: A type of less probability is doubted, where the act asks for another form of what was said.
DOUBT = 0.9
#: Probability of a relation from which talk without an act becomes a question, and with one, such as the "no" of "no,
#: with two of them". On left-out dialogues 259 of 280 and 33 of 33 of what becomes one are one.
SURE_QUESTION, SURE_IN_SPITE = 0.6, 0.8
#: Probability from which a follow-up is of another type than the question that it follows. On left-out dialogues, of
#: 193 that layer 2 takes for another type, less sure, 182 are of that question's type.
SURE_OF_ANOTHER = 0.95
#: Acts that stand alone by what they are, be there a question before them or not.
OF_ITS_OWN = frozenset({DialogueAct.GREETING, DialogueAct.ABILITIES, DialogueAct.USER_IDENTITY})
#: Relations of talk, and the probability from which a message that no layer has a type for is talk for one of them, and
#: from which what goes on from a question is no act such as a courtesy, whatever it sounds like. On
#: left-out dialogues 124 of 131 are.
TALK, SURE_RELATION = frozenset({Relation.COURTESY, Relation.REWORDING, Relation.RECALL}), 0.9
#: The same for what sounds like a wish for another form: "what rust version" after "how do I install it?".
SURE_OF_FORM = 0.95
#: Characters of a message that may be an act of its own; more is a message about something.
LONGEST_ACT = 160


def is_read(query: Query, decision: Decision) -> bool:
    """Whether reading this message makes a difference: it is talk, follows a turn, or no layer has decided."""
    short = 0 < len(query.text.strip()) <= LONGEST
    talk = decision.type is QueryType.CONVERSATIONAL
    return short and (talk or bool(query.history) or decision.layer is Layer.DEFAULT)


def asked_before(query: Query) -> list[str] | None:
    """The earlier messages that asked something, oldest first; None where the message begins its conversation."""
    if not query.history:
        return None
    return [entry.query for entry in query.history if entry.type is not QueryType.CONVERSATIONAL]


def reconsider(query: Query, decision: Decision, read: ConversationReading) -> Decision:
    """`decision` with the act of the message and its relation, and with the type that the act gives it."""
    reading = UNREAD if len(query.text.strip()) > LONGEST_ACT or _is_of_its_own(read) else read.act
    decision = dataclasses.replace(decision, act=reading, relation=read.relation)
    if decision.layer in (Layer.DECLARED, Layer.PREFIX):
        return decision
    if reading.act in CONTINUATIONS:
        return _continued(query, decision, reading)
    if _asks(query, decision, read):
        return _decided(decision, read.relation.confidence, _asked_type(query, decision), Reason.FOLLOW_UP)
    if sure := _talks(query, decision, reading, read.relation):
        return _decided(decision, sure, QueryType.CONVERSATIONAL, Reason.DIALOGUE_ACT)
    if reading.act is DialogueAct.NONE and (before := _followed(query, decision, read.relation)) is not None:
        return _decided(decision, read.relation.confidence, before, Reason.FOLLOW_UP)
    return decision


def _continued(query: Query, decision: Decision, reading: ActReading) -> Decision:
    """`decision`, or the type of what the message goes on from where that searches."""
    before = last_substantial(query.history)
    talk = decision.layer is Layer.DEFAULT or decision.type is QueryType.CONVERSATIONAL
    if before is None or not before.searches or not talk:
        return decision
    corrected = reading.act is DialogueAct.CORRECTION
    reason = Reason.CORRECTION if corrected else Reason.REFERENCE_FOR_MORE
    return _decided(decision, reading.confidence, before, reason)


def _talks(query: Query, decision: Decision, reading: ActReading, told: RelationReading) -> float:
    """How sure it is that a message of whose type no layer was sure is nothing but talk; 0 where it may be more."""
    if decision.type is QueryType.CONVERSATIONAL:
        return 0.0
    undecided = decision.layer is Layer.DEFAULT
    if undecided and told.relation in TALK and told.confidence >= SURE_RELATION:
        return told.confidence
    if reading.act is DialogueAct.NONE or reading.confidence < SURE_TALK:
        return 0.0
    reworks = reading.act in REFORMULATIONS | REWRITINGS and bool(query.history)
    return reading.confidence if undecided or (decision.confidence < DOUBT and reworks) else 0.0


def _asks(query: Query, decision: Decision, read: ConversationReading) -> bool:
    """Whether what is talk by its words asks for something that was not said yet, as the question before it shows."""
    act = decision.act.act
    if decision.type is not QueryType.CONVERSATIONAL or not query.history or act in REFORMULATIONS | REWRITINGS:
        return False
    if act in OF_ITS_OWN and decision.act.confidence >= SURE_RELATION:
        return False
    new = read.relation.relation in (Relation.FOLLOW_UP, Relation.STANDS_ALONE)
    return new and read.relation.confidence >= (SURE_QUESTION if act is DialogueAct.NONE else SURE_IN_SPITE)


def _followed(query: Query, decision: Decision, told: RelationReading) -> QueryType | None:
    """The type of the question that a message follows, where it cannot be told without it and is taken for another."""
    before = last_substantial(query.history)
    follows = told.relation is Relation.FOLLOW_UP and told.confidence >= SURE_QUESTION
    if not follows or before is None or not before.searches or decision.layer is Layer.LLM:
        return None
    other = decision.type not in (before, QueryType.CONVERSATIONAL) and decision.confidence < SURE_OF_ANOTHER
    figures = decision.type is QueryType.PLATFORM and query.has_context
    return before if other and not figures else None


def _asked_type(query: Query, decision: Decision) -> QueryType:
    """The type of a question that was taken for talk: the next one, or that of the turn before, where that searches."""
    likely = [decision.runner_up, last_substantial(query.history)]
    return next((one for one in likely if one is not None and one.searches), None) or likely[0] or QueryType.RETRIEVAL


def _is_of_its_own(read: ConversationReading) -> bool:
    """Whether what sounds like an act is a question: "how do I list" wishes no other form of the last answer.

    And what goes on from the question before it, such as "and until eight", is no courtesy.
    """
    told, likeliest = read.relation, read.act.likeliest
    if likeliest in REFORMULATIONS | REWRITINGS and told.relation is Relation.STANDS_ALONE:
        return told.confidence >= SURE
    if told.relation is not Relation.FOLLOW_UP or likeliest in REFORMULATIONS | CONTINUATIONS:
        return False
    return told.confidence >= (SURE_OF_FORM if likeliest in REWRITINGS else SURE_RELATION)


def _decided(decision: Decision, confidence: float, type_: QueryType, reason: Reason) -> Decision:
    """`decision` for another type, as sure as `confidence`, with the one before as the runner-up."""
    if decision.type is type_:
        runner_up, chance = decision.runner_up, decision.runner_up_confidence
    else:
        runner_up, chance = decision.type, 1.0 - confidence
    return dataclasses.replace(
        decision,
        type=type_,
        layer=Layer.EMBEDDING,
        confidence=confidence,
        reason=str(reason),
        runner_up=runner_up,
        runner_up_confidence=chance,
    )
