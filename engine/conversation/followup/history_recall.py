"""What of the conversation a message asks to hear again, and the stored turns that hold it.

"What was my first question?", "¿qué me dijiste sobre addVar?", "the third item of your list". What a message names is
looked for among all turns of its session, by place or by words; what is not there is not remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from classifier.decision import QueryType
from engine.conversation.followup.dependence import QUERY_CHARS
from engine.conversation.store.port import Said, TurnRecord
from engine.domain import Outcome, Part, Recall, Relation
from engine.text.formats import items, last_counted, summary_wished
from engine.text.words import content, content_stems, folded, plain_words, stem

_I = re.IGNORECASE
#: Questions that are told again at most, the last ones.
MANY = 20

_ASKED = r"(?:question|message|query|prompt|pregunta|consulta|mensaje)s?"
#: Asks back in so many words, whatever it is about.
_ASKS_BACK = re.compile(
    r"(?<!\blo )\b(?:what|which|how|when|qu[eé]|cu[aá]l(?:es)?)\b[\w ]{0,20}?\b(?:(?:did|have|had) (?:you|i|we)\b"
    r"|(?:me|nos) (?:\w{3,}ste|has \w+[dh]o)\b|te (?:\w{3,}[eé]|he \w+do)\b)"
    r"|\b(?:our|nuestra) (?:conversa|cha)\w+|\bte acuerdas\b"
    rf"|\b(?:was|were|is|fue|era|fueron) (?:my|mis?) (?:\w+ ){{0,3}}?{_ASKED}\b",
    _I,
)
_ANSWER = re.compile(r"\b(?:answers?|repl(?:y|ies)|responses?|respuestas?)\b", _I)
#: Uses what was said instead of asking for it.
_USES = re.compile(r"\b(?:on|to|from|given|using|with) what (?:you|we|i)\b|\b(?:seg[uú]n|con|en base a) lo que\b", _I)
#: Who said it, by the persons of English, Spanish and Chinese.
_PERSONS: tuple[tuple[Part, re.Pattern[str]], ...] = (
    (
        Part.QUESTION,
        re.compile(
            rf"\b(?:i|dije|quise|yo)\b|\b(?:my|mis?) (?:\w+ ){{0,3}}?{_ASKED}\b|\b(?:he|hab[ií]a) \w+[dht]o\b"
            r"|\b(?!(?:all|aqu)í\b)\w{3,}[éí]\b|\bt[eú] \w{3,}e\b|我(?:們|们)?[^你]{0,8}[問问]",
            _I,
        ),
    ),
    (Part.TOPICS, re.compile(r"\b(?:we|our|\w{3,}mos|nuestr[oa]s?)\b|我們|我们|咱", _I)),
    (Part.ANSWER, re.compile(r"\b(?:you|your|tus?|has|hab[ií]as|\w{3,}ste)\b|你|您", _I)),
)
#: What is asked for begins behind it.
_WHAT = re.compile(r"\b(?:what|which|when|how|qu[eé]|cu[aá]l)\b", _I)
#: Politeness, in which a person is named that nothing is asked about.
_ASKING = re.compile(r"\b(?:do|can|could|would|will) you\b|你(?:還|还)?(?:記得|记得|能|可以)", _I)
#: What a list is made of.
_ITEM = re.compile(
    r"\b(?:items?|points?|steps?|bullets?|entry|elements?|options?|elementos?|puntos?|pasos?|[ií]tems?|opci[oó]n|entrada)\b"
    r"|[项項點点步]",
    _I,
)
#: Asks for more than what was said, about one item of it.
_MORE = re.compile(
    r"\b(more|elaborate|expand|explain|detail|how|why|m[aá]s|profundi\w+|ampl[ií]\w+|expl[ií]c\w+|c[oó]mo|"
    r"por qu[eé])\b",
    _I,
)
#: What is behind it is the subject; an ordinal there is none of the conversation.
_ABOUT = re.compile(
    r"\b(?:about|on|regarding|concerning|sobre|acerca de|respecto a)\b|\b(?:del?|for|para) (?!qu[eé]\b)", _I
)
#: English ordinals; the place of each is one more than its index.
IN_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_EN_ORDEN = ("primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven", "decim")
_PLACES = {
    **{word: place for place, word in enumerate(IN_ORDER, 1)},
    **dict.fromkeys(("original", "initial", "inicial", "beginning", "start", "principio", "comienzo", "inicio"), 1),
    **dict.fromkeys(("last", "latest", "recent", "previous", "ultimo", "ultima", "anterior", "just", "recien"), -1),
    **dict.fromkeys(("penultimate", "penultimo", "penultima"), -2),
}
#: Words about when something was said, and as what, not about what.
_WHEN = frozenset(
    """
    above answer text texto far earlier previously conversation chat session discussion beginning start exactly
    message query queries prompt reply response explanation anteriormente principio comienzo inicio conversacion
    charla sesion momento exactamente consulta consultas mensaje mensajes explicacion hablado preguntado lista
    respuesta
    """.split()  # noqa: SIM905
)
#: Begins a question, or ends one: what a courtesy does not.
_QUESTION = re.compile(
    r"\?|^\W*(?:what|which|who|how|when|where|why|is|are|do|does|did|can|could|qu[eé]|cu[aá]l|qui[eé]n|c[oó]mo|cu[aá]ndo|"
    r"d[oó]nde|por qu[eé])\b",
    _I,
)


def asks_back(message: str) -> bool:
    """Whether `message` asks by its words for what was said: a head that is sure of something else knows better."""
    message = message[:QUERY_CHARS]
    listed = _ITEM.search(message) and place_in(message) and _said_by(message) is Part.ANSWER
    return bool(listed) or _ASKS_BACK.search(message) is not None


def recall_in(message: str) -> Recall | None:
    """What a message that asks for what was said asks to hear again; None where it asks for more than that."""
    message = message[:QUERY_CHARS]
    return None if _USES.search(message) else _recall_by_words(message)


def _recall_by_words(message: str) -> Recall | None:
    about_at = _ABOUT.search(message)
    asked, subject = (message[: about_at.start()], message[about_at.end() :]) if about_at else (message, "")
    place = place_in(asked) or (place_in(message) if _ITEM.search(message) else 0)
    if place and _ITEM.search(message):
        return None if _MORE.search(message) else Recall(Part.ITEM, place, _topic_beside_an_item(message))
    part = _said_by(asked) or _said_by(message) or Part.TOPICS
    if part is Part.ANSWER and (count := last_counted(message)) > 1:
        return Recall(part, -1, count=count)
    return Recall(part, place, _about(subject))


def about_what_was_said(recall: Recall | None, message: str, turns: Sequence[TurnRecord]) -> Recall | None:
    """`recall` of the answer that has the words of the message, where it names neither a subject nor a place itself.

    "What were the Saturday hours that you told me?" means the answer that told of Saturday, not the last one.
    """
    if recall is None or recall.part is not Part.ANSWER or recall.about or recall.place or recall.count != 1:
        return recall
    said = frozenset[str]().union(*(content_stems(f"{turn.query} {turn.answer}") for turn in turns))
    return replace(recall, about=tuple(word for word in _about(message[:QUERY_CHARS]) if stem(word) in said))


def recall_in_another_form(message: str) -> Recall | None:
    """What a wish for another form of what was said means, where that is not the last answer; else None.

    Such as "the last two as a list", "repeat your first answer", or "what you said of the oven in a table", which every
    answer may have told of.
    """
    message = message[:QUERY_CHARS]
    if (count := last_counted(message)) > 1:
        return Recall(Part.ANSWER, -1, count=count)
    told = _ANSWER.search(message) is not None or _said_by(message) is Part.ANSWER
    if told and (place := place_in(message)) not in (0, -1) and _ITEM.search(message) is None:
        return Recall(Part.ANSWER, place)
    asked = _recall_by_words(message)
    about = asked is not None and asked.part is Part.ANSWER and asked.about
    return replace(asked, place=0, count=0) if asked is not None and about else None


def summed_up(message: str) -> str:
    """What a message wishes to have summed up, "sick leave" of "a summary of sick leave in one sentence".

    Empty where it is a question or wishes no summary, names nothing, or means what was said.
    """
    message = _ASKING.sub(" ", message[:QUERY_CHARS]).strip("¿?. ")
    wished = summary_wished(message)
    if wished is None or _said_by(message) or _QUESTION.search(message):
        return ""
    before, behind = wished
    about = _ABOUT.search(behind or before)
    if about is None and not behind.strip():
        return ""
    return " ".join(_about((behind or before)[about.end() :] if about else behind))


def is_about(turn: TurnRecord, topic: str) -> bool:
    """Whether passages answered a question that has most of the words of `topic`, its own or carried into it."""
    wanted = content_stems(topic)
    return bool(turn.cited) and 2 * len(content_stems(f"{turn.query} {turn.search_query}") & wanted) > len(wanted)


def _said_by(text: str) -> Part | None:
    """Whose words the first person named behind the last question word, else before it, makes them; None: nobody's."""
    # The last clause says who; a person may stand before it too: "I asked you what it costs".
    for said in reversed(_WHAT.split(_ASKING.sub(" ", text))):
        persons = [(found.start(), part) for part, person in _PERSONS if (found := person.search(said))]
        if persons:
            return min(persons)[1]
    return None


