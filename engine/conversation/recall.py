"""How a message relates to the conversation, and whether it needs a search.

The failing direction is to search: a question that could have been answered from history costs a search, while one
that could not and was not looked up costs a wrong answer.
"""

from __future__ import annotations

import re

from classifier.decision import QueryType
from engine.conversation.store import Conversation
from engine.domain import Action, Relation

_I = re.IGNORECASE
#: Asks for what was said before, in English or Spanish.
_RECALL = re.compile(
    r"\b(what|which( \w+)?) (did|have|had) (i|you|we) (just |already |first |last |previously )?"
    r"(ask|asked|say|said|tell|told|talk|talked|mention|mentioned|answer|answered|discuss|discussed)\b"
    r"|\bwhat (was|were) (my|your|our) ((very )?(first|last|previous|second|third|earlier|original) )?"
    r"(questions?|messages?|quer(y|ies)|answers?|repl(y|ies))\b"
    r"|\b(do you |can you )?remember (what|when|that|my)\b"
    r"|\b(qu[eé]|cu[aá]l(es)?)\b.{0,40}\b(te )?(pregunt[eé]|preguntaba|dijiste|dije|hablamos|coment[eé]|comentaste|"
    r"mencionaste|respondiste|contestaste)\b"
    r"|\bcu[aá]l(es)? (fue|era|fueron|eran) mis? (primera|[uú]ltima|anterior|segunda|tercera|primeras)\b"
    r"|\bmi (primera|[uú]ltima|anterior|segunda|tercera) pregunta\b"
    r"|\b(te acuerdas|recuerdas|recordás)\b",
    _I,
)
#: Points at something said before: a pronoun where it can only do that, or "the first one", in English or Spanish.
_POINTS_BACK = re.compile(
    r"\b(this|that|it|these|those|them)\W*$"
    r"|\b(about|on|of|with|for|explain|does|is|are|use|fix|change|extend) (this|that|it|these|those|them)\b"
    r"(?! \w+ \w+ \w+)"
    r"|\bthe (first|second|third|last|other|former|latter|previous)( one)?\W*$"
    r"|\b(elaborate|go on|continue|tell me more|say more|more details?)\b"
    r"|\b(esto|eso|aquello|lo anterior|lo mismo|l[oa]s? (primer[oa]s?|segund[oa]s?|tercer[oa]s?|[uú]ltim[oa]s?)|"
    r"el (primero|segundo|tercero|[uú]ltimo|anterior))\W*$"
    r"|\b(expl[ií]cal[oa]s?|arr[eé]glal[oa]s?|ampl[ií]al[oa]|profundiza|cu[eé]ntame m[aá]s|dime m[aá]s)\b"
    r"|\bm[aá]s detalles?\b",
    _I,
)
#: A longer message says what it is about, even when it points at something too.
_FOLLOW_UP_WORDS = 10
#: Asks how something is done.
_PROCEDURAL = re.compile(
    r"\b(how (do|can|to|would|should)|steps?|set up|install|configure|register|create|write|make|build|deploy|"
    r"c[oó]mo|pasos|instal[aoe]r?|configur[aoe]r?|registr[aoe]r?|cre[aoe]r?|escrib[aeiío]r?|hacer|despleg[aou]r?)\b",
    _I,
)


def asks_to_recall(query: str) -> bool:
    """Whether `query` asks what was asked or said before, in English or Spanish."""
    return _RECALL.search(query) is not None


def points_back(query: str) -> bool:
    """Whether `query` is short and points at something that was said before, in English or Spanish."""
    return len(query.split()) <= _FOLLOW_UP_WORDS and _POINTS_BACK.search(query) is not None


def topic(conversation: Conversation) -> str:
    """What the conversation was last looked up for; empty when nothing was."""
    asked = (turn.search_query for turn in reversed(conversation.recent) if turn.action is Action.FRESH)
    return next(asked, "")


def relate(query: str, type_: QueryType, conversation: Conversation) -> tuple[Relation | None, Action]:
    """What `query` is to the conversation, and what to do to have the material of its answer.

    Returns:
        The relation (None for a first message that is about no topic, such as a greeting) and the action. PLATFORM
        and CONVERSATIONAL never search.
    """
    if conversation.recent and asks_to_recall(query) and type_ is not QueryType.PLATFORM:
        return Relation.HISTORY_RECALL, Action.HISTORY
    if type_ is QueryType.CONVERSATIONAL:
        return (Relation.CONTEXTUAL_FOLLOW_UP, Action.HISTORY) if conversation.recent else (None, Action.NONE)
    if type_ is QueryType.PLATFORM:
        return Relation.NEW_TOPIC_INFORMATIONAL, Action.NONE
    if topic(conversation) and points_back(query):
        return Relation.CONTEXTUAL_FOLLOW_UP, Action.REWRITE
    procedural = type_ is QueryType.CODE_GENERATION or _PROCEDURAL.search(query) is not None
    relation = Relation.NEW_TOPIC_PROCEDURAL if procedural else Relation.NEW_TOPIC_INFORMATIONAL
    return relation, Action.FRESH
