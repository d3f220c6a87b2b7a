"""How much a message needs the conversation before it: whether it could be searched for as it stands.

Rules on the words alone, in English and Spanish. What a rule here does not know is taken to stand alone, because words
carried into a question that did not lack them spoil its search.
"""

from __future__ import annotations

import re
from enum import IntEnum

from classifier.references.resolve import FEW_WORDS
from engine.conversation.store.port import Conversation, TurnRecord
from engine.text.questions.comparisons import differs
from engine.text.words import (
    asks_for_a_number,
    content,
    content_stems,
    folded,
    is_common,
    is_name_in_code,
    words,
)

#: Earlier turns that are looked at, of those that were about documents or code.
TURNS = 6
#: Characters of a message that are looked at: a pasted file is no follow-up.
QUERY_CHARS = 400

#: Words with a meaning of their own up to which a follow-up says too little.
LITTLE = 3
#: Words with a meaning of their own of a question that names what it is about.
_OWN_WORDS = 2

_I = re.IGNORECASE
#: Words before what a message is about: they neither make it a follow-up nor say anything.
_OPENING = re.compile(
    r"^(?:(?:and|so|but|or|then|ok(?:ay)?|no|yes|well|oh|also|i see|thanks|thank you|great|actually|right|y|e|o|pero|"
    r"entonces|vale|bueno|ok|s[ií]|gracias|perfecto|ahora)\b[\s,.!;:]*)+(?:for \w+[.!]\s*)?",
    _I,
)
#: A whole question or request, by its beginning.
_WHOLE = re.compile(
    r"^(?:what|which|who|whom|whose|how|when|where|why|is|are|was|were|am|do|does|did|can|could|will|would|should|"
    r"shall|has|have|had|may|might|\w+n['’]t|tell|explain|name|list|describe|give|show|compare|write|create|"
    r"i(?:['’]m| am) \w+ing|i (?:want|need|would like|mean|meant|believe|think)|"
    r"¿?\s*(?:q(?:u[eé])?|cu[aá]l(?:es)?|qui[eé]n(?:es)?|c[oó]mo|cu[aá]ndo|d[oó]nde|(?:a|de|en|con|para|por) (?:qu[eé]|"
    r"qui[eé]n|d[oó]nde)|cu[aá]nt[oa]s?|es|son|est[aá]n?|hay|fue|fueron|tiene|tienen|puedo|puede|se puede|existe|"
    r"explica|dime|describe|compara|escribe|crea)\b)",
    _I,
)
_ABOUT = re.compile(
    r"^(?:(?:what|how) about|¿?\s*qu[eé] (?:tal|hay de)|¿?\s*y (?:el|la|los|las)?)\b"
    r"(?! ?(?:qu[eé]|qui[eé]n|c[oó]mo|cu[aá]n|d[oó]nde|cu[aá]l|por qu[eé]|para qu[eé]))",
    _I,
)
#: What stands before the thing that a message turns to.
_TURNS_TO = re.compile(r"^(?:(?:what|how) about|qu[eé] (?:tal|hay de))\b\s*", _I)
#: Words that relate what follows them to the rest of a sentence, folded, by how they are written alone.
_RELATING = {
    **{one: one for one in ("in", "on", "at", "for", "to", "from", "with", "without", "of", "during")},
    **{one: one for one in ("en", "con", "para", "por", "sin", "de", "a")},
    "del": "de",
    "al": "a",
}
#: "it" that points at nothing: "is it possible to ...".
_EXPLETIVE = re.compile(
    r"\b(?:(?:is|was|isn['’]t|be|makes?|find|would) it|it(?:['’]s| is| was| would be)?) (?=(?:\w+ )?(?:possible|true|"
    r"better|best|necessary|important|safer?|free|ok(?:ay)?|good|bad|worth|advisable|normal|legal|common|hard|easy|"
    r"easier|difficult|wise|useful|required|allowed|recommended|that)\b)"
    r"|\bdoes it (?:makes?|takes?)\b",
    _I,
)
#: Where one clause ends and a word may stand for something named before.
_BOUNDARY = re.compile(r"[,;:.?!]|\b(?:and|but|if|when|because|since|so|or|y|pero|si|cuando|porque|o)\b", _I)
_POSSESSIVE = frozenset({"its", "their", "his", "her", "itself", "themselves"})
#: Asks what something is, as of something not yet talked about.
_DEFINES = re.compile(
    r"^(?:(?:what|who)(?:['’]s| is| are| was| were)|(?:what do you mean by)"
    r"|¿?\s*(?:q(?:u[eé])?|qui[eé]n) (?:es|son|fue)|¿?\s*para qu[eé] (?:es|son|sirven?)) (?!the\b|(?:el|l[ao]s?)\b)",
    _I,
)
#: Points at what somebody has said; "that" joins sentences too, so only where it stands for something.
_POINTER = re.compile(
    r"\b(?:it|its|they|them|their|theirs|he|him|his|she|her|hers|these|those|this|ones|itself|themselves|"
    r"ell[oa]s?|él|esto|eso|aquello|ést[ae]s?|és[ae]s?|est[ae]s?|es[aeo]s?|aquell[oa]s?|dich[oa]s?)\b"
    r"|\bthat\b(?=\W*$| (?:one|is|was|does|did|mean|means|work|works|calculated)\b)"
    r"|\b(?:about|of|on|to|for|with|like|explain|is|does|did|was|do) that\b(?! \w+ \w+ \w+)"
    r"|\b(?:the|an?) (?:other|same|first|second|third|last|former|latter|previous|above)"
    r"(?: one| option| item| point)?\W*$"
    r"|\b(?:l[oa]s?|el) (?:otr[oa]s?|mism[oa]s?|primer[oa]?s?|segund[oa]s?|tercer[oa]?s?|[uú]ltim[oa]s?|"
    r"anterior(?:es)?)\W*$"
    r"|\bback then\b|\bin that case\b|\ben ese caso\b",
    _I,
)


