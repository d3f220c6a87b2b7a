"""The numbers that a question names: what it asks for more of, and how many there are of what has a price."""

from __future__ import annotations

import re
from fractions import Fraction

from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.figure import Amount, amounts_in
from engine.generation.extractive.account_figures.vocabulary import Period, is_period, vocabulary
from engine.text.dates import fold

#: "Another one", "two more": counts in words, as they stand in such a question.
_COUNTS: dict[str, int] = vocabulary()["counts"]


def needed(question: Question) -> Fraction | None:
    """The number that a question asks for more of; None where it names none."""
    if amounts := _amounts_of(question):
        return amounts[-1][2].value
    return next(
        (Fraction(n) for words, n in _COUNTS.items() if re.search(rf"\b(?:{words})\b", fold(question.text))), None
    )


def _amounts_of(question: Question) -> list[tuple[int, int, Amount]]:
    thousands = re.sub(r"(?<=\d)\s?(?:k|mil)\b", "000", question.text, flags=re.IGNORECASE)
    found = amounts_in(thousands, question.language)
    return [one for one in found if one[2].unit or not thousands[one[1] : one[1] + 1].isalpha()]  # "flat 7A" is a name


def counts_what_costs(question: Question, per: Period) -> bool:
    """Whether the number that a question names may count what has a price: money and shares are no count.

    Args:
        per: What the price is for, where that is a stretch of time: only such stretches are counted then.
    """
    for _, end, amount in _amounts_of(question)[-1:]:
        following = re.match(r"\W*([^\W\d_]+)", question.text[end:])
        timed = following is not None and is_period(following[1])
        return not amount.is_money and amount.unit != "%" and (timed or not per.unit or per.which != "")
    return True


def is_cardinal(word: str) -> bool:
    """Whether a word is a number: `three`, `cinco`."""
    return any(re.fullmatch(words, fold(word)) for words in _COUNTS)
