"""What two figures come to together: a sum, a difference, a share, and what is left against what is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.calculation import usage_of
from engine.generation.extractive.account_figures.composing import Account, labelled, shown
from engine.generation.extractive.account_figures.figure import Amount, amounts_in
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, PERCENT, USED, Measure
from engine.generation.extractive.account_figures.vocabulary import stems_of, vocabulary
from engine.text.dates import fold
from engine.text.numbers import shown_percent
from engine.text.words import stem

#: "Another one", "two more": counts in words, as they stand in such a question.
_COUNTS = {
    "otr[oa]|another|one|un[oa]?": 1,
    "two|dos": 2,
    "three|tres": 3,
    "four|cuatro": 4,
    "five|cinco": 5,
    "six|seis": 6,
    "seven|siete": 7,
    "eight|ocho": 8,
    "nine|nueve": 9,
    "ten|diez": 10,
    "a dozen|una docena": 12,
}


def amount_of(measure: Measure) -> Amount | None:
    """The one amount that a measure is, or that is used of it; None for rows and limits."""
    found = [e.figure.value for e in measure.entries if not e.figure.row and e.role in ("", USED)]
    return found[0] if found and isinstance(found[0], Amount) else None


def needed(question: Question) -> Fraction | None:
    """The number that a question asks for more of; None where it names none."""
    thousands = re.sub(r"(?<=\d)\s?(?:k|mil)\b", "000", question.text, flags=re.IGNORECASE)
    if amounts := amounts_in(thousands, question.language):
        return amounts[-1][2].value
    return next(
        (Fraction(n) for words, n in _COUNTS.items() if re.search(rf"\b(?:{words})\b", fold(question.text))), None
    )


def is_cardinal(word: str) -> bool:
    """Whether a word is a number: `three`, `cinco`."""
    return any(re.fullmatch(words, fold(word)) for words in _COUNTS)


def enough(question: Question, measure: Measure, account: Account) -> str:
    """Whether what is left of a measure covers the number in the question; empty where either is not known."""
    usage = usage_of(measure, account.limit_for(measure))
    left = usage.left if usage is not None and usage.left is not None else amount_of(measure)
    wanted = needed(question)
    if left is None or wanted is None or (usage is None and not left.is_money):
        return ""
    template = phrases.ENOUGH if left.value >= wanted else phrases.NOT_ENOUGH
    language = question.language
    return template[language].format(
        label=measure.label, left=shown(left, language), wanted=shown(left.like(wanted), language)
    )


def together(question: Question, operation: str, measures: Sequence[Measure]) -> str:
    """The sum or the difference of measures that a question names; empty where they are not alike."""
    ordered = sorted(measures, key=lambda measure: _place(question.text, measure))
    amounts = [amount for measure in ordered if (amount := amount_of(measure)) is not None]
    alike = len({amount.unit for amount in amounts}) == 1 and len(amounts) == len(measures) > 1
    if not alike or operation not in ("sum", "compare") or (operation == "compare" and len(amounts) != 2):
        return ""
    parts = [f"{shown(amount, question.language)} ({m.label})" for m, amount in zip(ordered, amounts, strict=True)]
    if operation == "sum":
        total = shown(amounts[0].like(sum((a.value for a in amounts), Fraction(0))), question.language)
        return phrases.TOGETHER[question.language].format(sum=total, parts=" + ".join(parts))
    first, second = (shown(amount, question.language) for amount in amounts)
    difference = amounts[0].value - amounts[1].value
    template = phrases.SAME if not difference else phrases.MORE if difference > 0 else phrases.FEWER
    label = f"{labelled(ordered[0].label)} / {ordered[1].label}"
    gap = shown(amounts[0].like(abs(difference)), question.language)
    said = template[question.language].format(label=label, difference=gap, now=first, before=second, share="")
    return said.replace(phrases.BEFORE[question.language], "")


def _rates() -> frozenset[str]:
    """Stems of the words for averages and peaks, of which nothing is a part."""
    return frozenset(stem(word) for words in vocabulary()["superlatives"].values() for word in words)


def _place(text: str, measure: Measure) -> int:
    """Where a question begins to say the measure's own words."""
    places = [m.start() for m in re.finditer(r"[^\W_]+", text) if stems_of(m[0]) & measure.stems]
    return max(places, default=0)


def share_of(question: Question, part: Measure, account: Account) -> str:
    """What share of the whole beside it a part is, in one object or row; empty where there is no whole."""
    small = amount_of(part)
    if small is None or small.unit == "%" or any(entry.role == PERCENT for entry in part.entries):
        return ""
    wholes = [
        (measure, amount)
        for measure in account.measures
        if measure.label != part.label and _beside(measure, part)
        if not stems_of(measure.label) & _rates()
        and not {entry.role for entry in measure.entries} & {LIMIT, LEFT, PERCENT}
        if (amount := amount_of(measure)) is not None and amount.unit == small.unit and amount.value >= small.value > 0
    ]
    if not wholes:
        return ""
    named = stems_of(question.text) - part.stems
    whole, amount = max(wholes, key=lambda one: (len(one[0].stems & named), one[1].value))
    return phrases.PART[question.language].format(
        label=labelled(part.label),
        share=shown_percent(small.value / amount.value * 100, question.language),
        part=shown(small, question.language),
        whole=f"{shown(amount, question.language)} ({whole.label})",
    )


def _beside(measure: Measure, part: Measure) -> bool:
    """Whether both stand in one object or sentence."""
    one, other = measure.entries[0].figure, part.entries[0].figure
    return one.sentence == other.sentence if one.sentence else one.path[:-1] == other.path[:-1]


def of_row(account: Account, measure: Measure, row: str) -> tuple[Measure, Account]:
    """A row's figure with the other figures of its row, as measures of their own."""
    of_it = [
        replace(m, entries=tuple(replace(e, figure=replace(e.figure, row="")) for e in entries))
        for m in account.measures
        if (entries := [e for e in m.entries if e.figure.row == row])
    ]
    return next(m for m in of_it if m.label == measure.label), Account.of(of_it)