def find(recall: Recall, turns: Sequence[Said], *, whole: bool = True) -> tuple[Said, ...] | None:
    """The turns that hold what is asked for, oldest first; none when nothing of it was said.

    Args:
        recall: What is asked for.
        turns: Turns of the session, oldest first.
        whole: They are all of it. If not, they are the first ones where `from_start`, else the last ones.

    Returns:
        None where others than `turns` may hold it.
    """
    if recall.about and not whole:
        return None  # whichever says most of it
    if recall.part is Part.ITEM:
        return _with_item(recall, turns) or (() if whole else None)
    said = _told(recall, [turn for turn in turns if is_question(turn)] or (turns if whole else ()))
    if recall.about:
        said = _about_it(recall, said)
    most = 1 if recall.part is Part.ANSWER or recall.about else MANY
    needed = abs(recall.place) or most if recall.count == 1 else recall.count or MANY
    if len(said) < needed and not whole:
        return None
    if recall.count == 1 and recall.place:
        at = recall.place - 1 if recall.place > 0 else recall.place
        return tuple(said[at : at + 1 or None])
    return tuple(said[-needed:])


def from_start(recall: Recall) -> bool:
    """Whether what is asked for is counted from the first turn on, such as the second question."""
    return recall.place > 0 and recall.count == 1 and recall.part is not Part.ITEM


