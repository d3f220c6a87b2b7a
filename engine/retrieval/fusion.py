"""One ranking out of two: a weighted sum of the halves' scores, each as a share of its half's best.

Source: Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (TOIS 2023): a convex combination
of scores, scaled from the least that is possible, needs one parameter and beats reciprocal ranks. The evidence on our
own collections is in `docs/adr/0008-fusion-by-shares.md`.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class FusionWeights:
    """How much each half counts; only their proportion matters for the order.

    Chosen on one collection of multi-turn questions and judged on the other, both ways round, .3 was the best text
    weight of nine: over clapnq and fiqa, each with last turn, a person's rewrite, ours and all questions joined,
    nDCG@10 is above the better half by .032 on average and by .019 at least. With .2 to .4 it is above by .021 to .032
    on average and by .015 at least. Reciprocal ranks reach .022 with their best weights, and .004 (-.018 at worst)
    with equal ones.

    Attributes:
        text: Weight of the BM25 half, 0 or more.
        dense: Weight of the dense half, 0 or more.
    """

    text: float = 0.3
    dense: float = 0.7


DEFAULT_WEIGHTS = FusionWeights()


def fuse(
    text: Sequence[tuple[Key, float]],
    dense: Sequence[tuple[Key, float]],
    *,
    weights: FusionWeights = DEFAULT_WEIGHTS,
    limit: int | None = None,
) -> list[tuple[Key, float]]:
    """Fuses two rankings into one without repetition.

    A score counts as its share of the best of its half, from 0 up. So a half that tells its results apart decides, and
    one to which they are all alike only breaks ties: where the vectors are made useless (projected at random on 32 of
    384 dimensions), the order follows BM25 and stays within .004 of it, while reciprocal ranks of the same
    proportion lose .055. What a half did not find counts as its last result where its list was cut off, and nothing
    where the list had ended, which shows by its being shorter than the other one.

    Args:
        text: (key, score) of the text half, best first; BM25, which has no upper end. A key that comes twice counts
            where it came first.
        dense: (key, score) of the dense half, best first; cosines. An engine that reports them otherwise, such as
            `(1 + cosine) / 2`, has to turn them back. Less than 0 counts as 0.
        weights: See `FusionWeights`.
        limit: The most results to return; None: all of them.

    Returns:
        (key, fused score), best first, scores from 0 to the sum of the weights. Equal scores keep the order dense
        before text, then by rank: the same input gives the same output.
    """
    of_dense, of_text = _shares(dense), _shares(text)
    longest = max(len(of_dense), len(of_text))
    absent_dense = weights.dense * min(of_dense.values()) if of_dense and len(of_dense) == longest else 0.0
    absent_text = weights.text * min(of_text.values()) if of_text and len(of_text) == longest else 0.0
    fused: dict[Key, float] = {}
    if weights.dense > 0:
        fused.update((key, weights.dense * share + absent_text) for key, share in of_dense.items())
    if weights.text > 0:
        for key, share in of_text.items():
            known = of_dense.get(key)
            fused[key] = (absent_dense if known is None else weights.dense * known) + weights.text * share
    ranked = sorted(fused.items(), key=itemgetter(1), reverse=True)
    return ranked if limit is None else ranked[: max(limit, 0)]


def _shares(ranking: Sequence[tuple[Key, float]]) -> dict[Key, float]:
    """By key: its score as a share of the best."""
    first = dict(ranking)
    if len(first) < len(ranking):
        first = {}
        for key, score in ranking:
            first.setdefault(key, score)
    best = max(first.values(), default=0.0)
    return {key: score / best if score > 0 else 0.0 for key, score in first.items()}
