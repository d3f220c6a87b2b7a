"""What the shipped artifact may not fall behind: one file of bounds, and how figures are held against it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from classifier import DATA
from classifier.evaluation.outcomes import Router
from classifier.evaluation.stability import anchoring_gap, robustness, sample
from classifier.linear.card import Card
from classifier.training.dataset import Row

#: The bounds of the shipped artifact, and the goals that it is on its way to.
BOUNDS_FILE = DATA / "bounds.json"
#: Rows of each label and language that the gates are measured on.
EACH = 40


@dataclass(frozen=True, slots=True)
class Bound:
    """One figure that is watched.

    Attributes:
        name: Its path in the figures, such as `robustness.typos.es.flips`.
        limit: The worst that passes.
        least: Whether smaller is worse.
    """

    name: str
    limit: float
    least: bool

    def value(self, figures: Mapping[str, Any]) -> float:
        """The watched figure.

        Raises:
            KeyError: It is missing.
        """
        found: Any = figures
        for part in self.name.split("."):
            found = found[part]
        return float(found)

    def kept(self, figures: Mapping[str, Any]) -> bool:
        """Whether the watched figure is as good as the limit."""
        value = self.value(figures)
        return value >= self.limit if self.least else value <= self.limit

    def problem(self, figures: Mapping[str, Any]) -> str:
        """What is wrong, in words."""
        side = "at least" if self.least else "at most"
        return f"{self.name} is {self.value(figures)}, {side} {self.limit} is wanted"


def read_bounds(path: Path = BOUNDS_FILE, section: str = "bounds") -> list[Bound]:
    """The bounds of one section, `bounds` or `goals`, of a file.

    The file is `{"version": 1, "bounds": {"at_least": {name: limit}, "at_most": {name: limit}}, "goals": ...}`.

    Raises:
        ValueError: It is not of that form.
    """
    document = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(document, dict) or document.get("version") != 1 or section not in document:
        raise ValueError(f"{path}: is not a file of bounds of version 1 with {section}")
    sides = document[section]
    return [
        Bound(str(name), float(limit), least=side == "at_least")
        for side in ("at_least", "at_most")
        for name, limit in sides[side].items()
    ]


def problems(figures: Mapping[str, Any], bounds: Sequence[Bound]) -> list[str]:
    """What `figures` do not keep, in words."""
    return [bound.problem(figures) for bound in bounds if not bound.kept(figures)]


def watched_figures(router: Router, card: Card, rows: Sequence[Row], each: int = EACH) -> dict[str, Any]:
    """The figures that the bounds are about.

    Args:
        router: With the artifact of `card`, which was fitted on the rows: what moves it counts, not how right it is.
        card: Its scores are of domains that were left out in training, so they say what a new text meets.
        rows: A fixed sample of them is asked.
        each: Rows of each label and language.
    """
    chosen = sample(rows, each)
    scores = card.scores["leave_domain_out"]
    return {
        "leave_domain_out": scores,
        "language_gap": round(abs(scores["en"]["macro_f1"] - scores["es"]["macro_f1"]), 4),
        "anchoring": anchoring_gap(router, chosen),
        "robustness": robustness(router, chosen),
    }
