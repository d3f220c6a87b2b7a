"""What a message says of the conversation by its words, and how it relates to it.

The failing direction is to search: a question that could have been answered from history costs a search, while one
that could not and was not looked up costs a wrong answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from classifier.decision import QueryType
from classifier.dialogue_act.acts import CONTINUATIONS, DialogueAct
from engine.conversation.followup.coverage import asks_for_more
from engine.conversation.followup.dependence import Dependence, dependence_of, earlier
from engine.conversation.followup.history_recall import recall_in
from engine.conversation.history import exchanges
from engine.conversation.store.port import Conversation
from engine.domain import Action, Recall, Relation
from engine.text.stated_figures import Calculation, calculate_from_statements

_I = re.IGNORECASE
#: Asks how something is done.
_PROCEDURAL = re.compile(
    r"\b(how (do|can|to|would|should)|steps?|set up|install|configure|register|create|write|make|build|deploy|"
    r"c[oó]mo|pasos|instal[aoe]r?|configur[aoe]r?|registr[aoe]r?|cre[aoe]r?|escrib[aeiío]r?|hacer|despleg[aou]r?)\b",
    _I,
)


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules find in the words of one message. Each rule is asked once a turn.

    Attributes:
        query: The message.
        dependence: Whether it can be searched for as it stands.
        recall: What it asks to hear again, where it does.
        calculation: What figures that were said come to, where it asks for that; numbered by answer.
        more: It asks for more of what was said, or for its reason, and names nothing itself.
        act: What it does in the conversation.
    """

    query: str
    dependence: Dependence = Dependence.STANDALONE
    recall: Recall | None = None
    calculation: Calculation | None = None
    more: bool = False
    act: DialogueAct = DialogueAct.NONE


def read(query: str, conversation: Conversation, act: DialogueAct = DialogueAct.NONE) -> Reading:
    """What the words of `query`, and its act, say after `conversation`; a first message has nothing to recall."""
    goes_on = act in CONTINUATIONS
    return Reading(
        query,
        Dependence.INCOMPLETE if goes_on and earlier(conversation) else dependence_of(query, conversation),
        recall_in(query) if conversation.recent else None,
        calculate_from_statements(query, exchanges(conversation)),
        act in (DialogueAct.MORE, DialogueAct.WHY) or asks_for_more(query),
        act,
    )


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
    # A request for code names what is wanted in a piece of a sentence: "a loop over a list".
    if reading.dependence >= (Dependence.INCOMPLETE if code else Dependence.TOPICAL):
        return Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE
    procedural = code or _PROCEDURAL.search(reading.query) is not None
    relation = Relation.NEW_TOPIC_PROCEDURAL if procedural else Relation.NEW_TOPIC_INFORMATIONAL
    return relation, Action.FRESH
