"""Rows that are called by ranges of numbers: a question with a number means the row whose range holds it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.generation.extractive.account_figures.asking.synonyms import stem_of
from engine.generation.extractive.account_figures.candidates.bounds import SIDES, Bound, number_bound
from engine.generation.extractive.account_figures.candidates.fact import Table
from engine.generation.extractive.account_figures.figure import amounts_in
from engine.generation.extractive.account_figures.vocabulary import vocabulary
from engine.text.dates import fold
from engine.text.language import Language

_WORD = re.compile(r"[^\W\d_]+")
#: The ends of a range, and the word behind a number.
_ENDS = re.compile(r"(\d[\d.,]*)(?:\s?[^\W\d_]+)?\s*(?:-|–|\b(?:to|and|a|y|hasta)\b)\s*(\d[\d.,]*)")
_BEHIND = re.compile(r"[\s-]?(?:(?:of|de)\s)?(?P<word>[^\W\d_]+)(?:-old)?")
#: What the name of a row that is a range, and nothing else, consists of beside its numbers.
_SIDES = re.compile(
    rf"\b(?:{'|'.join(one for side, _ in SIDES for one in vocabulary()[side])}"
    r"|to|and|a|y|de|hasta|or|more|less|o|mas|menos|from|between|entre)\b"
)
#: Who or what has a number: "a rider of", "un cliente de".
_WHOSE = re.compile(r"[^\W\d_]+\s(?:of|aged?|with|de|con)\s$", re.IGNORECASE)


def by_number(text: str, language: Language, tables: Sequence[Table]) -> tuple[str, str]:
    """A question without its number, and the row whose range holds that: a rider of 40 is of "36 to 49".

    The question as it is and no row where no range does, or the number counts something else.
    """
    numbers = amounts_in(text, language)
    if len(numbers) != 1 or numbers[0][2].is_money or numbers[0][2].unit == "%" or number_bound(text, language):
        return text, ""
    start, end, amount = numbers[0]
    for table in tables:
        spans = {row.name: span for row in table.rows if (span := _span(row.name, language))}
        held = [name for name, span in spans.items() if all(bound.holds(amount.value) for bound in span)]
        if len(spans) < 2 or len(held) != 1:
            continue
        behind = {found["word"] for name in spans for found in re.finditer(rf"\d{_BEHIND.pattern}", name)}
        behind = {word for word in behind if not _SIDES.fullmatch(fold(word))}
        # "Senior (60 to 80)" is called something beside its range.
        called = any(_WORD.search(_SIDES.sub(" ", fold(name))) for name in spans)
        units = {stem_of(word) for word in behind or ([] if called else _WORD.findall(table.name))}
        rest = text[end:]
        while (unit := _BEHIND.match(rest)) and stem_of(unit["word"]) in units:
            rest = rest[unit.end() :]
        if len(rest) < len(text[end:]) or not _WORD.search(rest):  # else it counts something else
            return f"{_WHOSE.sub('', text[:start])}{rest}", held[0]
    return text, ""


def _span(name: str, language: Language) -> tuple[Bound, ...]:
    """The bounds of the numbers that the name of a row stands for; empty where it is no range."""
    if ends := _ENDS.search(name):
        numbers = [one.value for end in ends.groups() for _, _, one in amounts_in(end, language)[:1]]
        if len(numbers) != 2 or numbers[0] >= numbers[1]:  # numbers of dates are none
            return ()
        low, high = numbers
        return Bound(above=True, number=low, inclusive=True), Bound(above=False, number=high, inclusive=True)
    bound = number_bound(name, language)
    return (bound,) if bound is not None else ()
