"""The rows, items and sentences whose range holds the number of a question: "which level for 25 °dH?"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby

from engine.domain import Passage
from engine.generation.extractive.account_figures.asking.questions import months_named
from engine.text.language import language_of
from engine.text.numbers import in_digits
from engine.text.quotation import quoted_units
from engine.text.sentences import Unit, row_name, rows_of
from engine.text.words import content_stems, folded, has_digit, is_common, stem

_I = re.IGNORECASE
_NUMBER = r"(?<![\w.,:-])\d{1,6}(?:[.,]\d{1,2})?(?![\d:])"
_END = r"\d{1,6}(?:[.,]\d{1,2})?(?![\d:])"
_UNIT = r"\s?(?P<unit>[°º%]?[^\W\d_]*)"
_MORE = "(?:more|(?:high|furth|farth|long|larg|bigg|old|heavi|tall|great)er)"
_LESS = "(?:less|fewer|(?:low|short|small|young|light)er)"
#: "21 to 35 °dH", "de 4 a 6 años", "up to 5 tools", "desde 8 años", "7 or more days", "7 años".
_BETWEEN = re.compile(rf"(?P<low>{_NUMBER})(?:\s?[^\W\d_]+)?\s?(?:-|–|to|and|a|y|hasta)\s?(?P<high>{_END}){_UNIT}", _I)
_FROM = re.compile(
    rf"\b(?<!\bno )(?<!\bnot )(?:(?P<open>above|over|beyond|{_MORE} than|m[aá]s de|mayores de)"
    r"|from|at least|since|desde|a partir de|al menos)"
    rf"\s(?:los\s)?(?P<low>{_NUMBER}){_UNIT}|"
    rf"(?P<low2>{_NUMBER})\s?(?:\+|(?:or|and|[yo]) (?:more|over|above|m[aá]s|mayores)\b)"
    rf"{_UNIT.replace('unit', 'unit2')}",
    _I,
)
_UP_TO = re.compile(
    rf"\b(?:(?P<open>under|below|{_LESS} than|menos de|menores de)|up to|at most|within|hasta|como m[aá]ximo"
    rf"|(?:no|not) {_MORE} than|no m[aá]s de)"
    rf"\s(?:los\s)?(?P<high>{_NUMBER}){_UNIT}",
    _I,
)
_ALONE = re.compile(rf"\W*(?P<low>{_NUMBER}){_UNIT}\W*")
_ASKED = re.compile(rf"(?:\b(?P<called>[^\W\d_]{{3,24}})\s)?(?P<number>{_NUMBER}){_UNIT}", _I)
#: Somebody's age: "a 14-year-old", "she is 9", "tiene 9 años"; a row says it in its name alone: "Junior (12-17)".
_AGE = re.compile(
    rf"(?P<number>{_NUMBER})[\s-]?(?:years?[\s-]olds?|a[nñ]os?|yo)\b"
    rf"|\b(?:is|am|are|['’][ms]|aged?)\s(?P<last>{_NUMBER})(?=\W*$|[,;.?!]\s)",
    _I,
)
_YEAR = "year"
#: Says in a cell that it holds whatever is asked.
_ANY = re.compile(r"\W*(?:any|all|always|cualquiera|tod[oa]s|siempre)\b.{0,12}", _I)
_BRACKET = re.compile(r"\(([^()]{2,24})\)")
#: Passages that are looked through, and the share of a table's rows that may hold the number.
_NEAREST, _FEW = 3, 0.5
#: Numbers in one word up to this stay words: "the second one".
_SMALL = 3
_MOST = Decimal(10**9)


@dataclass(frozen=True, slots=True)
class _Span:
    low: Decimal
    high: Decimal
    unit: str
    alone: bool = False

    def holds(self, number: Decimal) -> bool:
        return self.low <= number <= self.high


@dataclass(frozen=True, slots=True)
class _Number:
    """What a question asks for by a number.

    Attributes:
        number: In any of its units.
        units: What may be its unit, as `_unit` gives it, the likeliest first.
        of_age: It is somebody's age.
    """

    number: Decimal
    units: tuple[str, ...]
    of_age: bool


def spanned_rows(question: str, passages: Sequence[Passage], before: str = "") -> tuple[tuple[int, Unit], ...]:
    """The rows of one table or list whose ranges hold the only number of the question; empty where that is not clear.

    The number has its unit behind it, which the ranges have too or the column is called by, or the column's name before
    it ("grade 6"); else it goes on from a question whose only number has one. There are two rows with ranges at least,
    and the number is in some of them, not in most. Of these there are the ones whose other cells hold for what else the
    question says, such as its month.

    Args:
        question: As it was written.
        passages: Best first.
        before: The question that it goes on from, as it was written; empty for one that stands alone.

    Returns:
        Each with the place of its passage.
    """
    asked = _asked(question, before)
    if asked is None:
        return ()
    if asked.of_age and (held := _rows_for_an_age(asked.number, passages)):
        return held
    found = (_rows_that_hold(asked.number, unit, passages, (question, before)) for unit in asked.units)
    rows = next(filter(None, found), ())
    nearer = [unit.text for passage in passages[: rows[0][0]] for unit in quoted_units(passage)] if rows else []
    return () if 1 in in_range(question, nearer, before) else rows  # what a nearer passage says is weighed


def in_range(question: str, texts: Sequence[str], before: str = "") -> list[int]:
    """Whether the ranges that sentences state hold the only number of the question: "can she swim? she is 7".

    Args:
        question: As it was written.
        texts: The sentences.
        before: The question that it goes on from, as it was written; empty for one that stands alone.

    Returns:
        For each 1 where a range in the number's unit holds it, -1 where none of its ranges does and 0 where it states
        none; 0 for all where none holds it: "within 14 days" may be the answer for 20 days.
    """
    asked = _asked(question, before)
    units = set() if asked is None else {*asked.units, *(_YEARS if asked.of_age else ())}
    if asked is None or not units:
        return [0] * len(texts)
    found: list[int] = []
    for text in texts:
        spans = [span for span in _spans(text) if span.unit in units or (asked.of_age and is_common(span.unit))]
        found.append(0 if not spans else 1 if any(span.holds(asked.number) for span in spans) else -1)
    return found if 1 in found else [0] * len(texts)


def _asked(question: str, before: str) -> _Number | None:
    """The only number of a question, in digits or in words; None where there is none, or several."""
    if not has_digit(question):
        question = in_digits(question, language_of(question), _SMALL)
    asked, earlier = list(_ASKED.finditer(question)), list(_ASKED.finditer(before))
    if len(asked) != 1:
        return None
    named = [asked[0]["unit"], asked[0]["called"]]
    if len(earlier) == 1:
        named += [earlier[0]["unit"], earlier[0]["called"]]
    age = _AGE.search(question)
    number = (age["number"] or age["last"]) if age else asked[0]["number"]
    return _Number(_value(number), tuple(dict.fromkeys(map(_unit, filter(None, named)))), age is not None)


def _rows_that_hold(
    number: Decimal, unit: str, passages: Sequence[Passage], questions: Sequence[str]
) -> tuple[tuple[int, Unit], ...]:
    cells = sorted(_cells(passages[:_NEAREST]), key=_of_column)
    for (_, table, name), column in groupby(cells, key=_of_column):
        rows = [((place, row), text) for place, row, _, text in column]
        spans = [(row, span) for row, text in rows if (span := _span(text, name, unit)) is not None]
        held = [row for row, span in spans if span.holds(number)]
        ranges = sum(not span.alone for _, span in spans)
        if len(spans) < 2 or not ranges:
            continue
        whatever = [row for row, text in rows if _ANY.fullmatch(text)]
        fitting = (_fitting([*held, *whatever], table, name, one) for one in questions)
        if (told := next((one for one in fitting if one is not None), None)) is not None:
            return tuple(told)
        if 0 < len(held) <= max(1, _FEW * len(spans)):
            return tuple(held)
    return ()


def _fitting(held: Sequence[tuple[int, Unit]], table: str, column: str, question: str) -> list[tuple[int, Unit]] | None:
    """Those of some rows whose cells of other columns hold for what a question says beside its number.

    None where it says nothing of the kind: no month that a column is by, and nothing that whole cells say.

    Args:
        column: The one with the ranges.
    """
    columns, rows = rows_of(table) if table.startswith("|") else ([], {})
    fitting: list[tuple[int, Unit]] | None = None
    for place, name in enumerate(columns):
        cells = {text: row[place] for text, row in rows.items() if len(row) == len(columns) and name != column}
        holding = _holding(cells, question)
        if holding is not None and len(holding) < len(cells):
            holding |= {text for text, cell in cells.items() if _ANY.fullmatch(cell)}
            fitting = [row for row in (held if fitting is None else fitting) if row[1].text in holding]
    return fitting


def _holding(cells: Mapping[str, str], question: str) -> set[str] | None:
    """The rows whose cells of one column have the month that a question names, or say words of it and nothing else.

    None where the column is by no month, or none that is asked for, and no cell says such words.

    Args:
        cells: By the texts of their rows.
    """
    asked, said = set(months_named(question)), content_stems(question)
    if asked and any(map(months_named, cells.values())):
        return {text for text, cell in cells.items() if asked.intersection(months_named(cell))}
    worded = {text: content_stems(cell) for text, cell in cells.items() if not has_digit(cell)}
    return {text for text, words in worded.items() if words and words <= said} or None


def _rows_for_an_age(age: Decimal, passages: Sequence[Passage]) -> tuple[tuple[int, Unit], ...]:
    """The one row or item whose name has a range without a unit in brackets that holds the age, of the best passage."""
    held: list[tuple[int, Unit]] = []
    for place, row, name in _names(passages[:_NEAREST]):
        if held and held[0][0] != place:
            break
        spans = [span for bracket in _BRACKET.findall(name) for span in _spans(bracket)]
        if len(spans) == 1 and spans[0].unit in _YEARS and spans[0].holds(age):
            held.append((place, row))
    return tuple(held) if len(held) == 1 else ()


def _names(passages: Sequence[Passage]) -> Iterator[tuple[int, Unit, str]]:
    """What rows of tables and items of lists are called."""
    for place, passage in enumerate(passages):
        for unit in quoted_units(passage):
            if unit.whole and not unit.code and (name := row_name(unit.text)):
                yield place, unit, name


def _cells(passages: Sequence[Passage]) -> Iterator[tuple[int, Unit, str, str]]:
    """Each cell of each row with the name of its column; an item of a list is one cell."""
    for place, passage in enumerate(passages):
        for unit in quoted_units(passage):
            if not unit.whole or unit.code:
                continue
            if unit.whole.lstrip().startswith("|"):
                columns, rows = rows_of(unit.whole)
                yield from (
                    (place, unit, name, cell) for name, cell in zip(columns, rows.get(unit.text, []), strict=False)
                )
            else:
                yield place, unit, "", unit.text


def _of_column(cell: tuple[int, Unit, str, str]) -> tuple[int, str, str]:
    return cell[0], cell[1].whole, cell[2]


def _span(text: str, column: str, unit: str) -> _Span | None:
    """The range that a cell states in a unit; None where it states none, or several."""
    found = [
        span for span in _spans(text) if unit in ([span.unit] if span.unit else [_unit(column), *content_stems(column)])
    ]
    return found[0] if len(found) == 1 else None


def _spans(text: str) -> Iterator[_Span]:
    left = text
    for pattern in (_BETWEEN, _FROM, _UP_TO):
        for match in pattern.finditer(left):
            told = match.groupdict()
            low, high = told.get("low") or told.get("low2"), told.get("high")
            small = Decimal("0.001") if told.get("open") else Decimal(0)
            ends = (
                _value(low) + small if low else Decimal(0),
                _value(high) - (small if low is None else 0) if high else _MOST,
            )
            yield _Span(min(ends), max(ends), _unit(told.get("unit") or told.get("unit2") or ""))
        left = pattern.sub(" ", left)
    if alone := _ALONE.fullmatch(text):
        yield _Span(_value(alone["low"]), _value(alone["low"]), _unit(alone["unit"]), alone=True)


def _value(digits: str) -> Decimal:
    return Decimal(digits.replace(",", "."))


def _unit(text: str) -> str:
    return stem(folded(text))


_YEARS = ("", _YEAR, _unit("años"))
