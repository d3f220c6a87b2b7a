"""Questions that a document asks and answers itself, as in an FAQ, and records whose number stands in a field.

What a reader asks in the words of such a heading is answered by what stands below it, whatever else is alike: prices,
other sections, the same words in another place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.domain import Evidence
from engine.generation.extractive.candidates import Candidate, candidates, says_a_date
from engine.text.dates import months, weekdays_named
from engine.text.sentences import row_name
from engine.text.words import asks_for_a_number, content_stems, folded, has_digit, letter_words

#: Words of a question from which on it may have one more than the document's.
_LONG = 3
#: What asks, and what denies: a question with another one is another question.
_DECIDING = frozenset(
    """
    what which who whom whose when where why how long much many not no never without
    que cual cuales quien quienes cuando donde porque por como cuanto cuanta cuantos cuantas nunca sin
    """.split()  # noqa: SIM905
)
#: A field of a record, on a line of its own.
_FIELD = re.compile(r"[^\W\d_][^:\n]{0,30}: (?=\S*\d)[^\n]{1,40}")


#: Sentences behind a line that leads in their paragraph.
_REMEDY = 3
#: Asks what happens, or what if something is not so; and what says it behind what should be so.
_CONSEQUENCE = re.compile(
    r"\bwhat (?:happens|would happen|will happen|if)\b|\bqu[eé] (?:pasa|pasar[ií]?a|ocurre|sucede)\b|"
    r"\b(?:if|unless)\b.*(?:\bnot?\b|n['’]t\b)|\bsi no\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"(?:otherwise|if not|failing that|or else|de lo contrario|en caso contrario|de no (?:ser|hacerlo)|si no)\b",
    re.IGNORECASE,
)
#: Asks what something is; what stands beside its name; and words of the shortest definition.
_DEFINES = re.compile(
    r"\W*(?:and |y )?(?:what\W?s|what (?:is|are|does|do)|que (?:es|son|significan?|quieren? decir)|define|meaning of)\b"
)
#: Sentences that tell what something is, where it is told at all.
_DEFINED = 3
_MEANS, _TOLD = re.compile(r"\b(?:means?|meant|significan?)\b"), 3
#: Letters of the longest word that is no name of a month.
_SHORT = 3
#: What is asked of the day that a heading has; neither the table of words nor the answer head tells that from others.
_ISSUED = re.compile(r"releas|publi|launch|issu|shipp|appear|dat|sali|sale|lanz|aparec|fech", re.IGNORECASE)


def answered_by_the_document(question: str, among: Sequence[Candidate]) -> list[Candidate]:
    """What stands below the question of a document that `question` asks too, as it is read; nothing where none is.

    Args:
        among: Candidates, best passages first.
    """
    for one in among:
        if not one.code and any(_is_asked(question, asked) for asked in (one.introduced, one.heading)):
            below = [other for other in among if (other.number, other.heading) == (one.number, one.heading)]
            below = [other for other in below if other.introduced == one.introduced]
            # The question was asked: it is not said again in front of the answer.
            return [] if any(other.code for other in below) else [replace(o, heading="", introduced="") for o in below]
    return []


def _is_asked(question: str, asked: str) -> bool:
    """Whether `question` is what a document asks: the same telling words, and the same that asks and denies."""
    asked = asked.strip()
    if not asked.endswith("?"):
        return False
    theirs, ours = content_stems(asked), content_stems(question)
    if not theirs or not theirs <= ours or len(ours) > len(theirs) + (len(theirs) >= _LONG):
        return False
    return _deciding(asked) == _deciding(question)


def _deciding(question: str) -> frozenset[str]:
    return _DECIDING.intersection(folded(word) for word in letter_words(question))


def defined_by_the_document(question: str, among: Sequence[Candidate]) -> list[Candidate]:
    """The item or line that says what the one thing is that a question wants defined: "Crate: a folder where ..."."""
    asked = content_stems(_MEANS.sub(" ", _defined(question)))
    for one in among if asked else ():
        name = row_name(one.text) if not one.code and not one.of_table else ""
        stems = content_stems(name) if name else set[str]()
        told = one.text.partition(":")[2]
        if stems and asked - (content_stems(one.title) - stems) == stems and len(letter_words(told)) >= _TOLD:
            return [one]
    return []


def is_defined(question: str, evidence: Sequence[Evidence]) -> bool:
    """Whether a question asks what one thing is, and what was found defines it: no cell that uses its name is meant."""
    return bool(_defined(question)) and bool(defined_by_the_document(question, candidates(evidence)))


def _defined(question: str) -> str:
    """What a question wants defined, folded; empty where it asks for anything else."""
    asks = _DEFINES.match(folded(question))
    return folded(question)[asks.end() :] if asks else ""


def told_first(question: str, prose: Sequence[Candidate], among: Sequence[Candidate]) -> list[Candidate]:
    """`prose` with what is asked for in front: what something is, or the sentence for a day."""
    return of_the_day(question, with_the_definition(question, prose, among), among)


def with_the_definition(question: str, prose: Sequence[Candidate], among: Sequence[Candidate]) -> list[Candidate]:
    """`prose` behind the first sentence of the section, of those it is of, that is headed by the name asked about.

    "What is addVar?" is told by "addVar creates a variable" below "addVar", and by how it differs from others after it.
    """
    asked = content_stems(_defined(question))
    numbers = dict.fromkeys(one.number for one in prose if asked)
    headed = [
        one
        for one in among
        if one.number in numbers and not one.code and asked == content_stems(one.heading.rpartition(" > ")[2])
    ]
    section = next((number for number in numbers if any(one.number == number for one in headed)), None)
    first = min((one for one in headed if one.number == section), key=lambda one: one.place, default=None)
    if first is None or first.whole or not asked <= content_stems(first.text):
        return list(prose)
    return [first, *(one for one in prose if one != first)][: max(len(prose), _DEFINED)]


def of_the_day(question: str, prose: Sequence[Candidate], among: Sequence[Candidate]) -> list[Candidate]:
    """`prose` with the sentence for the day of the week or the month that is asked for, where the best is for others.

    It is the first one beside it, in its passage, that names that day.
    """
    asked = _days_in(question)
    told = _days_in(prose[0].text) if prose else set()
    if not asked or not told or asked & told:
        return list(prose)
    beside = [one for one in among if one.number == prose[0].number and not one.code and asked <= _days_in(one.text)]
    return [beside[0], *(one for one in prose[1:] if one != beside[0])] if beside else list(prose)


def _days_in(text: str) -> set[tuple[str, int]]:
    """The days of the week, those between two of them too, and the months that a text names."""
    said = letter_words(folded(text))
    named = {("month", months()[word]) for word in said if len(word) > _SHORT and word in months()}
    return named | {("day", number) for number in weekdays_named(text)}


def told_of_a_section(question: str, among: Sequence[Candidate]) -> list[Candidate]:
    """What a section says that the question names by its number, as it is read, lists whole; see `asks_for_a_section`.

    Of several documents with such a section it is that whose title has most words of the question.
    """
    named = [one for one in among if one.numbered and not one.code and not _is_dated_heading(one)]
    asked = content_stems(question)
    best = max(named, key=lambda one: len(asked & content_stems(one.title)), default=None)
    found = (one for one in named if best and (one.title, one.numbered) == (best.title, best.numbered))
    own_text_first = sorted(found, key=lambda one: one.heading != one.numbered)
    whole = (replace(one, text=one.whole) if one.whole else one for one in own_text_first)
    return list({one.text: replace(one, introduced=one.numbered) for one in whole}.values())


def with_the_date(question: str, prose: Sequence[Candidate], among: Sequence[Candidate]) -> list[Candidate]:
    """`prose`, or the heading alone that dates what is asked about, where the best sentence has no word on that.

    Such a heading ("2.4.0 - 2024-05-01") stands in front of its sentences where it is needed, and else not beside them.
    """
    dated = [one for one in among if _is_dated_heading(one)]
    if not dated or not prose:
        return list(prose)
    best = prose[0]
    asked = content_stems(question) - content_stems(f"{best.numbered} {best.title} version")
    asked = frozenset(word for word in asked if not word[-1].isdigit())
    issued = all(_ISSUED.match(word) for word in asked)
    told = bool(asked & content_stems(best.text)) or (says_a_date(best.text) and not issued)
    if not told or _is_dated_heading(best):
        return [next((one for one in dated if one.numbered == best.numbered), dated[0])]
    return [one for one in prose if not _is_dated_heading(one)]


def with_what_follows(question: str, prose: Sequence[Candidate], among: Sequence[Candidate]) -> list[Candidate]:
    """`prose` with the rest of a paragraph whose leading line is asked about, and with what happens otherwise.

    A leading line, such as the name of a fault, is no answer by itself: it goes where it is not asked about and another
    sentence is the best.
    """
    told = list(prose)
    for line in [one for one in told if one.leads]:
        theirs = content_stems(line.text)
        rest = [one for one in among if (one.number, one.block) == (line.number, line.block)][: _REMEDY + 1]
        if 2 * len(theirs & content_stems(question)) >= len(theirs) > 0:
            first = rest if told[0] in rest else []
            told = [*first, *(one for one in told if one not in rest), *([] if first else rest)]
        elif line != told[0]:
            told.remove(line)
    if _CONSEQUENCE.search(question):
        behind = {(one.number, one.place): one for one in among if not one.code and _OTHERWISE.match(one.text)}
        pairs = ((one, behind.get((one.number, one.place + 1))) for one in told)
        told = list(dict.fromkeys(one for pair in pairs for one in pair if one is not None))
    return told


def _is_dated_heading(candidate: Candidate) -> bool:
    return candidate.text == candidate.heading == candidate.numbered != ""


def with_the_number(question: str, prose: Sequence[Candidate], among: Sequence[Candidate]) -> list[Candidate]:
    """`prose` with the one field of its record that has a number, where a number is asked for and not told."""
    if not prose or not asks_for_a_number(question) or any(has_digit(one.text) for one in prose[:1]):
        return list(prose)
    beside = [one for one in among if one.number == prose[0].number and _FIELD.fullmatch(one.text.rstrip("."))]
    if len(beside) != 1 or beside[0] in prose[:1]:
        return list(prose)
    named = content_stems(beside[0].text.partition(":")[0]) & content_stems(question)
    return beside if named else [prose[0], *beside]
