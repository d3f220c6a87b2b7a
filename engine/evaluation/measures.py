"""What a ranking, and a yes-or-no decision, are worth.

Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002 (nDCG).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


def ndcg(ranking: Sequence[str], relevant: Mapping[str, float], k: int = 10) -> float:
    """Discounted gain of the first `k`, as a share of the best that is possible; from 0 to 1.

    Args:
        ranking: Ids, best first, none twice.
        relevant: Gain by id, more than 0; at least one.
        k: How far a reader looks.
    """
    return gained_share([relevant.get(id_, 0.0) for id_ in ranking[:k]], sorted(relevant.values(), reverse=True)[:k])


def gained_share(gains: Iterable[float], best: Iterable[float]) -> float:
    """The discounted sum of `gains` as a share of that of `best`; both by place, the first one first.

    Source: Järvelin and Kekäläinen, "Cumulated Gain-Based Evaluation of IR Techniques" (TOIS 2002).
    """
    return sum(_discounted(gains)) / sum(_discounted(best))


def recall(ranking: Sequence[str], relevant: Mapping[str, float], k: int = 10) -> float:
    """The share of what is relevant that is among the first `k`; from 0 to 1."""
    return len(relevant.keys() & set(ranking[:k])) / len(relevant)


def _discounted(gains: Iterable[float]) -> Iterable[float]:
    return (gain / math.log2(place + 2) for place, gain in enumerate(gains))


def known_mean(values: Iterable[float | bool | None]) -> float:
    """The mean of those that are not None; 0 where there is none."""
    known = [float(value) for value in values if value is not None]
    return statistics.fmean(known) if known else 0.0


def closed(low: float, reached: float, high: float) -> float | None:
    """The share of the way from `low` to `high` that `reached` has gone; None where there is no way up."""
    return (reached - low) / (high - low) if high > low else None


@dataclass(frozen=True, slots=True)
class Detection:
    """Yes-or-no decisions against the truth, in counts."""

    hits: int
    false_alarms: int
    misses: int
    rejections: int

    @classmethod
    def of(cls, decisions: Iterable[tuple[bool, bool]]) -> Detection:
        """Counts (decided, true) pairs."""
        pairs = list(decisions)
        return cls(*(pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))))

    @property
    def precision(self) -> float:
        """Of what was said to be, how much is; 0 where nothing was."""
        return self.hits / max(1, self.hits + self.false_alarms)

    @property
    def recall(self) -> float:
        """Of what is, how much was said to be; 0 where nothing is."""
        return self.hits / max(1, self.hits + self.misses)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.hits / max(1, 2 * self.hits + self.false_alarms + self.misses)
