"""Two heads' logits as one probability: mixing weights by language, temperature, thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from classifier.linear.card import LANGUAGES, OUTPUTS
from classifier.linear.metrics import REJECT_COLUMN, best_types, leads
from classifier.linear.scoring import Floats, softmax

#: The share of right answers among those that layer 2 gives, type by type, on families left out of the seed. The seed
#: is full of pairs that differ in one word across a type's border, harder than what users mostly write, and where no
#: model stands behind, an abstention is a wrong answer for three types of four. On domains left out: .94 covers .921 of
#: what is in scope, right in .950, .96 covers .899, right in .958, .98 covers .822, right in .979; macro-F1 with the
#: default counted in is .895, .892 and .868.
SELECTIVE_ACCURACY = 0.96
#: The share of in-scope messages that the reject class may take.
FALSE_REJECTS = 0.01
#: The best type must lead every other output, the reject class too, by this. .2 keeps out .02 more of what is out of
#: scope, and leaves .015 more of what is in scope undecided.
MARGIN = 0.10
#: No threshold is lower: an answer that is more likely wrong than right is none.
LEAST_THRESHOLD = 0.5
#: A type with fewer held-out rows than this gets the strictest threshold: too few to know better.
LEAST_ROWS = 20
STRICTEST = 0.99

#: The share of right answers from which n-grams may decide alone, and the least probability for it.
SHORTCUT_ACCURACY, LEAST_SHORTCUT = 0.985, 0.90
#: A shortcut that spares fewer messages than this is not worth its place.
LEAST_SHORTCUT_SHARE = 0.10

_RIDGE = 1e-3
_STEPS = 30


@dataclass(frozen=True, slots=True)
class Mix:
    """How two heads become one.

    Attributes:
        weights: Shape (3, 2): by language, of the n-gram head and of the embedding head.
        bias: Shape (3, k): by language.
    """

    weights: Floats
    bias: Floats

    def apply(self, sparse: Floats, embedding: Floats, languages: Floats) -> Floats:
        """Mixed logits, shape (n, k); the arithmetic of `scoring.combine`."""
        share = languages @ self.weights
        return np.asarray(share[:, :1] * sparse + share[:, 1:] * embedding + languages @ self.bias)


@dataclass(frozen=True, slots=True)
class Calibration:
    """From mixed logits to a decision.

    Attributes:
        temperature: Logits are divided by it.
        thresholds: By type, in the order of the outputs.
        margin: The least distance of the best two.
        reject: The probability of the reject class from which a message is out of scope.
    """

    temperature: float
    thresholds: tuple[float, ...]
    margin: float
    reject: float


def fit_mix(sparse: Floats, embedding: Floats, languages: Floats, truth: NDArray[np.int64]) -> Mix:
    """The mix that makes held-out rows most likely, language by language.

    Args:
        sparse: Shape (n, k): logits that the n-gram head gave to rows it was not fitted on.
        embedding: Shape (n, k): the same of the embedding head.
        languages: Shape (n, 3).
        truth: Shape (n,).
    """
    likely = languages.argmax(axis=1)
    weights, bias = np.zeros((len(LANGUAGES), 2)), np.zeros((len(LANGUAGES), len(OUTPUTS)))
    known = [LANGUAGES.index("en"), LANGUAGES.index("es")]
    for language in known:
        rows = likely == language
        fitted = _newton(sparse[rows], embedding[rows], truth[rows])
        weights[language], bias[language] = fitted[:2], fitted[2:]
    # Another language has next to no rows to fit on, and is not decided here anyway.
    other = LANGUAGES.index("other")
    weights[other], bias[other] = weights[known].mean(axis=0), bias[known].mean(axis=0)
    return Mix(weights, bias)


def calibrate(logits: Floats, easier: Floats, truth: NDArray[np.int64]) -> Calibration:
    """Temperature, thresholds and reject threshold.

    Args:
        logits: Shape (n, k): mixed, of rows whose domain was left out; for the temperature and the reject class.
        easier: Shape (n, k): the same of rows whose family was left out; for the thresholds.
        truth: Shape (n,).
    """
    scoped = truth != REJECT_COLUMN
    temperature = fit_temperature(logits[scoped, :REJECT_COLUMN], truth[scoped])
    # Never below an even chance, however rarely a well separated set rejects.
    rejecting = softmax(logits / temperature)[scoped, REJECT_COLUMN]
    reject = max(LEAST_THRESHOLD, float(np.quantile(rejecting, 1.0 - FALSE_REJECTS)))
    probabilities = softmax(easier / temperature)
    kept = scoped & (probabilities[:, REJECT_COLUMN] < reject) & (leads(probabilities) >= MARGIN)
    best, confidence = best_types(probabilities)
    thresholds = tuple(
        fit_threshold(confidence[kept & (best == kind)], (best == truth)[kept & (best == kind)])
        for kind in range(REJECT_COLUMN)
    )
    return Calibration(temperature, thresholds, MARGIN, round(reject, 4))


def fit_shortcut(probabilities: Floats, truth: NDArray[np.int64]) -> float | None:
    """The probability from which the n-gram head may decide alone, or None where that is not worth it.

    Args:
        probabilities: Shape (n, k), of the n-gram head alone, of rows whose domain was left out.
        truth: Shape (n,); rows of the reject class count as wrong: they are not to be decided at all.
    """
    best, confidence = probabilities[:, :REJECT_COLUMN].argmax(axis=1), probabilities[:, :REJECT_COLUMN].max(axis=1)
    scoped = truth != REJECT_COLUMN
    threshold = fit_threshold(confidence[scoped], (best == truth)[scoped], SHORTCUT_ACCURACY)
    threshold = max(LEAST_SHORTCUT, threshold)
    return threshold if float((confidence[scoped] >= threshold).mean()) >= LEAST_SHORTCUT_SHARE else None


def fit_temperature(logits: Floats, truth: NDArray[np.int64]) -> float:
    """The temperature under which the right outputs are most likely.

    Source: Guo et al., On Calibration of Modern Neural Networks (2017).
    """
    grid = np.exp(np.linspace(np.log(0.25), np.log(4.0), 161))
    rows = np.arange(len(truth))
    losses = [-float(np.log(softmax(logits / step)[rows, truth] + 1e-12).mean()) for step in grid]
    return round(float(grid[int(np.argmin(losses))]), 4)


def fit_threshold(confidence: Floats, right: NDArray[np.bool_], target: float = SELECTIVE_ACCURACY) -> float:
    """The lowest threshold above which at least `target` of the answers are right."""
    if len(confidence) < LEAST_ROWS:
        return STRICTEST
    order = np.argsort(-confidence, kind="stable")
    rate = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(rate >= target)
    if not len(good):
        return STRICTEST
    return round(max(LEAST_THRESHOLD, float(confidence[order[good[-1]]])), 4)


def halves(groups: Sequence[str], seed: int) -> NDArray[np.bool_]:
    """Rows in the first half of the groups; no group stands in both."""
    names = sorted(set(groups))
    first = set(np.random.default_rng(seed).permutation(np.asarray(names))[: len(names) // 2].tolist())
    return np.asarray([group in first for group in groups])


def _newton(sparse: Floats, embedding: Floats, truth: NDArray[np.int64]) -> Floats:
    """Two weights and k biases that minimise the log loss; the problem is convex, so Newton's method finds them."""
    count, outputs = sparse.shape
    # The derivative of row n's logit j by parameter p, shape (n, k, 2 + k).
    slopes = np.concatenate(
        [sparse[:, :, None], embedding[:, :, None], np.broadcast_to(np.eye(outputs), (count, outputs, outputs))], axis=2
    )
    wanted = np.eye(outputs)[truth]
    parameters = np.concatenate([[0.5, 0.5], np.zeros(outputs)])
    if not count:
        return parameters
    for _ in range(_STEPS):
        chances = softmax(np.einsum("nkp,p->nk", slopes, parameters))
        slope = np.einsum("nkp,nk->p", slopes, chances - wanted) / count + _RIDGE * parameters
        spread = np.einsum("nk,nkp->np", chances, slopes)
        bend = np.einsum("nk,nkp,nkq->pq", chances, slopes, slopes, optimize=True) - spread.T @ spread
        step = np.linalg.solve(bend / count + _RIDGE * np.eye(len(parameters)), slope)
        parameters = parameters - step
        if float(np.abs(step).max()) < 1e-8:
            break
    return np.asarray(parameters)
