"""What an ordinal of a message means: "and the third?", "how much is the second one?", "¿cuándo es la última?".

It means an item of the list, or a row of the table, that an answer told last, or one of several names in code that were
asked for or that the parts of an answer begin with. An ordinal before a noun of its own ("the second largest plan",
"the last number") means nothing that was told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from classifier.references.resolve import FEW_WORDS
from engine.conversation.followup.dependence import QUERY_CHARS, earlier, without_opening
from engine.conversation.followup.history_recall import IN_ORDER, place_in
from engine.conversation.store.port import Conversation, TurnRecord
from engine.domain import Part, Recall
from engine.text.formats import items
from engine.text.questions.comparisons import compared
from engine.text.sentences import row_name
from engine.text.words import content, folded, is_common, is_name_in_code, words

_I = re.IGNORECASE
_ENGLISH = "|".join((*IN_ORDER, "last"))
_SPANISH = "(?:primer|segund|tercer|cuart|quint|sext|s[eé]ptim|octav|noven|d[eé]cim|[uú]ltim)[oa]"
#: A noun that every item of a list has.
_ITEMS = "one|item|option|point|step|entry|elemento|opci[oó]n|punto|paso"
#: An ordinal with its article; what stands behind it says whether it has a noun of its own.
_ORDINAL = re.compile(
    rf"(?:\bthe (?:{_ENGLISH}|\d{{1,2}}(?:st|nd|rd|th))|(?:\b(?:el|la|lo)|(?<=\bde)l|(?<=\ba)l) {_SPANISH})\b"
    rf"(?P<item> (?:{_ITEMS})\b)?",
    _I,
)
#: What makes the ordinal's noun of what follows it, folded.
_GOVERNS = frozenset({"of", "to", "that", "who", "de", "del", "que"})
#: Nouns among the common words, folded: an ordinal before one of them is its own.
_NOUNS = re.compile(
    r"(?:numbers?|times?|days?|weeks?|months?|years?|names?|parts?|people|persons?|places?|lines?|words?|ways?|kinds?|types?"
    r"|cases?|questions?|answers?|reasons?|things?|numeros?|ve(?:z|ces)|dias?|anos?|partes?|personas?|lugar(?:es)?|lineas?"
    r"|palabras?|formas?|maneras?|tipos?|casos?|preguntas?|respuestas?|razon(?:es)?|cosas?)"
)
#: The rows of a table but for its heads, and rows that are told in words: "Lantern — Seats: 8; Screen: yes".
_ROWS = re.compile(r"^\|(?!\s*:?-{2})\s*([^|\n]+?)\s*\|", re.MULTILINE)
_TOLD_ROWS = re.compile(r"(?:^|(?<=\] ))(?:[^\n\[\]—]{1,80}: )?([^\n\[\]—:]{1,60}) — [^\n\[\]—:]{1,60}: ", re.MULTILINE)
#: Asks what something is, before it is named.
_WHICH = re.compile(r"\W*(?:what|which|cu[aá]l|qu[eé])(?:['’]s| (?:is|was|were|es|era|fue))\s*", _I)
#: A name that a part of an answer begins with: "addVar: ... [1] addParam(param, variable): ...".
_HEAD = re.compile(r"(?:^|(?<=\] ))`?([^\W\d]\w*)`?(?:\([^()\n]*\)[^:\n]{0,40})?: ", re.MULTILINE)
_CODE = re.compile(r"```.*?```", re.DOTALL)
#: The marks of the passages behind a sentence.
_MARKS = re.compile(r"\s*\[\d{1,6}\]")


@dataclass(frozen=True, slots=True)
class Item:
    """One of the things that were said.

    Attributes:
        text: As it was said: an item of a list, the first cell of a row, or a name.
        alone: It says by itself what it is about, as a name does; an item of a list needs the list's topic.
        sequence: Of the turn that said it.
        query: The message with it, or what it is called, in place of the ordinal; empty where the ordinal is all that
            the message names.
        recall: What is to be said again where the message asks for no more than what the item is; else None.
    """

    text: str
    alone: bool
    sequence: int
    query: str = ""
    recall: Recall | None = None


def item_meant(query: str, conversation: Conversation) -> Item | None:
    """What an ordinal of `query` means, of the latest turn that told several things; None where it means none of them.

    Args:
        query: The message, such as "tell me more about the second".
        conversation: The turns before it.
    """
    query = query.strip()[:QUERY_CHARS]
    found = _pronoun_in(query)
    brief = len(words(query)) <= FEW_WORDS and len(list(content(query))) <= 1
    place = place_in(query if found is None else found[0])
    if not place or (found is None and (not brief or _has_a_noun(query))):
        return None
    for age, turn in enumerate(reversed(earlier(conversation))):
        named = () if age else tuple((names, True) for names in _names_of(turn))
        for things, alone in ((listed(turn.answer), False), *named):
            if len(things) > 1:
                at = place - 1 if place > 0 else place
                if not -len(things) <= at < len(things):
                    return None
                text = _MARKS.sub("", things[at]).rstrip(". ")
                if found is None:
                    return Item(text, alone, turn.sequence)
                again = not alone and bool(items(turn.answer)) and _asks_which(query, found)
                recall = Recall(Part.ITEM, place) if again else None
                return Item(text, alone, turn.sequence, _with(row_name(text) or text, query, found), recall)
    return None


def listed(answer: str) -> list[str]:
    """The things that an answer has one below the other: items of a list, rows of a table or rows told in words."""
    return items(answer) or _ROWS.findall(answer)[1:] or told_rows(answer)


def told_rows(answer: str) -> list[str]:
    """The names of the rows that an answer has told in words, such as "Lantern" of "Lantern — Seats: 8"."""
    found: list[str] = _TOLD_ROWS.findall(answer)
    return found


def names_an_item(query: str) -> bool:
    """Whether a message asks for a thing by its place among those that were told: "when was the second one built?"."""
    return _pronoun_in(query) is not None


def _pronoun_in(query: str) -> re.Match[str] | None:
    """The ordinal of a message that stands for a thing by itself."""
    return next((found for found in _ORDINAL.finditer(query) if _stands_alone(query, found)), None)


def _has_a_noun(query: str) -> bool:
    """Whether an ordinal of a message has one of the common nouns behind it: "and the first time?"."""
    return any(_NOUNS.fullmatch(_behind(query, found)) is not None for found in _ORDINAL.finditer(query))


def _stands_alone(query: str, found: re.Match[str]) -> bool:
    word = _behind(query, found)
    if found["item"] or not word:
        return True
    return is_common(word) and word not in _GOVERNS and _NOUNS.fullmatch(word) is None


def _behind(query: str, found: re.Match[str]) -> str:
    """The word behind an ordinal, folded; empty where none follows."""
    word = re.match(r" (\w+)", query[found.end() :])
    return "" if word is None else folded(word[1])


def _asks_which(query: str, found: re.Match[str]) -> bool:
    """Whether a message asks for nothing but what an ordinal means: "which was the third one?"."""
    before, behind = without_opening(query[: found.start()]), words(query[found.end() :])
    return _WHICH.fullmatch(before) is not None and not behind


def _with(text: str, query: str, found: re.Match[str]) -> str:
    """The message with what an ordinal means in its place; empty where that ordinal is all that it says."""
    before, behind = query[: found.start()].rstrip(), query[found.end() :]
    says_more = len(words(without_opening(f"{before}{behind}"))) > 1
    gap = "" if before.endswith(("¿", "¡")) else " "
    return f"{before}{gap}{text}{behind}".strip() if says_more else ""


def _names_of(turn: TurnRecord) -> Iterator[list[str]]:
    """What a turn compared, the names in code of its question, and those of its answer."""
    sides = compared(turn.query)
    yield list(sides.sides) if sides is not None else []
    yield _names(words(turn.query))
    yield _names_told(turn.answer)


def _names_told(answer: str) -> list[str]:
    """The names in code that the parts of an answer begin with; where none does, those of its sentences."""
    return _names(_HEAD.findall(answer)) or _names(words(_CODE.sub(" ", answer)))


def _names(said: Iterable[str]) -> list[str]:
    """Those of some words that are written as only names in code are, each once."""
    return list(dict.fromkeys(word for word in said if is_name_in_code(word)))
