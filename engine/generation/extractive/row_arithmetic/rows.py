"""Rows of tables and items of lists with the amounts that they state."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

from engine.domain import Evidence, Passage
from engine.generation.extractive.account_figures.figure import CURRENCY, Amount, amount_of
from engine.text.language import Language, language_of
from engine.text.plain_lists import ITEM, list_name
from engine.text.quotation import quoted_units, subject_of
from engine.text.records import every_cell_of, is_object, is_table_file, rows_as_table
from engine.text.sentences import Unit, row_name, rows_of
from engine.text.words import has_digit, letter_words

#: What parts the figures of an item: "12 hours, £205"; a comma inside a number does not.
_CLAUSE = re.compile(r"[,;]\s+")
_MARKS = "*_` "
#: Passages whose rows are kept: the next turns find many of them again.
_KEPT = 256
_APART = re.compile(r"[-_.]+")
#: What makes a figure depend on more than the row says.
QUALIFIED = re.compile(
    r"\b(?:per|each|every|from|over|under|up to|until|after|extra|less|more|off|por|cada|desde|hasta|a partir|m[aá]s|"
    r"menos|for|only|if|when|with|without|para|s[oó]lo|si|con|sin)\b",
    re.IGNORECASE,
)
#: Says when something is to be had, and nothing of another figure: "on weekdays only".
_WHEN_ALONE = re.compile(r"\bonly$|^s[oó]lo\b(?= (?:en|el|l[oa]s)\b)", re.IGNORECASE)
#: Units of time by their words, in the singular, in seconds.
_TIME_UNITS = {
    word: length
    for words, length in (
        ("s sec second seg segundo", 1),
        ("min minute minuto", 60),
        ("h hr hour hora", 3_600),
        ("d day día dia", 86_400),
        ("week semana", 604_800),
    )
    for word in words.split()
}
#: How units of time are shortened in the names of columns; a single letter may be something else.
_SHORT = frozenset(["min", "sec", "seg", "hr"])
_MONTH = re.compile(r"(?<!\d )\b(?:month(?:s|ly)?|mes(?:es)?|mensual(?:es)?)\b", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d )\b(?:year(?:s|ly)?|annual(?:ly)?|a[nñ]os?|anual(?:es)?)\b", re.IGNORECASE)
#: How many of its periods a year has.
_IN_A_YEAR = {"month": 12, "year": 1}
#: The currency that the name of a column says: "price_eur", "Price (€)", "Precio mes eur". Pounds may be of weight.
CURRENCY_SAID = re.compile(
    rf"(?<![^\W\d_])(?P<unit>[$€£¥]|(?!pounds|libras|pesos){CURRENCY})(?![^\W\d_])", re.IGNORECASE
)
#: What the figures of a list are called, which has no columns.
_KINDS = {
    "money": {Language.ENGLISH: "Price", Language.SPANISH: "Precio"},
    "time": {Language.ENGLISH: "Duration", Language.SPANISH: "Duración"},
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One figure of a row.

    Attributes:
        column: What its column is called; of a list, what such figures are.
        written: The figure as it stands there.
        named: The document calls the column so.
        period: `month` or `year` where it is for one; empty where nothing says so.
    """

    column: str
    amount: Amount
    written: str
    named: bool = True
    period: str = ""

    @property
    def kind(self) -> str:
        """`money`, `time`, or the unit."""
        return kind_of(self.amount)

    @property
    def yearly(self) -> Fraction:
        """The figure for a year, where it is for a period."""
        return self.amount.value * _IN_A_YEAR[self.period]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table or an item of a list.

    Attributes:
        number: Of its passage in the session.
        table: The table or list that it is of.
        about: The headings above it, the title of its document, and what the first column is called.
        columns: The names of the columns behind the first one.
        texts: What stands in these.
        cells: Those that state one figure and nothing else.
        called: What the first column is called, of a table.
        told: The text of the row or item.
        heading: What the table itself is called: by the heading right above it, by the line that introduces a list, and
            by the title of a document that is one table.
        single: It is a passage of its own, and the other rows of its table are elsewhere.
    """

    document: str
    number: int
    table: str
    name: str
    about: str
    columns: tuple[str, ...]
    texts: tuple[str, ...]
    cells: tuple[Cell, ...]
    called: str = ""
    told: str = ""
    heading: str = ""
    single: bool = False

    @property
    def says_what(self) -> str:
        """What a row that is called by a code tells of, by the cell behind it; empty for any other row."""
        coded = has_digit(self.name) and self.name.split() == [self.name]
        if not self.texts or not coded:
            return ""
        return self.texts[0] if self.cell(self.columns[0]) is None else ""

    @property
    def full_name(self) -> str:
        """The name with what it stands for, where it is a code."""
        return f"{self.name}, {self.says_what}" if self.says_what else self.name

    @property
    def is_record(self) -> bool:
        """Whether it is a row of a file of rows, or an object of a list that has a name."""
        return is_object(self.document, self.called) or is_table_file(self.document)

    def cell(self, column: str) -> Cell | None:
        """The one figure that the row states in a column, and nothing else; None where it does not."""
        return next((cell for cell in self.cells if cell.column == column), None)

    def told_by(self, columns: Iterable[str]) -> str:
        """The name with what the row has in these columns."""
        cells = "; ".join(f"{column}: {self.of(column)}" for column in columns)
        return f"{self.full_name} — {cells}" if cells else self.full_name

    def of(self, column: str) -> str:
        """What the row has in a column; empty where it has nothing there."""
        return self.texts[self.columns.index(column)] if column in self.columns else ""


def marks(rows: Iterable[Row]) -> str:
    """The marks of the passages that rows stand in."""
    return " ".join(f"[{number}]" for number in dict.fromkeys(row.number for row in rows))


def items_in(whole: str) -> int:
    """How many items a list has."""
    return sum(ITEM.match(line) is not None for line in whole.splitlines())


def called_so(every: Sequence[Row]) -> str:
    """What the column is called that the names of the rows of a table stand in, with that of their codes."""
    return f"{every[0].called} {every[0].columns[0] if all(row.says_what for row in every) else ''}".strip()


def kind_of(amount: Amount) -> str:
    """`money` or `time`, else the unit in lower case."""
    if amount.is_money:
        return "money"
    return "time" if in_seconds(amount) is not None else amount.unit.casefold().rstrip("s")


def in_seconds(amount: Amount) -> Fraction | None:
    """How long a length of time is; None of anything else."""
    if len(amount.unit.split()) > 1:
        return amount.value  # several units, which are read as seconds
    unit = amount.unit.casefold()
    length = _TIME_UNITS.get(unit) or _TIME_UNITS.get(unit.removesuffix("s"))
    return None if length is None else amount.value * length


def rows_of_evidence(evidence: Sequence[Evidence]) -> list[Row]:
    """The rows of all passages, those of the best one first; what two passages have is there once."""
    found: dict[tuple[str, str, tuple[Cell, ...]], Row] = {}
    for piece in evidence:
        for row in _rows_of(replace(piece.passage, score=0.0)):
            found.setdefault((row.document, row.name, row.cells), replace(row, number=piece.number))
    return list(found.values())


@lru_cache(_KEPT)
def _rows_of(passage: Passage) -> tuple[Row, ...]:
    cells = every_cell_of(passage.document, passage.heading, passage.text)
    single = bool(cells)
    given = replace(passage, text=rows_as_table([cells])) if single else passage
    units = [unit for unit in quoted_units(given) if unit.whole and not unit.code]
    language = language_of(passage.text) if units else Language.ENGLISH
    read = (_row(unit, passage, language) for unit in units)
    return tuple(replace(row, single=single) for row in read if row is not None)


def texts_of(document: str, evidence: Sequence[Evidence]) -> Iterator[str]:
    """The sentences, rows and items of the passages of a document."""
    for piece in evidence:
        if piece.passage.document == document:
            yield from (unit.text for unit in quoted_units(piece.passage))


def _row(unit: Unit, passage: Passage, language: Language) -> Row | None:
    if unit.whole.lstrip().startswith("|"):
        columns, cells = rows_of(unit.whole)
        texts = cells.get(unit.text, [])
        if len(texts) != len(columns) or len(columns) < 2 or columns[0] == "#":
            return None
        name, named, called = texts[0], tuple(columns[1:]), columns[0]
        stated = [
            Cell(column, _in_unit(amount, column), text.strip(_MARKS))
            for column, text in zip(columns[1:], texts[1:], strict=True)
            if (amount := amount_of(text.strip(_MARKS), language)) is not None
        ]
    else:
        name, named, called, texts = row_name(unit.text), (), "", []
        stated = list(_listed(unit.text.partition(":")[2], language))
    if not name:
        return None
    made = tuple(
        replace(cell, period=period_of(cell.column) or period_of(name)) if cell.kind == "money" else cell
        for cell in stated
    )
    title = _APART.sub(" ", passage.title)  # of a file: "lamps-2026.csv"
    about = f"{title} {passage.heading} {called}"
    document = passage.document
    behind = tuple(texts[1:])
    heading = f"{subject_of(passage)} {'' if named else list_name(unit.whole, '')}"
    if is_table_file(document) or not heading.strip():
        heading = f"{title} {heading}"
    return Row(document, 0, unit.whole, name, about, named, behind, made, called, unit.text, heading)


def _in_unit(amount: Amount, column: str) -> Amount:
    """A bare number in the currency that its column names, or in its unit of time: "Minutos", "Length (min)"."""
    if amount.unit:
        return amount
    if said := CURRENCY_SAID.search(column):
        return replace(amount, unit=said["unit"])
    words = [word for word in letter_words(column) if len(word) > 1]
    units = [word for word in words if word.endswith("s") or word.casefold() in _SHORT]
    lasting = [unit for unit in units if in_seconds(replace(amount, unit=unit)) is not None]
    return replace(amount, unit=lasting[0]) if len(lasting) == 1 and QUALIFIED.search(column) is None else amount


def _listed(text: str, language: Language) -> Iterator[Cell]:
    """The figures of an item, one of each kind; none where something qualifies them."""
    pieces = [piece.strip(f"{_MARKS}.") for piece in _CLAUSE.split(text)]
    read = [amount_of(piece, language) for piece in pieces]
    beside = [piece for one, piece in zip(read, pieces, strict=True) if one is None]
    if any(QUALIFIED.search(_WHEN_ALONE.sub("", piece)) for piece in beside):
        return
    kinds = [kind_of(one) for one in read if one is not None]
    for one, piece in zip(read, pieces, strict=True):
        if one is not None and kinds.count(kind_of(one)) == 1:
            yield Cell(_KINDS.get(kind_of(one), {}).get(language, one.unit), one, piece, named=False)


def period_of(text: str) -> str:
    """`month` or `year` where a text names one of the two, and not so many of them."""
    found = [name for name, pattern in (("month", _MONTH), ("year", _YEAR)) if pattern.search(text)]
    return found[0] if len(found) == 1 else ""
