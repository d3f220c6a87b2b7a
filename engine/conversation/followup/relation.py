"""How a message relates to the conversation, and whether it needs a search.

The failing direction is to search: a question that could have been answered from history costs a search, while one
that could not and was not looked up costs a wrong answer.
"""

from __future__ import annotations

import re

from classifier.decision import QueryType
from engine.conversation.followup.dependence import Lean, lean
from engine.conversation.followup.history_recall import recall_in
from engine.conversation.history import exchanges
from engine.conversation.store.port import Conversation
from engine.domain import Action, Relation
from engine.text.stated_figures import reckon

_I = re.IGNORECASE
#: Asks how something is done.
_PROCEDURAL = re.compile(
    r"\b(how (do|can|to|would|should)|steps?|set up|install|configure|register|create|write|make|build|deploy|"
    r"c[oó]mo|pasos|instal[aoe]r?|configur[aoe]r?|registr[aoe]r?|cre[aoe]r?|escrib[aeiío]r?|hacer|despleg[aou]r?)\b",
    _I,
)


def asks_to_recall(query: str) -> bool:
    """Whether `query` asks what was asked or said before, in English or Spanish."""
    return recall_in(query) is not None


def relate(query: str, type_: QueryType, conversation: Conversation) -> tuple[Relation | None, Action]:
    """What `query` is to the conversation, and what to do to have the material of its answer, by its words.

    Returns:
        The relation (None for a first message that is about no topic, such as a greeting) and the action. PLATFORM
        and CONVERSATIONAL never search. A REWRITE may still turn out to be covered by what was shown
        (`memory.consider`).
    """
    if type_ is not QueryType.PLATFORM and reckon(query, exchanges(conversation)) is not None:
        return Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY
    if conversation.recent and asks_to_recall(query) and type_ is not QueryType.PLATFORM:
        return Relation.HISTORY_RECALL, Action.HISTORY
    return relate_topic(query, type_, conversation)


def relate_topic(query: str, type_: QueryType, conversation: Conversation) -> tuple[Relation | None, Action]:
    """`relate` for a message that asks for nothing that was said before."""
    if type_ is QueryType.CONVERSATIONAL:
        return (Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY) if conversation.recent else (None, Action.NONE)
    if type_ is QueryType.PLATFORM:
        return Relation.NEW_TOPIC_INFORMATIONAL, Action.NONE
    code = type_ is QueryType.CODE_GENERATION
    # A request for code names what is wanted in a piece of a sentence: "a loop over a list".
    if lean(query, conversation) >= (Lean.INCOMPLETE if code else Lean.LOOSE):
        return Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE
    procedural = code or _PROCEDURAL.search(query) is not None
    relation = Relation.NEW_TOPIC_PROCEDURAL if procedural else Relation.NEW_TOPIC_INFORMATIONAL
    return relation, Action.FRESH
