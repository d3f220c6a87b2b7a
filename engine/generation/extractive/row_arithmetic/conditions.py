"""The rows of one table that a condition holds for: "which lamps cost less than 8 euros?", "list the red ones"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from engine.generation.extractive.account_figures.candidates.choosing import Bound, bound_said
from engine.generation.extractive.account_figures.figure import CURRENCY, Amount, amounts_in
from engine.generation.extractive.row_arithmetic.rows import (
    Row,
    called_so,
    in_seconds,
    items_in,
    kind_of,
)
from engine.generation.extractive.row_arithmetic.wording import (
    AMOUNT,
    SUPERLATIVE,
    column_stems,
    denies,
    is_told,
    read,
    telling,
    tokens,
    without_doing,
)
from engine.text.language import Language
from engine.text.words import content_stems, folded, is_common, stem

#: Asks for rows, not for a figure of one or for how many there are.
_WHICH = re.compile(
    r"^\W*(?:(?:and|y|but|pero|so|ok)\s+)*(?:(?:in|at|en|a|for|para)\s+)?"
    r"(?:which|what|where|list|show|give|tell|name|find|que|cuales?|donde|lista\w*|dime|dame|muestra\w*|enumera\w*|"
    r"(?:is|are) there any|hay algun\w*|do you have any|teneis algun\w*)\b"
)
#: Asks how many rows there are.
_HOW_MANY = re.compile(r"^\W*(?:(?:and|y)\s+)?(?:how many|cuant[oa]s)\s+(?P<what>[^\W\d_]+)")
#: Asks for something else than rows all the same.
_NOT_WHICH = re.compile(r"\b(?:how (?:much|many|long|often)|cuant[oa]s?|when|why|cuando|por que|mean|significa)\b")
#: Says in a cell that something is not needed, not there or not so.
_NONE = re.compile(
    r"(?:none|no|not? (?:needed|required|included|necesari[oa]|incluid[oa])|false|ningun[oa]?|-|–|—)", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]+")
#: The codes among the currencies that are read.
_CODES = re.findall(r"[A-Z]{3}", CURRENCY)
#: Words of the longest cell that says of what kind a row is.
_KIND_WORDS = 3
#: Characters up to which rows are told with all of their cells.
_WHOLE_CHARS = 700


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
    counts = _HOW_MANY.match(asked)
    other = _NOT_WHICH.search(asked[counts.end() :] if counts else asked)
    return (counts is not None or _WHICH.search(asked) is not None) and other is None


def rows_that_hold(question: str, rows: Sequence[Row], language: Language) -> str:
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
    said = bound_said(question, language)
    rest = without_doing(folded(question) if said is None else f"{said[2]} {said[3]}", rows)
    if SUPERLATIVE.search(rest):
        return ""
    counts = _HOW_MANY.match(folded(question))
    found: list[str] = []
    for table in dict.fromkeys(row.table for row in rows if not row.single):
        every = [row for row in rows if row.table == table]
        if len(every) < 2 or (counts and not _tells(counts["what"], every)):
            continue
        told = _of_that_kind(rest, every) if said is None else _bounded(said, rest, every, language)
        found += [told] if told else []
    if len(found) != 1:
        return ""
    return f"{len(found[0].splitlines())}:\n\n{found[0]}" if counts else found[0]


def _bounded(said: tuple[Bound, Amount, str, str], rest: str, every: Sequence[Row], language: Language) -> str:
    bound, amount, _, behind = said
    word = next(iter(_WORD.findall(behind[:20])), "") if not amount.unit else ""
    condition = _Condition(bound, amount, "" if word and is_common(word) else word)
    kind = _kind(rest, every)
    if kind is None or denies(rest):
        return ""
    chosen, rest, by = kind
    if not every[0].columns:
        listed = _listed(condition, every, language)
        return _told_items(chosen, listed) if listed and _is_accounted(rest, every, condition, told=bool(by)) else ""
    column = _column(condition, rest, every)
    if not column or not _is_accounted(rest, every, condition, column, told=bool(by)):
        return ""
    held: list[Row] = []
    for row in chosen:
        cell = next((cell for cell in row.cells if cell.column == column), None)
        if cell is None and any(map(str.isdigit, row.of(column))):
            return ""  # "from 5 euros" may be on either side
        if cell is not None and condition.holds(cell.amount):
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
    if asked := _column_named(rest, every):
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
    cell = next((cell for cell in row.cells if cell.column == column), None)
    asked = condition.units()[0]
    if cell is None:
        return False
    if asked.is_money:
        return (cell.kind == "money" and same_currency(asked.unit, cell.amount.unit)) or (
            priced and not cell.amount.unit
        )
    if not asked.unit or not cell.amount.unit:
        unit = tokens(asked.unit)
        return not unit or any(unit[0].within(tokens(name)) for name in (column, row.called))
    return kind_of(asked) == cell.kind


def _is_accounted(
    rest: str, every: Sequence[Row], condition: _Condition | None = None, column: str = "", *, told: bool = False
) -> bool:
    """Whether the other words of a question say nothing but which table it is, and how it asks.

    Args:
        told: Some word has told the table already.
    """
    called = tokens(called_so(every))  # "which route" does not name the "Mill route"
    words = (word for word in re.findall(r"[^\W_]+", rest) if not tokens(word)[0].within(called))
    asked = read(" ".join(words), every)
    named = column_stems(column) | ({stem(condition.behind)} if condition is not None and condition.behind else set())
    left = {stem(word) for word in asked.left} - named
    told = told or bool(asked.columns) or _tells(rest, every)
    return told and not left and not any(asked.sides) and not asked.comparing


def _column_named(rest: str, every: Sequence[Row]) -> tuple[str, ...]:
    called = tokens(called_so(every))
    return read(" ".join(one.text for one in tokens(rest) if not one.within(called)), every).columns


def _tells(rest: str, every: Sequence[Row]) -> bool:
    """Whether a word of a question is one of what the table itself is called."""
    own = [*tokens(called_so(every)), *tokens(every[0].heading)]
    return any(is_told(token, own) for token in tokens(rest) if not is_common(token.text))


def _kind(rest: str, every: Sequence[Row]) -> tuple[list[Row], str, list[str]] | None:
    """The rows of the kind that words name, the other words, and the columns that say so; None where it is not clear.

    A kind is what whole cells of a column say. All rows where none is named.
    """
    about = [token for called in (every[0].about, *every[0].columns) for token in tokens(called)]
    said = [token for token in tokens(rest) if not is_common(token.text) and not token.within(about)]
    found: dict[str, tuple[list[Row], set[str]]] = {}
    for column in every[0].columns:
        rows: list[Row] = []
        words: set[str] = set()
        for row in every:
            cell = telling(row.of(column)) if not _states(row, column) else []
            if 0 < len(cell) <= _KIND_WORDS and all(token.within(said) for token in cell):
                rows.append(row)
                words |= {token.text for token in said if token.within(cell)}
        if rows and len(rows) < len(every):
            found[column] = rows, words
    taken = [words for _, words in found.values()]
    if any(one & other for at, one in enumerate(taken) for other in taken[at + 1 :]):
        return None
    named = [token for token in said if not any(token.text in words for words in taken)]
    for token in named:  # "which lamps" of "Desk lamp", "Floor lamp" and others
        rows = [row for row in every if token.within(tokens(row.says_what or row.name))]
        if 1 < len(rows) < len(every):
            found[f"({token.text})"] = rows, {token.text}
    chosen = [row for row in every if all(row in rows for rows, _ in found.values())]
    every_word = set().union(*(words for _, words in found.values()))
    left = " ".join(word for word in re.findall(r"[^\W_]+", rest) if tokens(word)[0].text not in every_word)
    return chosen, left, [column for column in found if column in every[0].columns]


def _states(row: Row, column: str) -> bool:
    return any(cell.column == column for cell in row.cells)


def _of_that_kind(rest: str, every: Sequence[Row]) -> str:
    if not every[0].columns:
        return ""
    if flagged := _flagged(rest, every):
        return flagged
    kind = _kind(rest, every) if not denies(rest) else None
    if kind is None:
        return ""
    chosen, left, columns = kind
    if not columns:
        return _named_list(rest, every)
    if not _is_accounted(left, every, told=True) or not set(_column_named(left, every)) <= set(columns):
        return ""
    return _told([(row, columns) for row in chosen])


def _flagged(rest: str, every: Sequence[Row]) -> str:
    """The rows whose cell says that there is something, or that there is none: "which rooms have a bath?"."""
    columns = _column_named(rest, every)
    if len(columns) != 1 or not _is_accounted(rest, every):
        return ""
    cells = [row.of(columns[0]) for row in every]
    none = [_NONE.fullmatch(cell) is not None for cell in cells]
    if not all(cells) or not any(none) or all(none) or any(_states(row, columns[0]) for row in every):
        return ""
    denied = denies(rest)
    return _told([(row, columns) for row, is_none in zip(every, none, strict=True) if is_none is denied])


def _named_list(folded: str, every: Sequence[Row]) -> str:
    """A list of objects that a question names by its key, and nothing else."""
    name = content_stems(every[0].called)
    if not every[0].is_object or not name or not name <= content_stems(folded):
        return ""
    if not _is_accounted(folded, every) or _column_named(folded, every):
        return ""
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
    return "\n".join(f"- {row.told}" for row in held) + _mark(held) if held else ""


def _told(held: Iterable[tuple[Row, Sequence[str]]]) -> str:
    """A line for each row, with its cells in these columns."""
    lines = list(held)
    told = [
        f"- {row.full_name}"
        + (f" — {cells}" if (cells := "; ".join(f"{one}: {row.of(one)}" for one in columns)) else "")
        for row, columns in lines
    ]
    return "\n".join(told) + _mark([row for row, _ in lines]) if lines else ""


def _mark(rows: Sequence[Row]) -> str:
    return " " + " ".join(f"[{number}]" for number in dict.fromkeys(row.number for row in rows))


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