def _told(recall: Recall, turns: Sequence[Said]) -> Sequence[Said]:
    """Those of the turns that hold what is asked for: an answer, or of several wished for one that told something."""
    if recall.part is not Part.QUESTION:
        turns = [turn for turn in turns if turn.answer and turn.outcome is not Outcome.FAILED]
    if recall.count != 1:  # what searched and cites nothing has told nothing
        told = [turn for turn in turns if turn.cites or not turn.type.searches]
        turns = [turn for turn in told if turn.relation is not Relation.HISTORY_RECALL]
    return turns


def is_question(turn: Said) -> bool:
    """Whether a turn is more than a courtesy or a request to rework an answer."""
    return turn.type is not QueryType.CONVERSATIONAL or bool(
        turn.relation is Relation.HISTORY_RECALL or _QUESTION.search(turn.query)
    )


def place_in(text: str) -> int:
    """The place that a message names; 0 when it names none."""
    if re.search(r"\b(?:second|next) to last\b", text, _I):
        return -2
    places = (_place_of(folded(word)) for word in plain_words(text))
    return next((place for place in places if place), 0)


def _place_of(word: str) -> int:
    number = re.fullmatch(r"(\d{1,3})(?:st|nd|rd|th)?", word)
    if number:
        return int(number[1])
    if word in _PLACES:
        return _PLACES[word]
    return next((place for place, root in enumerate(_EN_ORDEN, 1) if re.fullmatch(rf"{root}[oa]?s?", word)), 0)


def _about(subject: str) -> tuple[str, ...]:
    """The words of a subject that say what it is, not when it was talked of."""
    return tuple(
        word
        for word in content(subject)
        if folded(word) not in _WHEN and not any(person.search(word) for _, person in _PERSONS)
    )


def _topic_beside_an_item(message: str) -> tuple[str, ...]:
    """The words of a message about an item of a list that may say what the list is about."""
    return tuple(word for word in _about(message) if not (_ITEM.fullmatch(word) or _place_of(folded(word))))


def _about_it(recall: Recall, turns: Sequence[Said]) -> list[Said]:
    """The turns that say most of the words, in the question before the answer; at least half of them.

    Where every answer is asked for, all that say half of them.
    """
    wanted = {stem(word) for word in recall.about}
    weighed = []
    for turn in (one for one in turns if one.relation is not Relation.HISTORY_RECALL):
        asked, told = _words_said(turn, wanted)
        if 2 * len(asked | told) >= len(wanted):
            weighed.append((_weight(asked, told), turn))
    best = max((weight for weight, _ in weighed), default=0)
    return [turn for weight, turn in weighed if weight == best or not recall.count]


def _with_item(recall: Recall, turns: Sequence[Said]) -> tuple[Said, ...]:
    """The turn whose answer has a list with that item: of those that say most of what it was about the latest."""
    wanted, place = {stem(word) for word in recall.about}, abs(recall.place or 1)
    listed = [turn for turn in turns if len(items(turn.answer)) >= place]
    return tuple(sorted(listed, key=lambda turn: (_weight(*_words_said(turn, wanted)), turn.sequence))[-1:])


def _words_said(turn: Said, wanted: set[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Those of the words that a turn's question says, and those that its answer does."""
    return content_stems(turn.query) & wanted, content_stems(turn.answer) & wanted


def _weight(asked: frozenset[str], told: frozenset[str]) -> int:
    """How much a turn tells of something: words of its question count more than those of its answer."""
    return len(asked | told) + len(asked)
