"""The figures of a request that a question is answered from, where there are more names than are worth comparing."""

from __future__ import annotations

from collections.abc import Sequence

from engine.generation.extractive.account_figures.asking.synonyms import stem_of, subjects_in
from engine.generation.extractive.account_figures.figure import Figure
from engine.generation.extractive.account_figures.reading.rates import with_rates
from engine.text.words import plain_words

#: Names that a question is compared with at most. Rows of a table have the name of their column in common.
MOST_NAMES = 150

Path = tuple[str, ...]


def figures_asked(figures: Sequence[Figure], query: str, before: Sequence[str]) -> list[Figure]:
    """The figures that a question is answered from: with a rate that it asks for, of at most so many names.

    Args:
        before: Earlier questions, latest last.
    """
    return within_bounds(with_rates(figures, query, before), query, *before)


def within_bounds(figures: Sequence[Figure], *texts: str) -> list[Figure]:
    """The figures of at most so many names: of those that the texts say most of, and then of the first.

    A question is compared with every name, by the encoder too, and pairs of names are calculated with. So a request of
    thousands of keys would hold a processor for many seconds.

    Args:
        texts: The question, and those before it.

    Returns:
        All figures, in their order, where they have no more names than `MOST_NAMES`.
    """
    paths = list(dict.fromkeys(figure.path for figure in figures))
    if len(paths) <= MOST_NAMES:
        return list(figures)
    said, about = _stems(" ".join(texts)), subjects_in(" ".join(texts))
    rows: dict[Path, set[str]] = {}
    for figure in figures:
        rows.setdefault(figure.path, set()).add(figure.row)

    def nearness(path: Path) -> int:
        names = " ".join((*path, *rows[path]))
        return len(said & _stems(names)) + len(about & subjects_in(" ".join(path)))

    kept = frozenset(sorted(paths, key=nearness, reverse=True)[:MOST_NAMES])
    return [figure for figure in figures if figure.path in kept]


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem_of(word) for word in plain_words(text))
