"""Fits log-linear models that choose one of several candidates.

Source:
    Cao et al., "Learning to rank: from pairwise approach to listwise approach", ICML 2007; with several right ones as
    Berant and Liang 2014, Semantic Parsing via Paraphrasing, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

Floats = NDArray[np.float64]


def fitted(
    features: Sequence[Sequence[Mapping[str, float]]],
    right: Sequence[NDArray[np.float64] | NDArray[np.bool_]],
    worths: Sequence[float],
    names: Sequence[str],
    penalty: float,
    known: Sequence[Floats] | None = None,
) -> dict[str, float]:
    """The weights that make the right candidates likeliest, by L-BFGS; examples without any are left out.

    Args:
        features: Of each candidate of each example.
        right: For each example which of its candidates are right, shape (candidates,).
        worths: What each example counts.
        names: Of the features.
        penalty: Strength of the penalty on the squares of the weights.
        known: What the candidates of each example score without these features; None: nothing.
    """
    known = [np.zeros(len(of)) for of in features] if known is None else known
    kept = [one for one in zip(features, right, worths, known, strict=True) if one[1].any()]
    scored = np.concatenate([score for *_, score in kept])
    place = {name: at for at, name in enumerate(names)}
    rows = [of for candidates, *_ in kept for of in candidates]
    columns = np.array([place[name] for of in rows for name in of], np.int32)
    ends = np.cumsum([0, *(len(of) for of in rows)])
    values = np.array([value for of in rows for value in of.values()], np.float32)
    given = csr_array((values, columns, ends), shape=(len(rows), len(names)))
    given.eliminate_zeros()
    across = given.T.tocsr()
    sizes = [len(candidates) for candidates, *_ in kept]
    starts, of_example = np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.repeat(np.arange(len(kept)), sizes)
    is_right = np.concatenate([told for _, told, _, _ in kept]) > 0
    worth = np.array([one for _, _, one, _ in kept])

    def soft(scores: Floats) -> tuple[Floats, Floats]:
        most = np.maximum.reduceat(scores, starts)
        odds = np.exp(scores - most[of_example])
        total = np.add.reduceat(odds, starts)
        return most + np.log(total), odds / total[of_example]

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = given @ weights + scored
        every, chances = soft(scores)
        good, shares = soft(np.where(is_right, scores, -1e9))
        slope = across @ ((chances - shares) * worth[of_example]) + penalty * weights
        return float((worth * (every - good)).sum() + 0.5 * penalty * weights @ weights), slope.astype(np.float64)

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200}).x
    return dict(zip(names, found.tolist(), strict=True))
