"""What of the conversation a message asks to hear again, and the stored turns that hold it.

"What was my first question?", "¿qué me dijiste sobre addVar?", "the third item of your list". What a message names is
looked for among all turns of its session, by place or by words; what is not there is not remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from classifier.decision import QueryType
from engine.conversation.followup.dependence import QUERY_CHARS
from engine.conversation.store.port import TurnRecord
from engine.domain import Outcome, Part, Recall, Relation
from engine.text.formats import items
from engine.text.words import content, folded, stem

_I = re.IGNORECASE
#: Questions that are told again at most, the last ones.
MANY = 20

_SAID = (
    r"(?:ask(?:ed|ing)?|say|said|saying|tell|told|talk(?:ed|ing)?|mention(?:ed)?|answer(?:ed)?|discuss(?:ed|ing)?|"
    r"cover(?:ed)?|explain(?:ed)?|repl(?:y|ied)|recommend(?:ed)?|suggest(?:ed)?)"
)
_ASKED = r"(?:question|message|query|prompt)s?"
_ANSWERED = r"(?:answer|reply|replies|response|explanation|recommendation|suggestion)s?"
_PLACE = (
    r"(?:very |most )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d{1,3}(?:st|nd|rd|th)|last|"
    r"latest|recent|previous|earlier|original|initial|penultimate|(?:second|next) to last)"
)
_LUGAR = (
    r"(?:primer[oa]?s?|segund[oa]s?|tercer[oa]?s?|cuart[oa]|quint[oa]|sext[oa]|s[eé]ptim[oa]|octav[oa]|noven[oa]|"
    r"d[eé]cim[oa]|[uú]ltim[oa]s?|anterior(?:es)?|pen[uú]ltim[oa]|inicial)"
)
_YO = r"(?:pregunt[eé]|preguntaba|dije|coment[eé]|ped[ií]|(?:he|hab[ií]a) (?:preguntado|dicho|comentado|pedido))"
_TU = (
    r"(?:dijiste|comentaste|mencionaste|respondiste|contestaste|explicaste|contaste|recomendaste|"
    r"(?:has|hab[ií]as) (?:dicho|mencionado|explicado|respondido|contestado|comentado|contado))"
)
_NOS = (
    r"(?:hablamos|habl[aá]bamos|tratamos|discutimos|comentamos|"
    r"(?:hemos|hab[ií]amos) (?:hablado|tratado|visto|comentado)|est[aá]bamos hablando)"
)
#: "based on what you told me" uses what was said instead of asking for it.
_NOT_BASED = r"(?<!on )(?<!to )(?<!from )(?<!given )(?<!using )(?<!with )(?<!seg[uú]n )(?<!con )(?<!en )(?<!de )"

#: In the order in which they are tried. What follows a match says what it was about.
_RULES: tuple[tuple[Part, re.Pattern[str]], ...] = (
    (
        Part.ITEM,
        re.compile(
            rf"\b(?:{_PLACE} (?:item|point|step|bullet|entry|element|option|thing|one)|"
            r"(?:item|point|step|bullet|option) (?:number )?#?\d{1,3})\b"
            rf".{{0,12}}\b(?:(?:of|in|on|from) (?:your|that|the|this) (?:\w+ )?"
            rf"(?:list|answer|reply|response|steps|points)|you {_SAID}|you (?:gave|listed))\b"
            rf"|\b(?:{_LUGAR} (?:elemento|punto|[ií]tem|paso|opci[oó]n|cosa|entrada)|"
            r"(?:elemento|punto|paso|opci[oó]n|[ií]tem) (?:n[uú]mero )?\d{1,3})\b"
            rf".{{0,12}}\b(?:(?:de|en) (?:tu|esa|la|esta|tus) (?:lista|listado|respuesta|pasos|puntos)"
            rf"|que (?:me )?{_TU})",
            _I,
        ),
    ),
    (
        Part.QUESTION,
        re.compile(
            rf"\b(?:what|which(?: \w+)?) (?:did|have|had) i (?:\w+ ){{0,2}}?{_SAID}\b"
            rf"|\bwhat (?:was|were) (?:the )?(?:my|our) (?:{_PLACE} )?{_ASKED}\b"
            rf"|\bwhat(?:['’]s| is) my {_PLACE} {_ASKED}\b"
            rf"|\b(?:the )?{_PLACE} (?:thing|{_ASKED})(?: that)? (?:did )?i (?:\w+ )?{_SAID}\b"
            rf"|\b(?:repeat|remind me of|(?:do|can|did) you (?:still )?remember) my (?:{_PLACE} )?{_ASKED}\b"
            rf"|\b(?:remember|remind me) (?:of )?what i (?:\w+ )?{_SAID}\b"
            rf"|{_NOT_BASED}\bwhat i (?:\w+ )?asked\b"
            rf"|\b(?:qu[eé]|cu[aá]l(?:es)?)\b(?: \w+){{0,4}} (?:te |os )?(?:{_YO.replace('pregunt[eé]', 'pregunté')})\b"
            rf"|\bqu[eé] (?:fue lo (?:{_LUGAR} )?que )?(?:te|os) {_YO}\b"
            rf"|\bcu[aá]l(?:es)? (?:fue|era|fueron|eran|es) mis? (?:{_LUGAR} )?(?:pregunta|consulta|mensaje)s?\b"
            rf"|\bmis? {_LUGAR} (?:pregunta|consulta|mensaje)s?\b"
            rf"|\b(?:{_LUGAR} (?:cosa|pregunta)|lo {_LUGAR}) que (?:te )?{_YO}\b"
            rf"|\b(?:repite|rep[ií]teme|recu[eé]rdame) (?:lo que (?:te )?{_YO}|mi (?:{_LUGAR} )?pregunta)\b",
            _I,
        ),
    ),
    (
        Part.ANSWER,
        re.compile(
            rf"\b(?:what|which(?: \w+)?|how) (?:did|have|had) you (?:\w+ ){{0,2}}?{_SAID}\b"
            rf"|\bwhat (?:was|were) your (?:{_PLACE} )?{_ANSWERED}\b"
            rf"|\b(?:repeat|remind me of|(?:do|can|did) you (?:still )?remember) your (?:{_PLACE} )?{_ANSWERED}\b"
            rf"|\b(?:the )?{_PLACE} thing(?: that)? you (?:\w+ )?{_SAID}\b"
            rf"|{_NOT_BASED}\bwhat you(?:['’]ve| have| had| just| already)? {_SAID}\b"
            rf"|(?<!lo )\b(?:qu[eé]|cu[aá]l(?:es)?)\b(?: \w+){{0,4}} {_TU}\b"
            rf"|\bcu[aá]l(?:es)? (?:fue|era|fueron|eran) tus? (?:{_LUGAR} )?(?:respuesta|explicaci[oó]n)(?:e?s)?\b"
            rf"|{_NOT_BASED}\blo que (?:me |nos )?{_TU}\b"
            rf"|\b{_LUGAR} (?:cosa|respuesta) que (?:me )?{_TU}\b",
            _I,
        ),
    ),
    (
        Part.TOPICS,
        re.compile(
            rf"\b(?:what|which(?: \w+)?) (?:did|have|had|were|are) we (?:\w+ ){{0,2}}?{_SAID}\b"
            rf"|\b(?:do|can|did|don['’]t) you (?:still )?remember (?:what|when|our|the conversation|anything)\b"
            rf"|^\W*remember (?:what|when|our)\b"
            rf"|\b(?:summari[sz]e|recap|sum up) (?:our|this|the) (?:whole )?(?:conversation|chat|discussion|session)\b"
            rf"|\bqu[eé]\b(?: \w+){{0,3}} {_NOS}\b|\bde qu[eé] (?:\w+ )?{_NOS}\b|\b(?:de )?lo que {_NOS}\b"
            rf"|\b(?:te acuerdas|recuerdas|recordás)\b"
            rf"|\bres[uú]m\w+ (?:nuestra|la|esta) (?:conversaci[oó]n|charla|sesi[oó]n)\b",
            _I,
        ),
    ),
)
#: Asks for more than what was said, about one item of it.
_MORE = re.compile(
    r"\b(more|elaborate|expand|explain|detail|how|why|m[aá]s|profundi\w+|ampl[ií]\w+|expl[ií]c\w+|c[oó]mo|"
    r"por qu[eé])\b",
    _I,
)
_ABOUT_FIRST = re.compile(r"\b(?:about|on|regarding|concerning|sobre|acerca de|respecto a)\b", _I)
_IN_ORDER = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_EN_ORDEN = ("primer", "segund", "tercer", "cuart", "quint", "sext", "septim", "octav", "noven", "decim")
_PLACES = {
    **{word: place for place, word in enumerate(_IN_ORDER, 1)},
    **dict.fromkeys(("original", "initial", "inicial", "beginning", "start", "principio", "comienzo", "inicio"), 1),
    **dict.fromkeys(("last", "latest", "recent", "previous", "ultimo", "ultima", "anterior", "just", "recien"), -1),
    **dict.fromkeys(("penultimate", "penultimo", "penultima"), -2),
}
#: Words about when something was said, not about what.
_WHEN = frozenset(
    re.findall(
        r"\w+",
        """
        far earlier previously conversation chat session discussion beginning start exactly again remember remind
        anteriormente principio comienzo inicio conversacion charla sesion momento exactamente recuerdas acuerdas
        item items list element option entry bullet elemento lista punto paso opcion
        message query prompt consulta mensaje reply response explanation
        talked discussed mentioned covered explained answered recommended suggested
        hablamos hablabamos hablado hablando tratamos tratado discutimos comentamos comentado visto dijiste dicho dije
        ahora pregunte preguntado preguntaba mencionaste explicaste
        """,
    )
)
#: Begins a question, or ends one: what a courtesy does not.
_QUESTION = re.compile(
    r"\?|^\W*(?:what|which|who|how|when|where|why|is|are|do|does|did|can|could|qu[eé]|cu[aá]l|qui[eé]n|c[oó]mo|cu[aá]ndo|"
    r"d[oó]nde|por qu[eé])\b",
    _I,
)


def recall_in(message: str) -> Recall | None:
    """What `message` asks to hear again, in English or Spanish; None when it asks for something else."""
    message = message[:QUERY_CHARS]
    for part, pattern in _RULES:
        found = pattern.search(message)
        if found is None:
            continue
        if part is Part.ITEM and _MORE.search(message):
            return None
        about_at = _ABOUT_FIRST.search(message, found.end() - len(found[0]))
        place = place_in(message[: about_at.start()] if about_at else message)
        about = () if part is Part.ITEM else _about(message[found.end() :])
        return Recall(_meant(part, message, about), place, about)
    return None


def find(recall: Recall, turns: Sequence[TurnRecord]) -> tuple[TurnRecord, ...]:
    """The turns that hold what is asked for, oldest first; none when nothing of it was said.

    Args:
        recall: What is asked for.
        turns: All turns of the session, oldest first.
    """
    if recall.part is Part.ITEM:
        return _with_item(recall.place or 1, turns)
    said = [turn for turn in turns if is_question(turn)] or list(turns)
    if recall.part is not Part.QUESTION:
        said = [turn for turn in said if turn.answer and turn.outcome is not Outcome.FAILED]
    if recall.about:
        said = _about_it(recall, said)
    if recall.place:
        at = recall.place - 1 if recall.place > 0 else recall.place
        return tuple(said[at : at + 1 or None])
    if recall.part is Part.ANSWER or recall.about:
        return tuple(said[-1:])
    return tuple(said[-MANY:])


def is_question(turn: TurnRecord) -> bool:
    """Whether a turn is more than a courtesy or a request to rework an answer."""
    return turn.type is not QueryType.CONVERSATIONAL or bool(
        turn.relation is Relation.HISTORY_RECALL or _QUESTION.search(turn.query)
    )


def _meant(part: Part, message: str, about: tuple[str, ...]) -> Part:
    """What "do you remember" is about: what the rest of the message names."""
    answered = about or re.search(rf"\b(?:what|that) you (?:\w+ )?{_SAID}|{_TU}", message, _I)
    return Part.ANSWER if part is Part.TOPICS and answered else part


def place_in(text: str) -> int:
    """The place that a message names; 0 when it names none."""
    if re.search(r"\b(?:second|next) to last\b", text, _I):
        return -2
    places = (_place_of(folded(word)) for word in re.findall(r"[^\W_]+", text))
    return next((place for place in places if place), 0)


def _place_of(word: str) -> int:
    number = re.fullmatch(r"(\d{1,3})(?:st|nd|rd|th)?", word)
    if number:
        return int(number[1])
    if word in _PLACES:
        return _PLACES[word]
    return next((place for place, root in enumerate(_EN_ORDEN, 1) if re.fullmatch(rf"{root}[oa]?s?", word)), 0)


def _about(rest: str) -> tuple[str, ...]:
    return tuple(word for word in content(rest) if folded(word) not in _WHEN)


def _about_it(recall: Recall, turns: Sequence[TurnRecord]) -> list[TurnRecord]:
    """The turns that say most of the words, in the question before the answer; at least half of them."""
    wanted = {stem(word) for word in recall.about}
    weighed = []
    for turn in turns:
        asked = {stem(word) for word in content(turn.query)} & wanted
        told = {stem(word) for word in content(turn.answer)} & wanted
        if turn.relation is not Relation.HISTORY_RECALL and 2 * len(asked | told) >= len(wanted):
            weighed.append((len(asked | told) + len(asked), turn))
    best = max((weight for weight, _ in weighed), default=0)
    return [turn for weight, turn in weighed if weight == best]


def _with_item(place: int, turns: Sequence[TurnRecord]) -> tuple[TurnRecord, ...]:
    """The latest turn whose answer has a list with that item."""
    listed = (turn for turn in reversed(turns) if len(items(turn.answer)) >= abs(place))
    return tuple(turn for turn in (next(listed, None),) if turn is not None)
