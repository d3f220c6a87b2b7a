"""One cell of a row: of the one that a question names, or of the one that the last answer quoted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from engine.generation.extractive.row_arithmetic.rows import Row
from engine.generation.extractive.row_arithmetic.table_words import says
from engine.generation.extractive.row_arithmetic.wording import (
    AMOUNT,
    HAVING,
    LONG,
    SUPERLATIVE,
    Token,
    asks_for_more,
    asks_why,
    column_stems,
    is_told,
    read,
    stretch_of,
    tokens,
    without_doing,
)
from engine.text.dates import weekdays_named
from engine.text.messages import LEAST, MOST
from engine.text.sentences import MARK, sentences
from engine.text.words import asks_yes_or_no, folded, has_digit, is_common

#: Somebody of an age, and a column that says one.
_AGED = re.compile(
    r"\b(?:an?\s)?\d{1,2}[\s-]?years?[\s-]olds?(?:\s(?:child|boy|girl|kid|person))?|"
    r"\b(?:(?:un|una)\s(?:niñ[oa]|chic[oa]|persona)\s)?(?:de|con)\s\d{1,2}\saños",
    re.IGNORECASE,
)
_OF_AGE = re.compile(r"\b(?:ages?|edad(?:es)?)\b", re.IGNORECASE)
#: Points at what the last answer listed.
_OF_THEM = re.compile(
    r"\b(?:which|what|any|cu[aá]l(?:es)?|algun[oa]s?)\s+(?:ones?\s+)?(?:of|de)\s+(?:them|these|those|ell[oa]s|es[oa]s|est[oa]s)\b|"
    r"\bwhich\sones?\b|^\W*(?:y\s+)?cu[aá]l(?:es)?\b",
    re.IGNORECASE,
)
#: Says in a question for yes or no that it is no short form of another one: "¿y la de madera?".
_IS = re.compile(
    r"\b(?:is|are|was|were|do|does|did|has|have|can|es|son|era|fue|est[aá]n?|tienen?|llevan?|vienen?)\b", re.IGNORECASE
)
#: Asks for a day or a time of the day, with a verb behind it at most: "when does she teach?".
_WHEN = re.compile(
    r"\W*(?:(?:and|y)\s+)?(?:when|(?:at\s)?what\stime|cu[aá]ndo|(?:a\s)?qu[eé]\shora|(?:which|what)\sdays?|qu[eé]\sd[ií]as?)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"\b\d{1,2}[:.]\d\d\b|\b\d{1,2}\s?[ap]\.?m\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(?:no|not|without|sin|except|salvo)\b|n['’]t\b", re.IGNORECASE)


def told_of_the_last_answer(
    question: str,
    answer: str,
    rows: Sequence[Row],
    holding: Callable[[str, Sequence[Row]], str],
) -> str:
    """What a question asks of the row, or of the rows, that the last answer quoted; empty where that is not clear.

    Args:
        holding: The rows of those that were listed which a bound of the question holds for; empty where it has none.
    """
    return cell_of_the_last_row(question, answer, rows) or rows_of_the_last_answer(question, answer, rows, holding)


def cell_of_the_last_row(question: str, answer: str, rows: Sequence[Row]) -> str:
    """The cell that `question` asks for of the only row that `answer` quotes; empty where that is not clear.

    The question names a column and nothing else, or asks how much or how long, and the row has one such figure.

    Args:
        answer: The last one of the conversation, with its marks.
        rows: Those at hand, of all documents.
    """
    quoted = [row for row in rows if row.columns and is_quoted(row, answer)]
    if len(quoted) != 1 or len(MARK.findall(answer)) != 1:
        return ""
    (row,) = quoted
    asked = read(question, [row])
    if asked.comparing or any(asked.sides) or len(asked.columns) > 1:
        return ""
    left = list(map(Token, asked.left))
    columns = asked.columns or _meant(question, row)
    if left and not columns:
        if _OF_THEM.search(question):
            return ""
        alike = [one for one in rows if one.columns == row.columns]
        return _cell_for(left, question, row, alike)
    when = len(left) == 1 and _WHEN.match(question) is not None  # what is done then is in no column
    return _told(row, columns[0]) if len(columns) == 1 and (when or columns[0] in _called(left, row)) else ""


def cell_of_the_named_row(question: str, rows: Sequence[Row], before: Sequence[str] = ()) -> str:
    """The cell of the one row that a question names, in the column that it names; empty where one of both is not clear.

    The column is called by its whole name or by a word that no other column has, or it is the only one with what is
    asked for: how much, how long. Nothing else is asked.

    Args:
        rows: Of one document.
        before: The questions that it goes on from, latest last: the latest of them that names a column tells it.
    """
    tables = [row for row in rows if row.columns]
    aged = _AGED.search(question)
    question = f"{question[: aged.start()]} one {question[aged.end() :]}" if aged else question
    if not tables:
        return ""
    asked = read(without_doing(question, tables), tables)
    if asked.each or len(asked.sides) != 1 or len(asked.sides[0]) != 1:
        return ""
    (operand,) = asked.sides[0]
    compared = [Token(folded(word)) for word in asked.comparing.split()]  # "in winter" reads as "colder" does
    if operand.count != 1:
        return ""
    row = operand.row
    columns = list(dict.fromkeys([*asked.columns, *filter(None, (operand.column,))]))
    left = [Token(word) for word in asked.left if HAVING.fullmatch(word) is None]
    if not left and not asks_yes_or_no(question):  # "when do I prune it?", "how is it sold?"
        said = [token for token in tokens(question) if not is_common(token.text)]
        compared += [token for token in said if not token.within(tokens(row.full_name))]
    if (left or compared) and not columns and not aged:
        told = _cell_for([*left, *compared], question, row, tables, of_text=bool(compared))
        if told or left or asked.comparing:
            return told
    if left or asked.comparing or asks_for_more(question):
        return ""
    if aged:
        columns = [column for column in row.columns if _OF_AGE.search(column.replace("_", " "))]
    elif not columns and (before or AMOUNT.search(question) or LONG.search(question)):
        meant = (_meant(one, row) for one in (question, *reversed(before)))
        columns = next(filter(None, meant), [])
    return _told(row, columns[0]) if len(columns) == 1 else ""


def _cell_for(words: Sequence[Token], question: str, row: Row, rows: Sequence[Row], *, of_text: bool = False) -> str:
    """The cell of a row that all these words are of; empty where it is not clear which.

    They are of the name of its column, or say what it is asked to be, which cells of the column say of other rows; or a
    sentence of a longer cell has them.

    Args:
        of_text: Such a sentence alone will do.
    """
    figure = AMOUNT.search(question) or LONG.search(question)
    if not asks_for_more(question) and not of_text:
        columns = _called(words, row)
        if not columns and asks_yes_or_no(question) and _IS.search(question):
            columns = [name for name in row.columns if any(says(one.of(name), words) for one in rows)]
        if columns:
            return _told(row, columns[0]) if len(columns) == 1 and not figure else ""
    told = [
        f"{row.full_name} — {column}: {sentence.rstrip('.')}. [{row.number}]"
        for column in row.columns
        for sentence in sentences(row.of(column))
        if all(is_told(word, tokens(sentence)) for word in words) and (not figure or has_digit(sentence))
    ]
    return told[0] if len(told) == 1 and not asks_why(question) else ""


def _timed(row: Row) -> list[str]:
    """The columns of a row that say days or times of the day."""
    return [name for name in row.columns if weekdays_named(row.of(name)) or _CLOCK.search(row.of(name))]


def _called(words: Sequence[Token], row: Row) -> list[str]:
    """The columns of a row that all these words are of the names of, in whatever form: "supplies", "Supplier"."""
    return [name for name in row.columns if all(is_told(word, tokens(name.replace("_", " "))) for word in words)]


def rows_of_the_last_answer(
    question: str, answer: str, rows: Sequence[Row], holding: Callable[[str, Sequence[Row]], str]
) -> str:
    """Those of the rows that the last answer listed whose cells have what is asked: "which of them need a permit?".

    Empty where the question names anything else, where none or all of them have it, or where not all are at hand.

    Args:
        answer: The last one of the conversation, with its marks.
        rows: Those at hand, of all documents.
        holding: See `told_of_the_last_answer`.
    """
    if _OF_THEM.search(question) is None:
        return ""
    listed = [row for row in rows if row.columns and is_quoted(row, answer)]
    lines = [line for line in answer.splitlines() if line.startswith("- ")]
    if not 1 < len(listed) == len(lines) or len({row.columns for row in listed}) != 1:
        return ""
    if held_by_a_bound := holding(question, listed):
        return held_by_a_bound
    if _DENIED.search(question) or SUPERLATIVE.search(question):
        return ""
    words = column_stems(_OF_THEM.sub(" ", question))
    held = [(row, [one for one in row.columns if words & column_stems(row.of(one))]) for row in listed]
    held = [(row, had) for row, had in held if words <= column_stems(" ".join(row.of(one) for one in had))]
    if not words or not 0 < len(held) < len(listed):
        return ""
    told = [row.told_by(had) for row, had in held]
    listed_again = "\n".join(f"- {one}" for one in told) if len(told) > 1 else f"{told[0].rstrip('.')}."
    return f"{listed_again} [{held[0][0].number}]"


def is_quoted(row: Row, answer: str) -> bool:
    """Whether an answer tells of a row by its name with its cells, and of none of the same beginning."""
    names = "|".join(re.escape(name) for name in dict.fromkeys((row.full_name, row.name)))
    most = "|".join(re.escape(said.partition("{")[0]) for told in (MOST, LEAST) for said in told.values())
    begins = rf"(?:^(?:{most})?|[.:\]]\s+|- |\*\*)[*_`]*"
    of_column = rf"(?:^|[.\]]\s)(?:{'|'.join(map(re.escape, row.columns))}), "  # one cell: "Price per year, Team: 180"
    return re.search(rf"(?:{begins}|{of_column})(?:{names})[*_`]*(?: —|:)\s", answer, re.MULTILINE) is not None


def _told(row: Row, column: str) -> str:
    return f"{row.told_by([column])}. [{row.number}]" if row.of(column) else ""


def _meant(question: str, row: Row) -> list[str]:
    """The column that a question means, be it by a word that no other has, or as the only one with such a figure."""
    asked = read(without_doing(question, [row]), [row])
    if asked.columns or (columns := [operand.column for operand in asked.sides[0] if operand.column]):
        return list(asked.columns) or columns
    words = {word for word in column_stems(question) if not stretch_of(Token(word))}  # "a month", of credits a month
    found = [column for column in row.columns if words & column_stems(column)]
    only = _only_column(question, row)
    timed = _timed(row) if _WHEN.match(question) else []
    return found if len(found) == 1 else [only] if only and not found else timed if len(timed) == 1 else []


def _only_column(question: str, row: Row) -> str:
    kind = "time" if LONG.search(question) else "money" if AMOUNT.search(question) else ""
    columns = [cell.column for cell in row.cells if kind and cell.kind == kind]
    return columns[0] if len(columns) == 1 else ""
