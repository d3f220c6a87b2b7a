"""Questions that a document asks and answers itself, as in an FAQ, and sections that a question names by number or day.

What a reader asks in the words of such a heading is answered by what stands below it, whatever else is alike: prices,
other sections, the same words in another place.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from engine.domain import Evidence
from engine.generation.extractive.candidates import Candidate, candidates, says_a_date
from engine.text.language import language_of
from engine.text.numbers import in_digits
from engine.text.sentences import row_name
from engine.text.words import content_stems, folded, has_digit, letter_words

#: Words of a question from which on it may have one more than the document's.
_LONG = 3
#: What asks, and what denies: a question with another one is another question.
_DECIDING = frozenset(
    """
    what which who whom whose when where why how long much many not no never without
    que cual cuales quien quienes cuando donde porque por como cuanto cuanta cuantos cuantas nunca sin
    """.split()  # noqa: SIM905
)
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
_MEANS, _TOLD = re.compile(r"\b(?:means?|meant|significan?)\b"), 3
#: What is asked of the day that a heading has; neither the table of words nor the answer head tells that from others.
_ISSUED = re.compile(r"releas|publi|launch|issu|shipp|appear|dat|sali|sale|lanz|aparec|fech", re.IGNORECASE)


_HOW_MUCH = re.compile(r"\b(?:how (?:much|many)|cu[aá]nt[oa]s?)\b(?!\s(?:longer|m[aá]s tiempo))", re.IGNORECASE)
#: A year, which is no amount.
_YEAR = re.compile(r"(?<![\w.,])(?:19|20)\d\d(?![\w.,]?\d)")
#: Says how much or how many without a number.
_AMOUNT_IN_WORDS = re.compile(
    r"\b(?:free|gratis|gratuit\w*|(?:no|without|sin) (?:charge|cost|fee|limit|coste|l[ií]mite)|included"
    r"|incluid[oa]s?|unlimited|ilimitad\w*|as (?:much|many)|none|ning[uú]n\w*|half|mitad|double|doble"
    r"|once|twice|both|one)\b",
    re.IGNORECASE,
)
#: A sentence that begins with a name and says what is called so.
_SAYS_WHAT = re.compile(
    r"\W*(?:(?:the|an?|el|la|los|las|un[oa]?)\s)?(?P<name>[^.:;()]{1,60}?)\s*(?:\([^()]{1,80}\)\s*)?,?"
    r"\s(?:is|are|es|son|means|stands for|significa)\s(?:an?|the|one|un[oa]?s?|el|la|l[oa]s)\b",
    re.IGNORECASE,
)


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
    asked = _thing_defined(question)
    for one in among if asked else ():
        name = row_name(one.text) if not one.code and not one.of_table else ""
        stems = content_stems(name) if name else set[str]()
        told = one.text.partition(":")[2]
        if stems and asked - (content_stems(one.title) - stems) == stems and len(letter_words(told)) >= _TOLD:
            return [one]
    return []


def says_what_it_is(question: str, text: str) -> bool:
    """Whether a sentence says what the one thing is that a question wants defined: "AVAP (...) is a language ..."."""
    asked = _thing_defined(question)
    said = _SAYS_WHAT.match(text) if asked else None
    return said is not None and content_stems(said["name"]) == asked


def is_defined(question: str, evidence: Sequence[Evidence]) -> bool:
    """Whether a question asks what one thing is, and what was found defines it: no cell that uses its name is meant."""
    return bool(_defined(question)) and bool(defined_by_the_document(question, candidates(evidence)))


@lru_cache(64)
def _thing_defined(question: str) -> frozenset[str]:
    """The stems of what a question wants defined; it is held against many sentences."""
    return content_stems(_MEANS.sub(" ", _defined(question)))


def _defined(question: str) -> str:
    """What a question wants defined, folded; empty where it asks for anything else."""
    asks = _DEFINES.match(folded(question))
    return folded(question)[asks.end() :] if asks else ""


def lacks_the_number(question: str, prose: Sequence[Candidate]) -> bool:
    """Whether a question asks how much or how many, and none of the sentences says any number, or that it is free."""
    if _HOW_MUCH.search(question) is None or not prose:
        return False
    said = _YEAR.sub(" ", " ".join(f"{one.heading} {one.introduced} {one.text}" for one in prose))
    return not (has_digit(said) or _AMOUNT_IN_WORDS.search(said) or has_digit(in_digits(said, language_of(said))))


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
