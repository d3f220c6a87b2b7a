"""Figures of a classifier: how often it is right, and whether its probabilities mean what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.linear.card import OUTPUTS, REJECT

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: The reject class's column, and the number of types before it.
REJECT_COLUMN = OUTPUTS.index(REJECT)
#: Bins of equal width of the calibration error and the reliability diagram.
BINS = 15
#: Steps of the curve of accuracy against coverage.
STEPS = 20


def macro_f1(truth: Ints, found: Ints) -> float:
    """The mean of F1 over the four types; rows of the reject class are not for this figure."""
    scores = []
    for kind in range(REJECT_COLUMN):
        right = int(np.sum((truth == kind) & (found == kind)))
        wrong = int(np.sum((truth == kind) != (found == kind)))
        scores.append(2 * right / max(1, 2 * right + wrong))
    return float(np.mean(scores))


def expected_calibration_error(confidence: Floats, right: NDArray[np.bool_], bins: int = BINS) -> float:
    """The mean distance between confidence and accuracy, over bins of equal width, weighted by their rows.

    Source: Guo et al., On Calibration of Modern Neural Networks (2017).
    """
    gaps = [rows * abs(mean - accuracy) for rows, mean, accuracy in _binned(confidence, right, bins)]
    return float(sum(gaps) / max(1, len(confidence)))


def given_in_scope(probabilities: Floats) -> Floats:
    """Probabilities of the four types given that a message is one of them, shape (n, 4).

    The confidence that users see: whether a message is in scope at all is judged apart, by the reject class.
    """
    types = probabilities[:, :REJECT_COLUMN]
    return np.asarray(types / np.maximum(types.sum(axis=1, keepdims=True), 1e-12))


def best_types(probabilities: Floats) -> tuple[Ints, Floats]:
    """The best of the four types and its probability given that the message is in scope, row by row."""
    types = given_in_scope(probabilities)
    return types.argmax(axis=1), types.max(axis=1)


def leads(probabilities: Floats) -> Floats:
    """How far the best type is ahead of every other output, the reject class included; negative when it is not."""
    best = probabilities[:, :REJECT_COLUMN].max(axis=1)
    ranked = np.sort(probabilities, axis=1)
    return np.asarray(np.where(best >= ranked[:, -1], best - ranked[:, -2], best - ranked[:, -1]))


def accepted(probabilities: Floats, thresholds: Sequence[float], margin: float, reject: float) -> NDArray[np.bool_]:
    """Whether layer 2 takes its best type, row by row, by the same rules as it does when serving."""
    best, confidence = best_types(probabilities)
    clear = leads(probabilities) >= margin
    sure = confidence >= np.asarray(thresholds)[best]
    return np.asarray(clear & sure & (probabilities[:, REJECT_COLUMN] < reject))


def reliability(confidence: Floats, right: NDArray[np.bool_]) -> list[dict[str, float | int]]:
    """Of each bin of confidence that has rows: their count, mean confidence and accuracy."""
    return [
        {"rows": rows, "confidence": round(mean, 4), "accuracy": round(accuracy, 4)}
        for rows, mean, accuracy in _binned(confidence, right, BINS)
    ]


def _binned(confidence: Floats, right: NDArray[np.bool_], bins: int) -> list[tuple[int, float, float]]:
    """Of each of the bins of equal width that has rows: their count, mean confidence and accuracy."""
    places = np.minimum((confidence * bins).astype(int), bins - 1)
    chosen = [places == place for place in np.unique(places)]
    return [(int(rows.sum()), float(confidence[rows].mean()), float(right[rows].mean())) for rows in chosen]


def accuracy_against_coverage(confidence: Floats, right: NDArray[np.bool_]) -> list[dict[str, float]]:
    """What accuracy a single threshold would give at each share of decided rows, the surest first."""
    order = np.argsort(-confidence, kind="stable")
    rate = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    ends = [max(1, round(len(order) * step / STEPS)) for step in range(1, STEPS + 1)] if len(order) else []
    return [
        {
            "coverage": round(end / len(order), 4),
            "accuracy": round(float(rate[end - 1]), 4),
            "threshold": round(float(confidence[order[end - 1]]), 4),
        }
        for end in ends
    ]


def curves(truth: Ints, probabilities: Floats, reject: float) -> dict[str, Any]:
    """What pictures of held-out rows are drawn from: confusion, reliability, and accuracy against coverage.

    Args:
        truth: As `score` takes it, as the others.
        probabilities: Shape (n, k).
        reject: What reaches it stands in the column of the reject class, whatever its best type is.
    """
    scoped = truth != REJECT_COLUMN
    best, confidence = best_types(probabilities)
    sure, right = confidence[scoped], (best == truth)[scoped]
    found = np.where(probabilities[:, REJECT_COLUMN] >= reject, REJECT_COLUMN, best)
    return {
        "confusion": confusion(truth, found),
        "reliability": reliability(sure, right),
        "accuracy_against_coverage": accuracy_against_coverage(sure, right),
    }


def confusion(truth: Ints, found: Ints) -> list[list[int]]:
    """Counts, rows by truth, columns by what was found."""
    size = len(OUTPUTS)
    return np.bincount(truth * size + found, minlength=size * size).reshape(size, size).tolist()


def score(truth: Ints, probabilities: Floats, taken: NDArray[np.bool_], reject: float) -> dict[str, Any]:
    """All figures of held-out rows.

    Args:
        truth: Shape (n,): the right output of each row.
        probabilities: Shape (n, k).
        taken: Shape (n,): whether layer 2 would decide.
        reject: The threshold of the reject class.
    """
    scoped = truth != REJECT_COLUMN
    best, confidence = best_types(probabilities)
    right = best == truth
    # Where layer 2 abstains and no model is configured, the default stands.
    routed = np.where(taken, best, 0)
    figures: dict[str, Any] = {"rows": int(scoped.sum())}
    if scoped.any():
        figures |= {
            "macro_f1": macro_f1(truth[scoped], best[scoped]),
            "macro_f1_with_default": macro_f1(truth[scoped], routed[scoped]),
            "ece": expected_calibration_error(confidence[scoped], right[scoped]),
            "coverage": float(taken[scoped].mean()),
            "selective_accuracy": float(right[scoped & taken].mean()) if (scoped & taken).any() else 1.0,
            "false_rejects": float((probabilities[scoped, REJECT_COLUMN] >= reject).mean()),
        }
    if not scoped.all():
        rejected = probabilities[~scoped, REJECT_COLUMN] >= reject
        figures |= {
            "out_of_scope_recall": float(rejected.mean()),
            "out_of_scope_kept_out": float((~taken[~scoped]).mean()),
        }
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in figures.items()}
