"""A follow-up that asks for another column of the row that the last answer quoted: "and how much is it a month?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.generation.extractive.row_arithmetic.rows import Row
from engine.generation.extractive.row_arithmetic.wording import AMOUNT, LONG, read

_MARKS = re.compile(r"\s*\[\d{1,6}\]")


def cell_of_the_last_row(question: str, answer: str, rows: Sequence[Row]) -> str:
    """The cell that `question` asks for of the only row that `answer` quotes; empty where that is not clear.

    The question names a column and nothing else, or asks how much or how long, and the row has one such figure.

    Args:
        answer: The last one of the conversation, with its marks.
        rows: Those at hand, of all documents.
    """
    quoted = [row for row in rows if row.columns and _is_quoted(row, answer)]
    if len(quoted) != 1 or len(_MARKS.findall(answer)) != 1:
        return ""
    (row,) = quoted
    asked = read(question, [row])
    if asked.left or asked.comparing or any(asked.sides) or len(asked.columns) > 1:
        return ""
    column = asked.columns[0] if asked.columns else _only_column(question, row)
    written = row.texts[row.columns.index(column)] if column else ""
    return f"{row.name} — {column}: {written}. [{row.number}]" if written else ""


def _is_quoted(row: Row, answer: str) -> bool:
    """Whether an answer tells of a row by its name with its cells, and of none of the same beginning."""
    return (
        re.search(rf"(?:^|[.:\]]\s+|\*\*)[*_`]*{re.escape(row.name)}[*_`]*(?: —|:)\s", answer, re.MULTILINE) is not None
    )


def _only_column(question: str, row: Row) -> str:
    kind = "time" if LONG.search(question) else "money" if AMOUNT.search(question) else ""
    columns = [cell.column for cell in row.cells if kind and cell.kind == kind]
    return columns[0] if len(columns) == 1 else ""
