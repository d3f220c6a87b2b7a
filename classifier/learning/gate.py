"""Whether a candidate may take the place of the artifact in use: both judged on rows that neither was fitted on.

Both sides are judged by their shadows: the same with heads that were fitted without the held-out families. The
artifacts that serve are fitted on everything; docs/adr/0006-promotion-gate.md says why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from classifier.cascade import Cascade
from classifier.embedder import Embedder
from classifier.evaluation.bounds import BOUNDS_FILE
from classifier.evaluation.outcomes import by_language, judge_rows
from classifier.evaluation.stability import FORM_KINDS, anchoring_gap, robustness, sample
from classifier.linear.artifact import Artifact
from classifier.linear.layer import LinearLayer
from classifier.training.dataset import Row
from classifier.training.embedding_cache import unseen

#: Rows of each type and language on which histories and changes of form are tried.
TRIED = 40
#: Of the criteria, the one that holds the artifact that would serve against its own shadow.
SERVED = "served.macro_f1"


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How much worse one figure may get.

    Attributes:
        name: Of the figure, as in `measure`.
        by: How much.
        higher_is_worse: For shares of mistakes.
    """

    name: str
    by: float
    higher_is_worse: bool


@dataclass(frozen=True, slots=True)
class Criterion:
    """One figure of both sides.

    Attributes:
        current: Of the artifact in use; None where there were no rows to measure it on.
        candidate: Of the one that would replace it.
        worse: How much worse the candidate is; negative where it is better.
        tolerance: How much worse it may be.
    """

    name: str
    current: float | None
    candidate: float | None
    worse: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the candidate may be promoted as far as this figure goes."""
        return self.candidate is not None and self.worse <= self.tolerance

    @property
    def why(self) -> str:
        """The finding in words."""
        if self.candidate is None or self.current is None:
            return "there are no held-out rows to measure it on"
        if self.worse <= 0:
            return "not worse"
        return f"worse by {self.worse:.4f}, at most {self.tolerance:g} is allowed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the gate says.

    Attributes:
        notes: What a reader of the figures has to know.
    """

    criteria: tuple[Criterion, ...]
    notes: tuple[str, ...] = ()

    @property
    def promoted(self) -> bool:
        """Whether every criterion is kept."""
        return all(criterion.passed for criterion in self.criteria)

    def markdown(self) -> str:
        """The report for people."""
        lines = ["| criterion | current | candidate | allowed | finding |", "|---|---|---|---|---|"]
        for entry in self.criteria:
            cells = (entry.name, _text(entry.current), _text(entry.candidate), f"{entry.tolerance:g}", entry.why)
            lines.append(f"| {' | '.join(cells)} |{'' if entry.passed else ' refused'}")
        return "\n".join([*lines, "", *self.notes, "promoted" if self.promoted else "refused"])

    def to_json(self) -> dict[str, Any]:
        """The report for programs."""
        criteria = [asdict(entry) | {"passed": entry.passed, "why": entry.why} for entry in self.criteria]
        return {"promoted": self.promoted, "criteria": criteria, "notes": list(self.notes)}


def read_tolerances(path: Path = BOUNDS_FILE) -> list[Tolerance]:
    """The tolerances under `promotion` of the file of bounds.

    Raises:
        ValueError: There are none.
    """
    try:
        entry = json.loads(path.read_text("utf-8"))["promotion"]
        sides = ((entry["may_fall_by"], False), (entry["may_rise_by"], True))
        return [Tolerance(name, float(by), worse) for side, worse in sides for name, by in side.items()]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path}: holds no tolerances of a promotion") from error


def measure(artifact: Artifact, embedder: Embedder, rows: Sequence[Row]) -> dict[str, float]:
    """The figures of an artifact on rows; one without rows is left out.

    Returns:
        `macro_f1.en`, `macro_f1.es`, `macro_f1.all` and `ece` over rows of the four types, `out_of_scope_recall`,
        `anchoring_gap`, and `flips.<kind>` for each change of form.
    """
    parts = by_language(judge_rows(Cascade(LinearLayer(artifact, unseen(embedder))), rows))
    found = {f"macro_f1.{part}": parts[part].get("macro_f1") for part in ("en", "es", "all") if part in parts}
    found |= {name: parts["all"].get(name) for name in ("ece", "out_of_scope_recall")}
    router, tried = Cascade(LinearLayer(artifact, embedder)), sample(rows, TRIED)
    found["anchoring_gap"] = anchoring_gap(router, tried)["all"]["gap"]
    moved = robustness(router, tried, kinds=FORM_KINDS)
    found |= {f"flips.{kind}": moved[kind]["all"]["flips"] for kind in FORM_KINDS}
    return {name: float(value) for name, value in found.items() if value is not None}


def served_macro_f1(artifact: Artifact, embedder: Embedder, rows: Sequence[Row]) -> float:
    """Macro-F1 over both languages of the artifact that would serve, on rows that it was fitted on."""
    return float(by_language(judge_rows(Cascade(LinearLayer(artifact, embedder)), rows))["all"].get("macro_f1", 0.0))


def compare(
    candidate: Mapping[str, float],
    current: Mapping[str, float],
    served: float,
    tolerances: Sequence[Tolerance],
    notes: Sequence[str] = (),
) -> Verdict:
    """Holds the figures of a candidate against those of the artifact in use.

    Args:
        candidate: Of the candidate's shadow.
        current: Of the shadow of the artifact in use.
        served: Macro-F1 of the candidate itself on the same rows, which it was fitted on: it is held against its own
            shadow, and may not be worse.
    """
    criteria = []
    for entry in tolerances:
        before, after = current.get(entry.name), candidate.get(entry.name)
        if entry.name == SERVED:
            before, after = candidate.get("macro_f1.all"), served
        criteria.append(_criterion(entry, before, after))
    return Verdict(tuple(criteria), tuple(notes))


def _criterion(tolerance: Tolerance, before: float | None, after: float | None) -> Criterion:
    if before is None or after is None:
        return Criterion(tolerance.name, before, None, 0.0, tolerance.by)
    worse = round(after - before if tolerance.higher_is_worse else before - after, 6)
    return Criterion(tolerance.name, before, after, worse, tolerance.by)


def _text(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
