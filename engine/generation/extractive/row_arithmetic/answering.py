"""Sums, differences and verdicts over the rows that a question names, each with where its figures stand.

Only what is found without doubt is put together: each word of the question is accounted for (`wording`), the rows are
of one document, their figures of one unit and one column. Whatever is less clear is left to quoting.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from classifier.embedder import Embedder
from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.last_row import cell_of_the_named_row, told_of_the_last_answer
from engine.generation.extractive.row_arithmetic.rows import (
    QUALIFIED,
    Cell,
    Row,
    kind_of,
    period_of,
    rows_of_evidence,
    texts_of,
)
from engine.generation.extractive.row_arithmetic.table_operations import (
    QUESTION_CHARS,
    asks_for_rows,
    asks_which,
    is_most,
    rows_asked,
)
from engine.generation.extractive.row_arithmetic.table_query import TableReader
from engine.generation.extractive.row_arithmetic.table_result import result, those_that_hold
from engine.generation.extractive.row_arithmetic.terms import UNADDED, Term, same, told_total, verdict
from engine.generation.extractive.row_arithmetic.wording import (
    AMOUNT,
    BARE,
    DIFFERENCE,
    LONG,
    SAVES,
    SUPERLATIVE,
    Asked,
    Operand,
    column_stems,
    read,
    telling,
    tokens,
    words_comparing,
)
from engine.generation.extractive.spanned_rows import spanned_rows
from engine.text.language import Language, language_of
from engine.text.unit_names import names as unit_names
from engine.text.words import asks_something, content_stems, folded

#: How much likelier a column is than the next one, as a cosine, for it to be what is compared.
_CLEAR = 0.003
#: How like to a comparison a column is at least: "sleeps more" is .84 to a price, "cheaper" .91.
_CALLED_SO = 0.87
#: What figures of a kind are called: a comparison is told by these words too.
_CALLED = {
    "money": ("price", "precio", "cost"),
    "time": ("duration", "duración", "length of time"),
}
_BRACKETS = re.compile(r"\([^()]*\)")
#: A share or a gift, and the number that it begins at: "10 % off for groups of 8 or more".
_GRADED = re.compile(r"\d\s?%|\bfree\b|\bgratis\b", re.IGNORECASE)
_FROM = re.compile(
    r"(?:from|over|more than|at least|groups? of|grupos? de|a partir de|desde|m[aá]s de|al menos)\s+(\d{1,4})\b|"
    r"\b(\d{1,4})\s+(?:[^\W\d_]+\s+){0,2}(?:or more|o m[aá]s)\b",
    re.IGNORECASE,
)
#: Asks for what several rows come to.
_TOGETHER = re.compile(
    r"\b(?:both|together|altogether|total|all|sum\w*|junt[oa]s|amb[oa]s|todos?|l[oa]s dos)\b", re.IGNORECASE
)
#: Passages whose tables may answer in other words what the documents do not seem to answer.
_NEAREST = 2
#: Words of a message that names a column alone: "and off-peak?".
_BRIEF = 6


def asks_over_table(question: str) -> bool:
    """Whether a question may ask for rows of a whole table: those that a condition or a range holds for, the most."""
    told = SUPERLATIVE.search(question) is not None or any(map(str.isdigit, question))
    return len(question) <= QUESTION_CHARS and (told or asks_for_rows(question))


class RowArithmetic:
    """Answers from what rows come to.

    Attributes:
        embedder: Tells which column a comparison is by, and what names mean; heads are fitted to it. Blocks.
    """

    def __init__(self, embedder: Embedder) -> None:
        self.embedder = embedder
        self._reader = TableReader(embedder)

    def answer(
        self,
        question: str,
        evidence: Sequence[Evidence],
        language: Language,
        before: Sequence[str] = (),
        last: str = "",
        *,
        answerable: bool = True,
    ) -> str:
        """What the rows that `question` names come to; empty where it asks for nothing of the kind, or is not sure.

        Args:
            question: As it was written.
            evidence: Best first.
            before: Earlier questions, latest last, where it goes on from them.
            last: The answer to the latest of them.
            answerable: See `Prompt.answerable`; where it is not, tables of the nearest passages alone are read freely.
        """
        if len(question) > QUESTION_CHARS:
            return ""
        before = [one for one in before if len(one) <= QUESTION_CHARS]
        brief = SUPERLATIVE.search(question) or (before and len(tokens(question)) <= _BRIEF)
        figured = AMOUNT.search(question) or LONG.search(question) or words_comparing(question) or brief
        rows = rows_of_evidence(evidence)
        documents = dict.fromkeys(row.document for row in rows)
        if last and not _TOGETHER.search(question):
            holding = partial(those_that_hold, reader=self._reader, language=language)
            if told := told_of_the_last_answer(question, last, rows, holding):
                return told
        of_documents = [[row for row in rows if row.document == document] for document in documents]
        each = (self._of_document(question, theirs, language, before, evidence) for theirs in of_documents if figured)
        found = list(filter(None, each))
        if not found:
            around = [piece.passage.text for piece in evidence]
            earlier = " ".join(before[-1:])
            near = None if answerable else {piece.number for piece in evidence[:_NEAREST]}
            if told := result(question, rows, self._reader, language, earlier, last, around, near):
                return told
            cells = (cell_of_the_named_row(question, theirs, _going_on(before)) for theirs in of_documents)
            found = list(filter(None, cells))
        return found[0] if len(found) == 1 else ""

    def rows_asked(self, question: str) -> str:
        """See `table_operations.rows_asked`."""
        return rows_asked(question)

    def answers_over(self, question: str, table: Passage, last: str = "") -> bool:
        """Whether the rows of a table answer a question together: the most, those that a condition or range holds for.

        Blocks, as `answer` does.

        Args:
            last: The answer that it goes on from; empty without one.
        """
        if not asks_over_table(question):
            return False
        answered = self.answer(question, [Evidence(1, table)], language_of(question), last=last)
        return bool(answered or spanned_rows(question, [table]))

    def _of_document(
        self,
        question: str,
        rows: Sequence[Row],
        language: Language,
        before: Sequence[str],
        evidence: Sequence[Evidence],
    ) -> str:
        asked = read(question, rows)
        both = before and not any(asked.sides) and asked.left in (("two",), ("dos",))
        if (asked.left and not both) or asked.each:
            return ""
        goes_on = not any(asked.sides) or len(tokens(question)) <= _BRIEF  # "and a helmet with shoes?"
        previous = " ".join(before[-1:]) if goes_on else ""
        asked = _carried(asked, rows, before)
        compared = self._compared(question, asked, rows, language)
        if compared or len(asked.sides) != 1 or asked.comparing:
            return compared
        if not (AMOUNT.search(f"{question} {previous}") or LONG.search(question)):
            return ""
        return self._summed(question, asked, rows, language, evidence)

    def _summed(
        self, question: str, asked: Asked, rows: Sequence[Row], language: Language, evidence: Sequence[Evidence]
    ) -> str:
        """What the named rows come to together."""
        operands = asked.sides[0]
        if (len(operands) < 2 and all(one.count == 1 for one in operands)) or not all(one.exact for one in operands):
            return ""
        kind = "time" if LONG.search(question) else "money"
        terms = _terms(operands, _columns(asked.columns, operands), kind)
        if any(_is_range(one.row.name) for one in operands):
            return ""
        if not _is_sum(terms, len(operands)) or _is_bundled(terms, rows) or _is_graded(terms, evidence):
            return ""
        return told_total(terms, language)

    def _compared(self, question: str, asked: Asked, rows: Sequence[Row], language: Language) -> str:
        """Which of two sides is more, and by how much."""
        if not asked.comparing:
            return ""
        if whole := _whole_rows(question, asked):
            return whole
        for one, other in self._sides(question, asked, rows):
            if not one or not other or same(one, other) or not _is_sum([*one, *other], added=False):
                continue
            if max(len(one), len(other)) > 1 and kind_of(one[0].cell.amount) in UNADDED:
                continue
            if told := verdict(one, other, language, self._most(question, asked)):
                return told
        return ""

    def _most(self, question: str, asked: Asked) -> bool | None:
        """Whether the side that is more is asked for; None where neither is. It encodes the words that compare."""
        if not asks_which(question):
            return None
        return is_most(asked.comparing, timed=False, operations=self._reader.operations)

    def _sides(self, question: str, asked: Asked, rows: Sequence[Row]) -> list[tuple[list[Term], list[Term]]]:
        if len(asked.sides) == 1 and len(asked.sides[0]) == 2 and DIFFERENCE.search(question):
            one, other = asked.sides[0]
            return self._by_column(asked, (one,), (other,))
        if len(asked.sides) == 2:
            return self._by_column(asked, *asked.sides)
        if len(asked.sides[0]) != 1:
            return []
        (operand,) = asked.sides[0]
        columns = sorted(_columns(asked.columns, [operand]), key=lambda name: question.casefold().find(name.casefold()))
        if len(columns) == 2:  # "cheaper yearly than monthly"
            first, second = (_terms([replace(operand, column=column)], (), "") for column in columns)
            return [(first, second)]
        return _by_period(operand, asked.columns, rows) if SAVES.search(question) else []

    def _by_column(
        self, asked: Asked, one: Sequence[Operand], other: Sequence[Operand]
    ) -> list[tuple[list[Term], list[Term]]]:
        """Both sides by the column that is named, else by the one that they have in common and the comparison is by."""
        if named := _columns(asked.columns, (*one, *other)):
            return [(_terms(one, named, ""), _terms(other, named, ""))]
        shared = [cell for cell in one[0].row.cells if all(operand.row.cell(cell.column) for operand in (*one, *other))]
        if len(shared) > 1:
            shared = self._likeliest(asked.comparing, shared)
        elif shared and self._is_of_another(asked.comparing, shared[0], one[0].row.columns):
            return []
        return [(_terms(one, [cell.column], ""), _terms(other, [cell.column], "")) for cell in shared[:1]]

    def _is_of_another(self, comparing: str, cell: Cell, columns: Sequence[str]) -> bool:
        """Whether a comparison is rather by a column that states no figure: what is faster by "Time: 15-25 minutes"."""
        others = [name for name in columns if name != cell.column]
        if not comparing or not others or not cell.named:
            return False
        own, another = self._likeness(comparing, [_names_of(cell), others])
        return another - own >= _CLEAR

    def _likeliest(self, comparing: str, cells: Sequence[Cell]) -> list[Cell]:
        """The column that a comparison is by: the one whose name, or what its figures are, is clearly likest to it."""
        if SAVES.search(comparing):
            cells = [cell for cell in cells if cell.kind == "money"]
        if len(cells) < 2:
            return list(cells)
        likeness = self._likeness(comparing, [_names_of(cell) for cell in cells])
        best = max(range(len(cells)), key=likeness.__getitem__)
        clear = all(likeness[best] - one >= _CLEAR for at, one in enumerate(likeness) if at != best)
        return [cells[best]] if clear and likeness[best] >= _CALLED_SO else []

    def _likeness(self, comparing: str, names: Sequence[Sequence[str]]) -> list[float]:
        """How like a comparison is to the likest of each group of names, as cosines."""
        vectors = iter(self.embedder.embed([comparing, *(name for those in names for name in those)]))
        asked = next(vectors)
        return [max(float(asked @ next(vectors)) for _ in those) for those in names]


def _going_on(before: Sequence[str]) -> list[str]:
    """Of earlier questions, latest last, those that a message goes on from: the last one in full and what is behind."""
    whole = [at for at, one in enumerate(before) if len(tokens(one)) > _BRIEF or asks_something(one)]
    return list(before[whole[-1] if whole else 0 :])


def _whole_rows(question: str, asked: Asked) -> str:
    """Both rows with all columns, where their difference as such is asked for and they have more than a figure."""
    rows = [operand.row for side in asked.sides for operand in side]
    by_one = asked.columns or any(operand.column for side in asked.sides for operand in side)
    worded = content_stems(question) & column_stems(" ".join(rows[0].columns if rows else ()))
    if worded or len(rows) != 2 or rows[0] == rows[1] or by_one or not DIFFERENCE.fullmatch(asked.comparing):
        return ""
    if any(len(list(filter(None, row.texts))) < 2 for row in rows):
        return ""
    return " ".join(f"{row.told.rstrip('.')}. [{row.number}]" for row in rows)


def _names_of(cell: Cell) -> tuple[str, ...]:
    """What a column is called, and what its figures are."""
    bare = _BRACKETS.sub("", cell.column).strip()  # "Height (m)"
    return (bare or cell.column, *_CALLED.get(cell.kind, ()))


def _carried(asked: Asked, rows: Sequence[Row], before: Sequence[str]) -> Asked:
    """A question that names no row with those of the questions before it: "and off-peak?", "both together?"."""
    if any(asked.sides) or not before or (asked.told and not asked.columns):
        return asked
    last = read(before[-1], rows)
    if asked.columns and not asked.comparing and not last.left and any(last.sides):
        sides = tuple(tuple(replace(one, column="") for one in side) for side in last.sides)
        return replace(last, sides=sides, columns=asked.columns)
    if folded(asked.comparing) in BARE:  # "and how much more?"
        asked = replace(asked, comparing=f"{asked.comparing} {last.comparing}".strip())
    if sum(map(len, last.sides)) == 2:
        apart = last.sides if len(last.sides) == 2 else tuple((one,) for one in last.sides[0])
        return replace(asked, sides=apart if asked.comparing else (tuple(one for side in apart for one in side),))
    told = [operand for one in before[-2:] for side in read(one, rows).sides for operand in side]
    if len(told) != 2 or told[0].row == told[1].row:
        return asked
    return replace(asked, sides=tuple((one,) for one in told) if asked.comparing else (tuple(told),))


def _columns(named: Sequence[str], operands: Sequence[Operand]) -> list[str]:
    """The columns that a question names, be it beside one of the rows alone."""
    return list(dict.fromkeys([*named, *(operand.column for operand in operands if operand.column)]))


def _terms(operands: Sequence[Operand], columns: Sequence[str], kind: str) -> list[Term]:
    """The figure of each operand: of its own column, of the one that the question names, or the only one of a kind."""
    found: list[Term] = []
    for operand in operands:
        wanted = [operand.column] if operand.column else list(columns)
        cells = [
            cell for cell in operand.row.cells if (cell.column in wanted if wanted else not kind or cell.kind == kind)
        ]
        if len(cells) != 1 or len(wanted) > 1:
            return []
        found.append(Term(operand.row, cells[0], operand.count))
    return found


def _by_period(operand: Operand, columns: Sequence[str], rows: Sequence[Row]) -> list[tuple[list[Term], list[Term]]]:
    """A figure for a year and the one for a month of the same thing, in its row or in another one of its table."""
    wanted = [operand.column, *columns]
    own = [cell for cell in operand.row.cells if cell.period and cell.kind == "money"]
    named = [cell for cell in own if cell.column in wanted] or (own if len(own) == 1 else [])
    if len(named) != 1 and {cell.period for cell in own} == {"month", "year"} and len(own) == 2:
        named = [cell for cell in own if cell.period == "year"]
    if len(named) != 1:
        return []
    bare = _unperiodic(operand.row.name)
    others = [
        Term(row, cell, operand.count)
        for row in rows
        if row.table == operand.row.table and (row is operand.row or _unperiodic(row.name) == bare)
        for cell in row.cells
        if cell.kind == "money" and cell.period and cell.period != named[0].period
    ]
    return [([Term(operand.row, named[0], operand.count)], others)] if len(others) == 1 else []


def _unperiodic(name: str) -> list[str]:
    return [token.text for token in tokens(name) if not period_of(token.text)]


def _is_sum(terms: Sequence[Term], count: int = 0, *, added: bool = True) -> bool:
    """Whether figures can be put together: all are there, of one kind, one currency and one column."""
    if not terms or len(terms) < count:
        return False
    kinds = {term.cell.kind for term in terms}
    signs = {term.cell.amount.unit for term in terms if term.cell.kind == "money"}
    periods = {term.cell.period for term in terms}
    if len(kinds) != 1 or len(signs) > 1 or (added and kinds & set(UNADDED)):
        return False
    return len(periods) == 1 or (not added and periods == {"month", "year"})


def _is_range(name: str) -> bool:
    """Whether a row is called by a range alone, so many of which are no sum: "up to 2 kg"."""
    own = telling(name)
    return QUALIFIED.search(name) is not None and all(one.count or one.text in unit_names() for one in own)


def _is_bundled(terms: Sequence[Term], rows: Sequence[Row]) -> bool:
    """Whether a row is named twice, or some row is of all that is added: "Family ticket (two adults, two children)"."""
    if len({term.row.name for term in terms}) != len(terms):
        return True
    names = [telling(term.row.name) for term in terms]
    names = [[one for one in name if sum(map(one.within, names)) == 1] for name in names]
    return len(terms) > 1 and any(
        row not in [term.row for term in terms]
        and all(any(one.within(tokens(row.name)) for one in name) for name in names)
        for row in rows
    )


def _is_graded(terms: Sequence[Term], evidence: Sequence[Evidence]) -> bool:
    """Whether the document has another price from so many on as are asked for."""
    most = sum(term.count for term in terms)
    return any(
        _GRADED.search(text) and any(most >= int(match[1] or match[2]) for match in _FROM.finditer(text))
        for text in texts_of(terms[0].row.document, evidence)
    )
