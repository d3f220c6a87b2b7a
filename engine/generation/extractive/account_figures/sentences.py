"""Figures in running text: each number, date and name with the words of its clause."""

from __future__ import annotations

import re
from datetime import date

from engine.generation.extractive.account_figures.figure import Day, Figure, amounts_in, day_of
from engine.generation.extractive.account_figures.measures import roles, without_periods
from engine.text.dates import find_dates, fold
from engine.text.language import Language
from engine.text.sentences import sentences
from engine.text.words import COMMON

#: Where a clause ends: at signs, and at "and" before another statement.
_CLAUSE = re.compile(
    r"[;:]\s+|,\s+(?!\d)|\s+(?:and|but|while|y|pero|mientras que)\s+(?=\w+ \w+)|\s+(?=(?:at|for|por|a) [$€£])",
    re.IGNORECASE,
)
_OF = re.compile(
    r"^\s*(?:[^\W\d_]+\s+){0,3}?(?:out )?(?:of|de)\s+(?:(?:your|the|an?|tus?|los|las|el|la|un)\s+)*$", re.IGNORECASE
)
#: A name that a statement gives: "your plan is Pro", "the region: eu-west-1".
_IS = re.compile(
    r"^(?:your|the|our|my|tu|su|el|la|mi|nuestro|nuestra)\s+(?P<what>[\w ]{2,40}?)\s+(?:is|are|es|son|está|estan|están|has been|was|called|se llama)\s+"  # noqa: E501
    r"(?:called |named |the |el |la |llamado )?(?P<value>[^\d,;]{1,40}?)(?:\s+plan)?[.!]?$",
    re.IGNORECASE,
)
_ON_PLAN = re.compile(
    r"\b(?:on|have|has|to|tiene[sn]?|usa[sn]?|en|con)\s+(?:the|an?|el|un)\s+(?:(?P<v1>[A-Z]\w*(?: [A-Z]\w*)?)\s+(?P<w1>plan|tier|subscription)|"  # noqa: E501
    r"(?P<w2>plan|tarifa|suscripción)\s+(?P<v2>[A-Z]\w*(?: [A-Z]\w*)?))"
)


def sentence_figures(text: str, language: Language) -> list[Figure]:
    """The figures of running text, in order."""
    found: list[Figure] = []
    for sentence in sentences(" ".join(text.split())):
        before = ""
        for clause in filter(None, (piece.strip() for piece in _CLAUSE.split(sentence))):
            made = _of_clause(clause, before, sentence, language)
            found += made
            before = clause
    return found


def _of_clause(clause: str, before: str, sentence: str, language: Language) -> list[Figure]:
    amounts, dates = amounts_in(clause, language), _days(clause)
    found: list[Figure] = []
    if plan := _ON_PLAN.search(clause):
        found.append(Figure(((plan["w1"] or plan["w2"]).lower(), "name"), plan["v1"] or plan["v2"], sentence=sentence))
    elif (said := _IS.match(clause)) and not amounts and not dates:
        found.append(Figure((said["what"].lower(),), said["value"].strip(), sentence=sentence))
    taken = [(start, end) for start, end, _ in amounts] + [(start, end) for start, end, _ in dates]
    words = without_periods(_words(clause, taken)).strip() or _words(before, [])
    nouns = [_noun(clause[end:]) for _, end, _ in amounts]
    for place, (start, end, amount) in enumerate(amounts):
        role, noun = "", "" if amount.is_money or amount.unit == "%" else nouns[place]
        if place + 1 < len(amounts) and _OF.match(clause[end : amounts[place + 1][0]]):
            role, noun = "used", nouns[place + 1] or noun
        elif place and _OF.match(clause[amounts[place - 1][1] : start]):
            role, noun = "limit", noun or nouns[place - 1]
        path = (noun or words, *((role,) if role else ()))
        found.append(Figure(tuple(filter(None, path)), amount, day=dates[0][2] if dates else None, sentence=sentence))
    return found + ([Figure((words,), dates[0][2], sentence=sentence)] if dates and not amounts and words else [])


def _noun(rest: str) -> str:
    """What a number counts: the words behind it, up to one that every sentence is made of."""
    found: list[str] = []
    for word in re.findall(r"[^\W\d_]+|[^\w\s]|\d+", rest):
        if not word[0].isalpha() or (fold(word) in COMMON and found):
            break
        if fold(word) not in COMMON and fold(word) not in roles():
            found.append(word.lower())
        if len(found) == 3:
            break
    return " ".join(found)


def _days(clause: str) -> list[tuple[int, int, Day]]:
    folded = fold(clause)
    try:
        named = find_dates(folded, date(2000, 1, 1))
    except ValueError:
        return []
    return [
        (one.start, one.end, found)
        for one in named
        if (found := day_of(folded[one.start : one.end].removeprefix("on ").removeprefix("el ").strip())) is not None
    ]


def _words(clause: str, taken: list[tuple[int, int]]) -> str:
    rest = clause
    for start, end in taken:
        rest = f"{rest[:start]}{' ' * (end - start)}{rest[end:]}"
    kept = (word for word in re.findall(r"[^\W\d_]+", rest) if fold(word) not in COMMON)
    return " ".join(kept).lower()
