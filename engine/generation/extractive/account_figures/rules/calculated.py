"""The answer of an operation on the measure and the rows that a question is about, or what it lacks for that."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from engine.generation.extractive.account_figures import phrases
from engine.generation.extractive.account_figures.asking.questions import Question
from engine.generation.extractive.account_figures.composing import (
    Account,
    counted,
    each,
    feasible,
    labelled,
    row_name,
    said,
)
from engine.generation.extractive.account_figures.measures import LEFT, LIMIT, USED, Measure
from engine.generation.extractive.account_figures.rules.possible import counts
from engine.generation.extractive.account_figures.rules.rows import Narrowed
from engine.generation.extractive.account_figures.vocabulary import roles, vocabulary
from engine.text.dates import fold

#: "How many do I have": a limit answers that.
_OWNS = re.compile(r"\b(?:(?:do|did) (?:i|we|you) (?:have|start|get)|are there|tengo|tenemos|hay|incluye|tiene)\b")
#: Operations that the name of a single figure may tell: "peak per hour", "average wait".
_SUPERLATIVES = ("average", "highest", "lowest")


def calculated(
    question: Question, operations: Sequence[str], measure: Measure, narrow: Narrowed, account: Account
) -> tuple[str, bool]:
    """The answer of the likeliest operation that the context says enough for, and whether there is one.

    Empty where it is read out and the rows that have it are not named.
    """
    language, operation, label = question.language, operations[0], measure.label
    rows = list(narrow.rows) if narrow.by else measure.rows
    if rows and counts(question, rows):
        return counted(rows, language), True
    if operation == "flag" and narrow.called and rows[0].figure.listed and not isinstance(rows[0].figure.value, bool):
        names = ", ".join(dict.fromkeys(row_name(row, language) for row in rows))  # that there are is told by which
        listed = phrases.VALUE[language].format(label=labelled(rows[0].figure.listed[-1]), value=names)
        return f"{phrases.ANY[language][0]}: {listed}", True
    if narrow.by and len(rows) == 1:
        measure = measure.of_row(rows[0], row_name(rows[0], language))
        operations = [*operations, "value"]
    elif rows:
        measure = replace(measure, entries=tuple(rows)) if narrow.by else measure
        if narrow.called and len({row.figure.row for row in rows}) == 1:  # one row in several months
            measure = replace(measure, label=f"{measure.label}, {rows[0].figure.row}")
        operations = _over_rows(operations, measure, narrow)
    if operation in _SUPERLATIVES and _is_told(operation, measure):
        operations = [*operations[1:], "value"]
    operations = ["left" if one == "enough" else one for one in operations]
    also = ("limit",) if operation == "sum" else ()  # "how many in total" of what has no rows
    able = next((one for one in (*operations, *also) if _able(question, one, measure, account)), None)
    if able is None:
        needed = phrases.NEEDED[language].get(operation, phrases.THAT[language])
        return phrases.NOT_KNOWN[language].format(label=measure.label, needed=needed), False
    text = said(question, able, measure, account)
    if not text and narrow.by:  # what several rows say is no value, and is said of each
        return each(measure.rows, label, language), True
    return text, True


def _over_rows(operations: Sequence[str], measure: Measure, narrow: Narrowed) -> list[str]:
    """The operations as they are done on several rows: a value is their sum, where no figure stands beside them."""
    plain = not narrow.by and any(not e.figure.row and e.role in ("", USED) for e in measure.entries)
    if plain:
        return ["value"] if operations[0] == "sum" else list(operations)
    return ["sum" if one == "value" else one for one in operations]


def _is_told(operation: str, measure: Measure) -> bool:
    """Whether the name of a measure says that it is an average or a peak itself."""
    words = {fold(word) for word in measure.label.split()}
    return bool(words & set(vocabulary()["superlatives"][operation]))


def _able(question: Question, operation: str, measure: Measure, account: Account) -> bool:
    """Whether that can be said of the measure; a limit is not what was used of it."""
    told = {entry.role for entry in measure.entries}
    if operation == "value" and told in ({LIMIT}, {LEFT}):
        asked = {roles().get(word) for word in re.findall(r"[^\W\d_]+", fold(question.text))}
        return (LEFT in told or _OWNS.search(fold(question.text)) is not None) and USED not in asked
    return feasible(operation, measure, account)