class Dependence(IntEnum):
    """How much a message needs the conversation."""

    STANDALONE = 0
    """It can be told, and searched for, as it is; also where it goes on about a topic."""
    TOPICAL = 1
    """It cannot be told without the conversation, and yet says enough to be searched for as it is."""
    INCOMPLETE = 2
    """It points at something said before, or says too little to be searched for."""


def earlier(conversation: Conversation) -> tuple[TurnRecord, ...]:
    """The turns that a message may refer to, oldest first: the last ones about documents or code."""
    return tuple(turn for turn in conversation.recent if turn.type.searches)[-TURNS:]


def goes_on(query: str) -> bool:
    """Whether it opens as what goes on from something does: "and the storage?", "what about October?"."""
    asked = query.strip()[:QUERY_CHARS].lstrip("¿ ")
    return (_OPENING.sub("", asked) != asked or _ABOUT.search(asked) is not None) and len(words(asked)) <= 2 * FEW_WORDS


def _core(query: str) -> str:
    """A message without what it opens with."""
    return _OPENING.sub("", query.strip()[:QUERY_CHARS].lstrip("¿ "))


def without_opening(query: str) -> str:
    """A message without what it opens with, nor "what about"."""
    return _TURNS_TO.sub("", _core(query))


def fragment_of(query: str) -> str:
    """The piece of a sentence that asks the question before anew: "in June" of "and what about in June?".

    Empty where it is a whole question, does not go on, or names nothing itself.
    """
    core = without_opening(query)
    part = goes_on(query) and not _WHOLE.search(core) and not points(core)
    return core if part and any(content(core)) else ""


def relating(word: str) -> str:
    """`word` where it is a preposition, without its article; else empty."""
    return _RELATING.get(folded(word), "")


