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

    Chosen together with the bundled encoder's floor (see `fuse`) on XQuAD's four pairings of English and Spanish and on
    2,500 passages of clapnq with three kinds of questions: nDCG@10 is above the better half by .011 on average and
    below it by .002 at worst. With .2 to .35 it is above by .010 to .011 on average and below by .002 to .008 at worst.

    Attributes:
        text: Weight of the BM25 half, 0 or more.
        dense: Weight of the dense half, 0 or more.
    """

    text: float = 0.25
    dense: float = 0.75


DEFAULT_WEIGHTS = FusionWeights()


def fuse(
    text: Sequence[tuple[Key, float]],
    dense: Sequence[tuple[Key, float]],
    *,
    weights: FusionWeights = DEFAULT_WEIGHTS,
    floor: float = 0.0,
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
            `(1 + cosine) / 2`, has to turn them back.
        weights: See `FusionWeights`.
        floor: The cosine of texts that have nothing to do with each other, below 1; shares are of what lies above it,
            and what lies below counts as 0.
        limit: The most results to return; None: all of them.

    Returns:
        (key, fused score), best first, scores from 0 to the sum of the weights. Equal scores keep the order dense
        before text, then by rank: the same input gives the same output.
    """
    of_dense, of_text = _shares(dense, floor), _shares(text, 0.0)
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


def _shares(ranking: Sequence[tuple[Key, float]], floor: float) -> dict[Key, float]:
    """By key: what its score has above `floor`, as a share of the best."""
    first = dict(ranking)
    if len(first) < len(ranking):
        first = {}
        for key, score in ranking:
            first.setdefault(key, score)
    best = max(first.values(), default=floor) - floor
    return {key: (score - floor) / best if score > floor else 0.0 for key, score in first.items()}
