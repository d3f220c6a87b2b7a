"""The rows of one table that a condition holds for: "which lamps cost less than 8 euros?", "list the red ones"."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from engine.generation.extractive.account_figures.candidates.bounds import Bound, bound_said
from engine.generation.extractive.account_figures.figure import CURRENCY, Amount, amounts_in
from engine.generation.extractive.row_arithmetic.rows import (
    Row,
    in_seconds,
    items_in,
    kind_of,
    marks,
)
from engine.generation.extractive.row_arithmetic.table_words import (
    columns_named,
    is_accounted,
    kind_named,
    same_unit,
    tells,
)
from engine.generation.extractive.row_arithmetic.wording import (
    AMOUNT,
    HAVING,
    LONG,
    SUPERLATIVE,
    column_stems,
    denies,
    tokens,
    without_doing,
)
from engine.text.language import Language
from engine.text.unit_names import names as unit_names
from engine.text.words import asks_something, content_stems, folded, is_common

#: Asks for rows, not for a figure of one or for how many there are.
_WHICH = re.compile(
    r"^\W*(?:(?:and|y|but|pero|so|ok)\s+)*(?:(?:in|at|en|a|for|para)\s+)?"
    r"(?:which|what|who|where|list|show|give|tell|name|find|que|quien(?:es)?|cuales?|donde|lista\w*|dime|dame|muestra\w*|enumera\w*|"
    r"(?:is|are) there any|hay algun\w*|do you have any|teneis algun\w*)\b"
)
#: Asks how many rows there are.
_HOW_MANY = re.compile(
    r"^\W*(?:(?:and|y)\s+)?(?:how many|cuant[oa]s)\s+(?:of (?:the|your|our|these|those) |de (?:l[oa]s|tus|sus) )?"
    r"(?P<what>[^\W\d_]+)"
)
#: Asks what several things cost.
_HOW_MUCH = re.compile(r"^\W*(?:(?:and|y)\s+)?(?:how much (?:are|do)|cuanto (?:cuestan|valen))\b")
#: Asks for something else than rows all the same.
_NOT_WHICH = re.compile(r"\b(?:how (?:much|many|long|often)|cuant[oa]s?|when|why|cuando|por que|mean|significa)\b")
#: Says in a cell that something is not needed, not there or not so.
_NONE = re.compile(
    r"(?:none|no|not? (?:needed|required|included|necesari[oa]|incluid[oa])|false|ningun[oa]?|-|–|—)", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_][^\W_]*")
#: The codes among the currencies that are read.
_CODES = re.findall(r"[A-Z]{3}", CURRENCY)
#: Says that nothing is to be paid.
_FREE = frozenset(["free", "gratis", "gratuito", "gratuita"])
#: Asks for all of something.
_LISTS = re.compile(
    r"^\W*(?:(?:and|y)\s+)?(?:which|what|list|show|give|tell|que|cuales|lista\w*|dime|dame|muestra\w*|enumera\w*)\b"
)
#: Asks what something is, rather than which rows are so.
_DEFINES = re.compile(r"^\W*(?:(?:and|y)\s+)?(?:what\W?s?\s(?:is|was|does)|what\W?s|que (?:es|era))\b")
#: A comparative with a number behind it.
_COMPARATIVE = re.compile(
    r"\b(?:(?P<er>(?!oth|rath|great|low|few)[a-z]{3,}?)(?:i?er) than|"
    r"(?P<more>(?:mas|menos) (?!de\b|que\b)[a-z]+) (?:de|que))\s+(?=[$€£]?\s?\d)"
)
#: Points at what an answer listed, which no other table is asked for.
_POINTING = re.compile(r"\b(?:of|de) (?:them|these|those|ell[oa]s|es[oa]s|est[oa]s)\b")
#: A word in capitals is a name, be it a common one otherwise.
_CAPITALS = re.compile(r"(?<!\w)[A-Z]{2,}(?!\w)")
#: Digits of the longest number that a figure may have to be.
_FIGURES = 6
#: Characters behind a number that have its unit.
_UNIT_CHARS = 24
#: Words of the longest message that names things and asks nothing.
_FEW_WORDS = 10
#: Characters up to which rows are told with all of their cells.
_WHOLE_CHARS = 700


#: Whether superlative words ask for the most; None where that is not sure.
IsMost = Callable[[str], bool | None]


@dataclass(frozen=True, slots=True)
class _Condition:
    """A bound with the unit that its number has, or the word behind the number."""

    bound: Bound
    amount: Amount
    behind: str = ""

    def units(self) -> list[Amount]:
        """The amount as it may be meant: with its unit, or with the word behind it for one."""
        return [self.amount] if self.amount.unit or not self.behind else [Amount(self.amount.value, self.behind)]

    def holds(self, amount: Amount) -> bool:
        """Whether a figure of the same kind is on that side."""
        asked = in_seconds(self.units()[0])
        own = in_seconds(amount)
        if asked is not None and own is not None:
            return Bound(self.bound.above, asked, self.bound.inclusive).holds(own)
        return self.bound.holds(amount.value)


def asks_for_rows(question: str) -> bool:
    """Whether a question may ask which rows a condition holds for."""
    asked = folded(question)
    begins = _HOW_MANY.match(asked) or _HOW_MUCH.match(asked)
    other = _NOT_WHICH.search(asked[begins.end() :] if begins else asked)
    return other is None and (begins is not None or _WHICH.search(asked) is not None or _names_several(question))


def _names_several(question: str) -> bool:
    """Whether a message is a few words without a question, one of them in the plural: "lamps from Italy"."""
    said = tokens(question)
    several = any(one.text.endswith("s") and not is_common(one.text) for one in said)
    return several and 1 < len(said) <= _FEW_WORDS and not asks_something(question)


def rows_that_hold(question: str, rows: Sequence[Row], language: Language, is_most: IsMost) -> str:
    """The rows of one table that a condition holds for, a line each; empty where none is asked for, or it is not sure.

    Where it is asked how many there are, their number stands above them. The condition is a bound on a column, or what
    whole cells say, or both, or that a column says "none" or does not. Each word of the question is accounted for,
    and one table alone answers it. A list that is asked for by the name of its key is told as a whole.

    Args:
        question: As it was written.
        rows: Of one document.
    """
    if not asks_for_rows(question):
        return ""
    said = _bound(question, language, is_most) or _equal(question, rows, language)
    rest = without_doing(folded(question) if said is None else f"{said[2]} {said[3]}", rows)
    if SUPERLATIVE.search(rest) or _POINTING.search(rest):
        return ""
    names = frozenset(map(folded, _CAPITALS.findall(question)))
    counts = _HOW_MANY.match(folded(question))
    found: list[str] = []
    for table in dict.fromkeys(row.table for row in rows if not row.single):
        every = [row for row in rows if row.table == table]
        if len(every) < 2 or (counts and not tells(counts["what"], every)):
            continue
        told = _of_that_kind(rest, every, names) if said is None else _bounded(said, rest, every, names, language)
        found += [told] if told else []
    if len(found) != 1:
        return ""
    return f"{len(found[0].splitlines())}:\n\n{found[0]}" if counts else found[0]


def those_that_hold(question: str, listed: Sequence[Row], language: Language, is_most: IsMost) -> str:
    """Those of the rows that were listed which a bound holds for, or whose cell says "none" or does not."""
    asked = _POINTING.sub(" ", folded(question))
    said = _bound(asked, language, is_most)
    if said is None:
        return _flagged(asked, listed)
    return _bounded(said, without_doing(f"{said[2]} {said[3]}", listed), listed, (), language, told=True)


def _bound(question: str, language: Language, is_most: IsMost) -> tuple[Bound, Amount, str, str] | None:
    """The bound of a question, be it said by a comparative: "heavier than 20 kg", "más baratas de 10 euros"."""
    asked = folded(question)
    found = _COMPARATIVE.search(asked)
    if found is None:
        return bound_said(question, language)
    more = is_most(f"the {found['er']}est" if found["er"] else found["more"])
    if more is None:
        return None
    side = {Language.ENGLISH: ("more than", "less than")}.get(language, ("mas de", "menos de"))[not more]
    return bound_said(f"{asked[: found.start()]} {side} {asked[found.end() :]}", language)


class _Exactly(Bound):
    """A number that a figure has to be."""

    def holds(self, value: Fraction) -> bool:
        return value == self.number


def _equal(question: str, rows: Sequence[Row], language: Language) -> tuple[Bound, Amount, str, str] | None:
    """The one number of a question as what a figure has to be: "which tents sleep 6 people?".

    None where it is a part of the name of a row, or is no bare number.
    """
    asked = folded(question)
    amounts = amounts_in(asked, language) if sum(map(str.isdigit, asked)) <= _FIGURES else []
    if len(amounts) != 1 or any(f" {folded(row.name)} " in f" {asked.strip(' ?.!')} " for row in rows):
        return None
    start, end, amount = amounts[0]
    return _Exactly(above=True, number=amount.value), amount, asked[:start], asked[end:]


def _bounded(
    said: tuple[Bound, Amount, str, str],
    rest: str,
    every: Sequence[Row],
    names: Collection[str],
    language: Language,
    *,
    told: bool = False,
) -> str:
    bound, amount, _, behind = said
    words = _WORD.findall(behind[:_UNIT_CHARS]) if not amount.unit else []
    two = " ".join(words[:2])  # "square metres"
    word = two if two in unit_names() else words[0] if words and not is_common(words[0]) else ""
    condition = _Condition(bound, amount, word)
    kind = kind_named(rest, every, names)
    if kind is None or denies(rest):
        return ""
    chosen, rest, by = kind
    rest = LONG.sub(" ", rest) if in_seconds(condition.units()[0]) is not None else rest
    if not every[0].columns:
        listed = _listed(condition, every, language)
        return (
            _told_items(chosen, listed)
            if listed and is_accounted(rest, every, unit=condition.behind, told=bool(by))
            else ""
        )
    column = _column(condition, rest, every)
    if not column or not is_accounted(rest, every, column, condition.behind, told=told or bool(by)):
        return ""
    held: list[Row] = []
    for row in chosen:
        cell = row.cell(column)
        if cell is None and any(map(str.isdigit, row.of(column))):
            return ""  # "from 5 euros" may be on either side
        free = amount.is_money and folded(row.of(column)) in _FREE
        if condition.holds(cell.amount) if cell is not None else free and condition.holds(amount.like(Fraction(0))):
            held.append(row)
    return _told([(row, [column]) for row in held])


def _column(condition: _Condition, rest: str, every: Sequence[Row]) -> str:
    """The one column whose figures a bound is for: by its name, else the only one of that kind."""
    priced = {cell.column for row in every for cell in row.cells if cell.kind == "money"} or {
        name for name in every[0].columns if AMOUNT.search(name.replace("_", " "))
    }
    names = [
        name
        for name in every[0].columns
        if 2 * sum(_is_of(condition, row, name, priced=name in priced) for row in every) >= len(every)
    ]
    if asked := columns_named(rest, every):
        named = [name for name in names if name in asked]
        return named[0] if len(asked) == len(named) == 1 else ""
    words = content_stems(f"{rest} {condition.behind}")
    worded = [name for name in names if words & column_stems(name)]
    if len(worded) == 1:
        return worded[0]
    return names[0] if len(names) == 1 and condition.units()[0].unit else ""


def _is_of(condition: _Condition, row: Row, column: str, *, priced: bool) -> bool:
    """Whether a row states a figure in a column that a bound may be for: of its kind, or bare where the column says it.

    Args:
        priced: The column has prices.
    """
    cell = row.cell(column)
    asked = condition.units()[0]
    if cell is None:
        return False
    if asked.is_money:
        return (cell.kind == "money" and same_currency(asked.unit, cell.amount.unit)) or (
            priced and not cell.amount.unit
        )
    if not asked.unit or not cell.amount.unit:
        unit = tokens(asked.unit)
        names = (column, row.called)
        return not unit or any(unit[0].within(tokens(name)) or same_unit(asked.unit, name) for name in names)
    return kind_of(asked) == cell.kind


def _of_that_kind(rest: str, every: Sequence[Row], names: Collection[str]) -> str:
    if not every[0].columns:
        return ""
    if not _HOW_MUCH.match(rest) and (flagged := _flagged(rest, every)):
        return flagged
    kind = None if denies(rest) else kind_named(rest, every, names)
    if kind is None or not kind[2]:
        return "" if kind is None else _named_list(rest, every)
    chosen, left, by = kind
    columns = [one for one in by if one in every[0].columns]
    asked = [column for column in columns_named(left, every) if column not in columns]
    if _HOW_MUCH.match(rest):
        prices = asked or list({cell.column for row in chosen for cell in row.cells if cell.kind == "money"})
        asked = prices if len(chosen) > 1 else []
        if len(asked) != 1:
            return ""
    told = columns or asked or _LISTS.match(rest)
    if not told or not is_accounted(left, every, " ".join(columns), told=True) or (_DEFINES.match(rest) and not asked):
        return ""
    return _told([(row, asked or columns) for row in chosen])


def _flagged(rest: str, every: Sequence[Row]) -> str:
    """The rows whose cell says that there is something, or that there is none: "which rooms have a bath?"."""
    rest = HAVING.sub(" ", rest)
    columns = columns_named(rest, every)
    if len(columns) != 1 or not is_accounted(rest, every):
        return ""
    cells = [row.of(columns[0]) for row in every]
    none = [_NONE.fullmatch(cell) is not None for cell in cells]
    if not all(cells) or not any(none) or all(none) or any(row.cell(columns[0]) for row in every):
        return ""
    denied = denies(rest)
    return _told([(row, columns) for row, is_none in zip(every, none, strict=True) if is_none is denied])


def _named_list(rest: str, every: Sequence[Row]) -> str:
    """All rows of a file of rows, or of a list of objects, that a question names by what they are, and nothing else."""
    coded = all(row.says_what for row in every)
    name = column_stems(every[0].columns[0] if coded else every[0].called)
    asks = _LISTS.match(rest) or _HOW_MANY.match(rest)
    if not every[0].is_record or not name or not name <= content_stems(rest) or asks is None:
        return ""
    if not is_accounted(rest, every) or columns_named(rest, every) or _DEFINES.match(rest):
        return ""
    if AMOUNT.search(rest):
        return _told([(row, [cell.column for cell in row.cells if cell.kind == "money"]) for row in every])
    whole = _told([(row, [column for column in row.columns if row.of(column)]) for row in every])
    return whole if len(whole) <= _WHOLE_CHARS else _told([(row, []) for row in every])


def _listed(condition: _Condition, every: Sequence[Row], language: Language) -> dict[str, bool]:
    """Whether a bound holds for each item of a list, by its text: for its first figure of that kind.

    Empty where not all items were read, or fewer than two state such a figure.
    """
    if items_in(every[0].table) != len(every):
        return {}
    asked = condition.units()[0]
    found: dict[str, bool] = {}
    stated = 0
    for row in every:
        amounts = [one for _, _, one in amounts_in(row.told.partition(":")[2], language)]
        own = [one for one in amounts if _alike(asked, one)]
        stated += bool(own)
        found[row.told] = bool(own) and condition.holds(own[0])
    return found if stated > 1 and (asked.unit or condition.behind) else {}


def _alike(asked: Amount, other: Amount) -> bool:
    if asked.is_money:
        return other.is_money and same_currency(asked.unit, other.unit)
    return bool(asked.unit) and kind_of(asked) == kind_of(other)


def _told_items(chosen: Sequence[Row], listed: dict[str, bool]) -> str:
    held = [row for row in chosen if listed[row.told]]
    return "\n".join(f"- {row.told}" for row in held) + f" {marks(held)}" if held else ""


def _told(held: Iterable[tuple[Row, Sequence[str]]]) -> str:
    """A line for each row, with its cells in these columns."""
    lines = list(held)
    told = "\n".join(f"- {row.told_by(columns)}" for row, columns in lines)
    return f"{told} {marks(row for row, _ in lines)}" if lines else ""


def same_currency(one: str, other: str) -> bool:
    """Whether two currencies may be one: "euros" and "€", "pesos" and "MXN"."""
    a, b = _currencies(one), _currencies(other)
    return not a or not b or bool(a & b)


@cache
def _currencies(unit: str) -> frozenset[str]:
    """The codes that a unit of money may stand for, by signs and names; empty for a unit that is not known."""
    from babel.numbers import get_currency_name, get_currency_symbol

    def names(code: str) -> Iterator[str]:
        yield code
        for locale in ("en", "es"):
            yield get_currency_symbol(code, locale)
            yield from (get_currency_name(code, count, locale).split()[-1] for count in (1, 2))
            yield from (get_currency_name(code, count, locale).split()[0] for count in (1, 2))

    asked = folded(unit)
    return frozenset(code for code in _CODES if asked in map(folded, names(code)))