def _is_part(fragment: str) -> bool:
    """Whether a fragment is a part of another sentence by its form: behind a preposition, or whose something is."""
    said = words(fragment)
    return bool(said) and (relating(said[0]) != "" or said[-1].endswith(("'s", "’s")))


def dependence_of(query: str, conversation: Conversation) -> Dependence:
    """Whether `query` needs the conversation, by its words in English or Spanish; a first question stands alone."""
    if not earlier(conversation):
        return Dependence.STANDALONE
    asked = query.strip()[:QUERY_CHARS]
    core = _OPENING.sub("", asked).strip() or asked
    incomplete = _is_incomplete(core) or _is_part(fragment_of(query))
    return Dependence.INCOMPLETE if incomplete else Dependence.STANDALONE


def lacks_nothing(query: str) -> bool:
    """Whether a question names by itself what it is about, whatever it was searched for with."""
    core = _core(query)
    return len(list(content(core))) >= _OWN_WORDS and not points(core)


def may_stand(query: str) -> bool:
    """Whether a message may be a question of its own: it is whole, and opens as none that goes on from something.

    "How much is it?" is not, for all that it is whole, nor "how does it differ from the other?".
    """
    asked = query.strip()[:QUERY_CHARS].lstrip("¿ ")
    if _WHOLE.search(asked) is None or _OPENING.search(asked) is not None or may_point(query) or differs(query):
        return False
    own = len(list(content(asked)))
    return own >= _OWN_WORDS or (own > 0 and not asks_for_a_number(asked))


def names_its_subject(query: str, conversation: Conversation) -> bool:
    """Whether a whole question names what it is about as a name is written, or wants something defined that is new."""
    core = _core(query)
    if points(core) or not any(content(core)):
        return False
    if any(_is_name(word, place) for place, word in enumerate(words(core))):
        return _WHOLE.search(core) is not None
    said = frozenset[str]().union(*(content_stems(f"{turn.query} {turn.answer}") for turn in earlier(conversation)))
    return _DEFINES.search(core) is not None and not content_stems(core) & said


def says_little(query: str) -> bool:
    """Whether a follow-up has too few words with a meaning of their own to be searched for."""
    return len(list(content(query))) <= LITTLE


def turns_to_a_name(query: str) -> bool:
    """Whether it turns to something that it names, as "what about" does: a topic of its own."""
    core = query.strip()[:QUERY_CHARS]
    named = (is_name_in_code(word) or _is_name(word, place) for place, word in enumerate(words(core)))
    return _ABOUT.search(core) is not None and not _is_part(fragment_of(query)) and any(named)


def _is_incomplete(core: str) -> bool:
    """Whether it points at something it does not name, or is too little to be searched for."""
    if points(core):
        return True
    about, written = list(content(core)), words(core)
    if len(about) > 1 or (about and (_ABOUT.search(core) or _DEFINES.search(core))):
        return False
    if len(written) > FEW_WORDS and not _WHOLE.search(core):
        return not about
    return not any(_is_name(word, place) for place, word in enumerate(written))


def points(core: str) -> bool:
    """Whether a word points at something that is not named before it: in a clause before, or for "its" in its own."""
    text = _EXPLETIVE.sub(" ", core)
    for found in _POINTER.finditer(text):
        before = text[: found.start()]
        if found[0].lower() not in _POSSESSIVE:
            ends = [end.start() for end in _BOUNDARY.finditer(before)]
            before = before[: ends[-1]] if ends else ""
        if not any(content(before)):
            return True
    return False


def may_point(query: str) -> bool:
    """Whether a word of it may point at something said before, also where `points` takes it for an expletive."""
    return _POINTER.search(query) is not None


def _is_name(word: str, place: int) -> bool:
    """Whether `word` names something by how it is written: in capitals, as in code, or capital within the sentence."""
    inside = "_" in word or any(letter.isupper() for letter in word[1:])
    return not is_common(word) and (inside or (place > 0 and word[0].isupper()))
