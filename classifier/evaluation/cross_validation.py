"""Decisions on rows by models that never saw the domain of the row: trainings with whole domains left out."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from classifier.cascade import Cascade
from classifier.decision import DecisionLayer
from classifier.embedder import Embedder
from classifier.evaluation.outcomes import Outcome, judge_rows
from classifier.linear.artifact import Artifact, write_artifact
from classifier.linear.layer import LinearLayer
from classifier.training.augmentation import copies
from classifier.training.dataset import Row, domain_groups
from classifier.training.embedding_cache import KnownEmbedder, unseen
from classifier.training.fit import train_rows
from classifier.training.heads import features_of, with_heads

#: Fits an artifact on rows and writes it to a path.
Fit = Callable[[Sequence[Row], Embedder, Path], Artifact]

_SEED = 0


def fit_artifact(rows: Sequence[Row], embedder: Embedder, path: Path) -> Artifact:
    """The whole training that makes the shipped artifact: heads, mix, temperature, thresholds, shortcut."""
    return train_rows(rows, embedder, path).artifact


def fit_heads(base: Artifact) -> Fit:
    """Fits both heads anew, and takes the rest from an artifact: some fifty numbers that its own training chose.

    Those numbers were chosen on decisions about domains left out, so they flatter little; a whole training takes
    fifteen times as long.

    Args:
        base: Gives the language head, the mix, the temperature, the thresholds and the reject rule.
    """

    def fit(rows: Sequence[Row], embedder: Embedder, path: Path) -> Artifact:
        made = features_of([*rows, *copies(rows)], base.weights, embedder)
        return write_artifact(path, base.card, with_heads(made, base.weights))

    return fit


def domain_folds(rows: Sequence[Row], folds: int) -> Iterator[tuple[list[int], list[int]]]:
    """Places to fit on and places to judge, so that each row is judged once and no domain stands on both sides.

    Raises:
        ValueError: There are fewer domains than folds, or fewer than two folds.
    """
    from sklearn.model_selection import GroupKFold

    groups = domain_groups(rows)
    split = GroupKFold(folds, shuffle=True, random_state=_SEED).split(np.zeros(len(rows)), groups=groups)
    return ((kept.tolist(), left.tolist()) for kept, left in split)


def out_of_fold(
    rows: Sequence[Row],
    embedder: Embedder,
    folds: int,
    before: Sequence[DecisionLayer] = (),
    fit: Fit = fit_artifact,
    progress: Callable[[int], None] = lambda _: None,
) -> list[Outcome]:
    """What is made of each row by an artifact that was fitted without the row's domain.

    With `fit_artifact`, everything that a training chooses is chosen without the rows it is judged on; with
    `fit_heads`, the weights are.

    Args:
        rows: To be fitted on and judged.
        embedder: Whose vectors are used.
        folds: How many trainings; each leaves out its share of the domains.
        before: Layers that are asked before layer 2, as when serving.
        fit: What fits.
        progress: Told how many folds are done.

    Raises:
        ValueError: There are fewer domains than folds.
        DatasetError: A fold leaves too little to train on.
    """
    known = KnownEmbedder(unseen(embedder))
    found: dict[int, Outcome] = {}
    with tempfile.TemporaryDirectory(prefix="folds-") as folder:
        for number, (kept, left) in enumerate(domain_folds(rows, folds)):
            artifact = fit([rows[place] for place in kept], known, Path(folder) / f"{number}.npz")
            router = Cascade(*before, LinearLayer(artifact, known))
            found.update(zip(left, judge_rows(router, [rows[place] for place in left]), strict=True))
            progress(number + 1)
    return [found[place] for place in range(len(rows))]
