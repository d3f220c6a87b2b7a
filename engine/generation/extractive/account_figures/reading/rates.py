"""A rate that a question asks for and a table has only the counts of, as a column of its own: errors of all calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from engine.generation.extractive.account_figures.asking.synonyms import stem_of, subjects_in
from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.text.dates import fold
from engine.text.words import plain_words

_RATE = re.compile(r"\b(?:rates?|ratios?|percentages?|proportion|tasas?|porcentajes?|proporcion)\b")
#: Asks for the rate of each of several rows, or which of them has the most of it.
_OVER_ROWS = re.compile(
    r"\b(?:highest|lowest|most|least|worst|best|greatest|smallest|mayor|menor|mas|menos|peor|mejor|per|each|every|by|por|cada)\b"
)

Path = tuple[str, ...]


def with_rates(figures: Sequence[Figure], query: str, before: Sequence[str] = ()) -> list[Figure]:
    """The figures with the share that one column of a table has of another, where a rate of the first is asked for.

    Args:
        query: The question.
        before: Those before it, latest last: "and the lowest?" behind a question for the highest rate is for one too.
    """
    asked = next((folded for text in (query, *before[-1:]) if _RATE.search(folded := fold(text))), "")
    if not asked or _OVER_ROWS.search(fold(query)) is None:
        return list(figures)
    columns: dict[Path, dict[str, Figure]] = {}
    for figure in figures:
        if figure.row and not _names(asked, figure.row):
            columns.setdefault(figure.path, {})[figure.row] = figure
    if any(_RATE.search(fold(" ".join(path))) for path in columns):
        return list(figures)
    for path, part in columns.items():
        if _is_said(asked, path) and (whole := _whole_of(part, columns)) is not None:
            return [*figures, *_rates(part, whole, _called(asked, path[-1]))]
    return list(figures)


def _called(asked: str, counted: str) -> str:
    """What the question calls the rate of what is counted."""
    word = next(iter(_RATE.findall(asked)))
    return f"{word} de {counted}" if word.startswith(("tasa", "porcentaje", "proporcion")) else f"{counted} {word}"


def _names(asked: str, row: str) -> bool:
    return f" {fold(row)} " in f" {asked.strip('?¿ ')} "


def _is_said(asked: str, path: Path) -> bool:
    """Whether the question says the last name of a path, or another word for it."""
    stems = {stem_of(word) for word in plain_words(asked)}
    return bool(path) and bool(
        stems & {stem_of(word) for word in plain_words(path[-1])} or subjects_in(asked) & subjects_in(path[-1])
    )


def _whole_of(part: Mapping[str, Figure], columns: Mapping[Path, Mapping[str, Figure]]) -> Mapping[str, Figure] | None:
    """The first column of counts of the same rows none of which is below that of the part."""
    counts = _counts(part)
    for other in columns.values():
        wholes = _counts(other)
        same = counts is not None and wholes is not None and wholes.keys() == counts.keys()
        if same and other is not part and all(wholes[row] > 0 and counts[row] <= wholes[row] for row in counts):
            return other
    return None


def _counts(column: Mapping[str, Figure]) -> dict[str, Fraction]:
    """The numbers of a column by row; empty where one is none, or counts in a unit."""
    found = {row: figure.value for row, figure in column.items()}
    if not all(isinstance(value, Amount) and not value.unit for value in found.values()):
        return {}
    return {row: value.value for row, value in found.items() if isinstance(value, Amount)}


def _rates(part: Mapping[str, Figure], whole: Mapping[str, Figure], name: str) -> list[Figure]:
    counts, wholes = _counts(part), _counts(whole)
    return [
        replace(figure, path=(*figure.path[:-1], name), value=Amount(counts[row] / wholes[row] * 100, "%"))
        for row, figure in part.items()
    ]
