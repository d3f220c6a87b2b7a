"""Fits the heads of the account questions with the bundled encoder, and says how well they do on left-out rows.

    python -m scripts.fitting.account_figures [--check]

Writes `engine/generation/extractive/account_figures/asking/heads.npz`. To be run after a change of `operations.json`,
`subjects.json` or `words.json` there, or of the encoder.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.generation.extractive.account_figures.asking.heads import SHIPPED, numbers_of
from engine.generation.extractive.account_figures.vocabulary import subjects
from scripts.fitting.account.figure_heads import (
    as_typed,
    fitted,
    logistic,
    operation_rows,
    scale_of,
    within_whitening,
)
from scripts.fitting.encoder import bundled

#: Parts that the rows are cut into; each is judged by what was fitted to the others.
FOLDS = 5


def _folds(count: int) -> Iterator[NDArray[np.bool_]]:
    """Which of so many rows are fitted to, a fold after the other; the others are to be told."""
    part = np.random.default_rng(0).integers(0, FOLDS, count)
    return (part != fold for fold in range(FOLDS))


def operations_right(embedder: Embedder) -> tuple[float, float]:
    """The shares of left-out questions whose operation is told: in bare words, and as they are typed of queries."""
    labels = np.repeat(np.arange(len(operation_rows())), [len(rows) for rows in operation_rows().values()])
    texts = [text for rows in operation_rows().values() for text in rows]
    vectors = embedder.embed(texts) * 5.0
    typed, bare = numbers_of(embedder, as_typed(texts)), numbers_of(embedder, texts)
    right = np.zeros(2)
    for kept in _folds(len(labels)):
        mean = vectors[kept].mean(axis=0)
        weights, bias = logistic(vectors[kept] - mean, labels[kept])
        told = ((vectors[~kept] - mean) @ weights.T + bias).argmax(axis=1)
        both = np.concatenate([bare[kept], typed[kept]])
        middle, scale = both.mean(axis=0), scale_of(both, embedder.dimensions)
        weights, bias = logistic((both - middle) * scale, np.tile(labels[kept], 2))
        of_queries = (((typed[~kept] - middle) * scale) @ weights.T + bias).argmax(axis=1)
        right += [(told == labels[~kept]).sum(), (of_queries == labels[~kept]).sum()]
    bare_right, typed_right = right / len(labels)
    return float(bare_right), float(typed_right)


def names_right(embedder: Embedder) -> float:
    """The share of names whose nearest other name is of the same thing, the thing left out of the fit."""
    names = [name for group in subjects() for name in group]
    groups = np.repeat(np.arange(len(subjects())), [len(group) for group in subjects()])
    vectors = embedder.embed(names)
    right = []
    for subjects_kept in _folds(len(subjects())):
        kept = subjects_kept[groups]
        _, places = np.unique(groups[kept], return_inverse=True)
        mapped = (vectors - vectors[kept].mean(axis=0)) @ within_whitening(vectors[kept], places)
        mapped /= np.linalg.norm(mapped, axis=1, keepdims=True)
        near = mapped @ mapped.T
        np.fill_diagonal(near, -1.0)
        several = np.bincount(groups)[groups] > 1
        right += (groups[near.argmax(axis=1)] == groups)[~kept & several].tolist()
    return float(np.mean(right))


def main() -> None:
    """Fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only judge; write nothing")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    embedder = bundled()
    bare, typed = operations_right(embedder)
    rows = sum(map(len, operation_rows().values()))
    print(f"operation right: {bare:.3f} of {rows} rows in bare words, {typed:.3f} of queries as they are typed")
    print(f"nearest name is of the same thing: {names_right(embedder):.3f} of {sum(map(len, subjects()))} names")
    if not options.check:
        fitted(embedder).save(options.out)
        print(f"written: {options.out}")


if __name__ == "__main__":
    main()
