"""The sentence that says what a candidate answer comes to."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.calculation import Usage
from engine.generation.extractive.account_figures.candidates.fact import Row
from engine.generation.extractive.account_figures.candidates.values import Candidate
from engine.generation.extractive.account_figures.composing import (
    labelled,
    of_difference,
    of_extreme,
    of_mean,
    of_sum,
    of_usage,
    only_names,
    shown,
    yes_or_no,
)
from engine.generation.extractive.account_figures.figure import Amount, Day
from engine.generation.extractive.account_figures.ranking.forms import DAYS, PLAIN
from engine.generation.extractive.account_figures.vocabulary import role_of
from engine.text.dates import fold
from engine.text.language import Language
from engine.text.numbers import shown_percent
from engine.text.words import letter_words

#: Rows and parts that an answer names at most; letters of a text that it reads out beside the name of a row.
_MOST, _LETTERS = 12, 40
#: Letters of a name that is taken for a code.
_CODE = 3
#: Asks whether a limit is kept; and what says whether it is passed.
_WITHIN = re.compile(r"\b(?:within|inside|below|under|dentro|debajo)\b")
_FORMS = [form for said in (phrases.OVER, phrases.NOT_OVER) for form in said.values()]
_OF_LIMIT = re.compile("|".join(".*".join(map(re.escape, re.split(r"\{\w+\}", form))) for form in _FORMS), re.DOTALL)
NUMBER = re.compile(r"\d[\d.,]*\d|\d")


def text_of(one: Candidate, question: Question) -> str:
    """The sentence; without a name before it where what it is of has none."""
    return labelled(_sentence(one, question).removeprefix(": "))


def _sentence(one: Candidate, question: Question) -> str:
    language = question.language
    if one.operation == "together":
        return _together(one, question)
    if one.operation == "date" and isinstance(one.value, Day) and DAYS.search(fold(question.text)):
        return _how_far(one, one.value, question)
    if one.operation == "any" and only_names(question.own, one.label):
        return _value(one, language)
    if one.operation in ("left", "percent", "over", "enough", "used") and one.parts:
        return _of_limit(one, language)
    if one.operation in ("compare", "difference"):
        difference = one.value.value if isinstance(one.value, Amount) else Fraction(0)
        return yes_or_no(question, difference) + _difference(one, language)
    said = _SAID.get(one.operation, _named if one.operation.startswith("rows_") else _value)(one, language)
    there_are = one.operation == "list" and one.choice is not None and PLAIN.match(fold(question.own))
    return f"{phrases.ANY[language][0]}: {said}" if there_are else said


def as_asked(text: str, question: Question) -> str:
    """What says whether a limit is passed as an answer to whether it is kept, where that is asked: "within"."""
    if _WITHIN.search(fold(question.own)) is None or _OF_LIMIT.match(text) is None:
        return text
    yes, no = phrases.ANY[question.language]
    said, rest = text.split(":", maxsplit=1)
    return f"{yes if said == no else no}:{rest}"


def _value(one: Candidate, language: Language) -> str:
    row = one.rows[0] if one.rows and one.label != one.rows[0].name else None
    label = f"{one.label}, {named(row, language)}" if row else one.label
    if len(one.parts) > 1:
        return of_sum(label, [part for _, part in one.parts], language)
    return phrases.VALUE[language].format(label=labelled(label), value=shown(one.value, language))


def _how_far(one: Candidate, day: Day, question: Question) -> str:
    """How many days there are to a day, or since."""
    language, days = question.language, (day.near(question.today) - question.today).days
    if not days:
        return phrases.TODAY[language].format(label=labelled(one.label), value=shown(day, language))
    count = phrases.DAYS[language][abs(days) != 1].format(count=abs(days))
    said = phrases.AHEAD if days >= 0 else phrases.PAST
    return said[language].format(label=labelled(one.label), days=count, value=shown(day, language))


def _yes(one: Candidate, language: Language) -> str:
    amount = one.value if isinstance(one.value, Amount) else None
    yes = bool(amount.value) if amount else one.value is True
    row = f", {one.rows[0].name}" if one.rows else ""
    more = f": {shown(amount, language)}" if amount else ""
    return f"{phrases.ANY[language][not yes]}{more} ({one.label}{row})."


def _of_all(one: Candidate, language: Language) -> str:
    return (of_sum if one.operation == "sum" else of_mean)(one.label, [part for _, part in one.parts], language)


def _together(one: Candidate, question: Question) -> str:
    """The sum, its parts in the order of the question: both orders are one answer."""
    language, asked = question.language, fold(question.text)
    told = sorted(one.parts, key=lambda part: (asked.find(fold((part[0].split() or [""])[-1])), part[0]))
    parts = " + ".join(f"{shown(part, language)} ({name})" for name, part in told)
    return phrases.TOGETHER[language].format(sum=shown(one.value, language), parts=parts)


def _extreme(one: Candidate, language: Language) -> str:
    most, row = one.operation == "highest", _rows(one.rows, language)
    return of_extreme(one.label, one.value, row, language, most=most, rank=one.rank)


def _label(one: Candidate, label: str, language: Language) -> str:
    """What two columns of a row come to is said with the name of the row."""
    row = f", {named(one.rows[0], language)}" if len(one.rows) == 1 and len(one.facts) > 1 else ""
    return labelled(f"{label}{row}")


def _share(one: Candidate, language: Language) -> str:
    (_, part), (name, whole) = one.parts
    share = shown_percent(one.value.value, language) if isinstance(one.value, Amount) else ""
    all_ = f"{shown(whole, language)} ({name})" if name else shown(whole, language)
    return phrases.PART[language].format(
        label=_label(one, one.label, language), share=share, part=shown(part, language), whole=all_
    )


def _each(one: Candidate, language: Language) -> str:
    (_, part), (_, by) = one.parts
    product = isinstance(one.value, Amount) and one.value.value == part.value * by.value
    sign = "×" if one.operation != "ratio" and product else "/"
    value = f"{shown(one.value, language)} ({shown(part, language)} {sign} {shown(by, language)})"
    return phrases.VALUE[language].format(label=_label(one, one.label, language), value=value)


def _rest(one: Candidate, language: Language) -> str:
    (part, less), (whole, all_) = one.parts
    return phrases.WITHOUT[language].format(
        label=labelled(whole),
        part=part,
        rest=shown(one.value, language),
        whole=shown(all_, language),
        less=shown(less, language),
    )


def _count(one: Candidate, language: Language) -> str:
    told = 0 < len(one.rows) <= _MOST and (one.choice is not None or one.bound is not None or len(one.facts) > 1)
    rows = f" ({_rows(one.rows, language)})" if told else ""
    return phrases.VALUE[language].format(label=labelled(one.label), value=f"{shown(one.value, language)}{rows}")


def _texts(one: Candidate, language: Language) -> str:
    told = [f"{row.name}: {row.told.get(one.label, '')}" for row in one.rows[:_MOST]]
    return phrases.VALUE[language].format(label=labelled(one.label), value="; ".join(told))


def _named(one: Candidate, language: Language) -> str:
    return phrases.VALUE[language].format(label=labelled(one.label), value=_rows(one.rows, language))


_SAID: dict[str, Callable[[Candidate, Language], str]] = {
    "flag": _yes,
    "any": _yes,
    "sum": _of_all,
    "average": _of_all,
    "highest": _extreme,
    "lowest": _extreme,
    "share": _share,
    "part": _share,
    "rest": _rest,
    "ratio": _each,
    "cost": _each,
    "count": _count,
    "texts": _texts,
    "list": _named,
    "empty": lambda one, language: phrases.EMPTY[language].format(label=one.label),
}


def _of_limit(one: Candidate, language: Language) -> str:
    (_, used), (_, limit), *wanted = one.parts
    used = limit.like(limit.value - used.value) if one.facts[0].is_rest else used
    left = limit.like(limit.value - used.value)
    row = f", {one.rows[0].name}" if one.rows else ""
    thing = " ".join(word for word in one.label.split() if not role_of(word)) or one.label
    label = f"{thing}{row}"
    if one.operation == "enough":
        template = phrases.ENOUGH if one.value is True else phrases.NOT_ENOUGH
        needs = "".join(shown(amount, language) for _, amount in wanted)
        return template[language].format(label=label, left=shown(left, language), wanted=needs)
    share = used.value / limit.value * 100 if limit.value else None
    usage = Usage(used, limit, left, share, frozenset())
    return of_usage(one.operation, usage, label if one.operation == "over" else labelled(label), language)


def _difference(one: Candidate, language: Language) -> str:
    (first, now), (second, before) = one.parts
    both, earlier = f"{first} / {second}", one.operation == "compare"
    name = one.label if earlier else both if len(one.facts) > 1 else f"{one.label}, {both}"
    return of_difference(_label(one, name, language), now, before, language, earlier=earlier)


def named(row: Row, language: Language) -> str:
    """A row by its name, with what its cells say where the name is a number, a code or a day."""
    name = shown(row.day, language) if row.day is not None and row.day.written == row.name else row.name
    coded = any(character.isdigit() for character in row.name) or len(row.name) <= _CODE
    told = ", ".join(text for text in row.told.values() if len(text) < _LETTERS) if coded else ""
    return f"{name} ({told})" if told else name


def _rows(rows: Sequence[Row], language: Language) -> str:
    names = ", ".join(dict.fromkeys(named(row, language) for row in rows[:_MOST]))
    return f"{names} …" if len(rows) > _MOST else names


def alike(one: str, other: str) -> bool:
    """Whether two answers come to the same: their first numbers behind the name, or else their words."""
    if {_denied(one), _denied(other)} == {True, False}:
        return False
    first, second = (NUMBER.findall(text.partition(": ")[2] or text) for text in (one, other))
    if first and second:
        same: bool = first[0].strip(".,") == second[0].strip(".,")
        return same
    told = [text.partition(": ")[2] or text for text in (one, other)]
    if _denied(one) is None and len({text.count(", ") for text in told}) > 1:  # some of the names that the other lists
        return False
    mine, others = ({word for word in letter_words(fold(text)) if len(word) > 1} for text in told)
    return not first and not second and 2 * len(mine & others) >= max(len(mine), len(others), 1)


def _denied(text: str) -> bool | None:
    """Whether an answer says no; None where it says neither yes nor no."""
    said = re.match(r"\w+", text)
    words = [answers.index(said[0]) for answers in phrases.ANY.values() if said and said[0] in answers]
    return bool(words[0]) if words else None
