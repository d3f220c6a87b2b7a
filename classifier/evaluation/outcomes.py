"""How good a router is on labelled rows: what it decides, how sure it says it is, and where it is wrong.

Whether a figure means anything is a question of the rows: those that the model was fitted on flatter it.
`cross_validation` makes decisions on rows that their model never saw.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from classifier.decision import DEFAULT_TYPE, Decision, Query
from classifier.files import filled_lines
from classifier.linear import metrics
from classifier.linear.card import OUTPUTS, REJECT
from classifier.linear.metrics import BINS, confusion, expected_calibration_error, macro_f1
from classifier.reasons import Reason
from classifier.training.dataset import DatasetError, Row

#: The reasons by which layer 2 says that a message is none of the four types.
REJECTIONS = frozenset({Reason.OUT_OF_SCOPE, Reason.OTHER_LANGUAGE, Reason.NO_WORDS})

_LANGUAGES = ("en", "es", "other")


class Router(Protocol):
    """What is judged: a cascade, or anything that decides in batches."""

    def decide_many(self, queries: Sequence[Query]) -> list[Decision]:
        """The decisions of `queries`, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """One labelled row and what was made of it.

    Attributes:
        row: The message with its right output.
        best: The best type, also where no layer decided.
        routed: The type that the message was given, the default included.
        taken: Whether a layer decided.
        confidence: Of the best type.
        reason: Of the last layer that spoke.
    """

    row: Row
    best: str
    routed: str
    taken: bool
    confidence: float
    reason: str

    @property
    def scoped(self) -> bool:
        """Whether the message is of one of the four types."""
        return self.row.label != REJECT

    @property
    def rejected(self) -> bool:
        """Whether the message was held for none of the four types."""
        return not self.taken and self.reason in REJECTIONS


def outcome(row: Row, decision: Decision) -> Outcome:
    """What `decision` makes of `row`."""
    last = next((opinion for opinion in reversed(decision.opinions) if opinion.best is not None), None)
    best = DEFAULT_TYPE if last is None or last.best is None else last.best
    return Outcome(
        row, str(best), str(decision.type),
        taken=any(opinion.type is not None for opinion in decision.opinions),
        confidence=0.0 if last is None else last.confidence,
        reason=str(Reason.NO_LAYER if last is None else last.reason),
    )  # fmt: skip


def judge_rows(router: Router, rows: Sequence[Row]) -> list[Outcome]:
    """What `router` makes of `rows`, without history or anything else beside the text."""
    decisions = router.decide_many([Query(row.text) for row in rows])
    return [outcome(row, decision) for row, decision in zip(rows, decisions, strict=True)]


def figures(outcomes: Sequence[Outcome]) -> dict[str, float | int]:
    """The figures of one group of rows.

    Returns:
        `rows` and `out_of_scope_rows`; of rows in scope `macro_f1` and `accuracy` of the best type, `macro_f1_routed`
        and `accuracy_routed` where an abstention is the default, `coverage` and `selective_accuracy` at the artifact's
        own thresholds, `ece`, `false_rejects`; of the others `out_of_scope_recall`, those that were held for none of
        the four, and `out_of_scope_kept_out`, those that no layer decided. A figure without rows is left out.
    """
    scoped = [entry for entry in outcomes if entry.scoped]
    others = [entry for entry in outcomes if not entry.scoped]
    found: dict[str, float | int] = {"rows": len(scoped), "out_of_scope_rows": len(others)}
    if scoped:
        found |= _of_scoped(scoped)
    if others:
        found["out_of_scope_recall"] = _share(entry.rejected for entry in others)
        found["out_of_scope_kept_out"] = _share(not entry.taken for entry in others)
    return {name: round(value, 4) for name, value in found.items()}


def _of_scoped(scoped: Sequence[Outcome]) -> dict[str, float | int]:
    """The figures of rows in scope, at least one."""
    truth, best = _columns(scoped, lambda entry: entry.row.label), _columns(scoped, lambda entry: entry.best)
    routed = _columns(scoped, lambda entry: entry.routed)
    confidence, taken = _confidence(scoped), np.asarray([entry.taken for entry in scoped])
    return {
        "macro_f1": macro_f1(truth, best),
        "accuracy": float((truth == best).mean()),
        "macro_f1_routed": macro_f1(truth, routed),
        "accuracy_routed": float((truth == routed).mean()),
        "coverage": float(taken.mean()),
        "selective_accuracy": float((truth == routed)[taken].mean()) if taken.any() else 1.0,
        "ece": expected_calibration_error(confidence, truth == best, BINS),
        "false_rejects": _share(entry.rejected for entry in scoped),
    }


def by_language(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float | int]]:
    """`figures` of each language that has rows, and of `all`."""
    parts = {name: [entry for entry in outcomes if entry.row.language == name] for name in _LANGUAGES}
    return {name: figures(part) for name, part in parts.items() if part} | {"all": figures(outcomes)}


def by_part(outcomes: Sequence[Outcome], key: Callable[[Row], str]) -> dict[str, dict[str, float | int]]:
    """Rows, accuracy and coverage of each domain, source or register; the worst first."""
    parts: dict[str, list[Outcome]] = defaultdict(list)
    for entry in outcomes:
        if entry.scoped:
            parts[key(entry.row)].append(entry)
    wanted = ("rows", "accuracy", "accuracy_routed", "coverage", "selective_accuracy")
    found = {name: {field: figures(part)[field] for field in wanted} for name, part in parts.items()}
    return dict(sorted(found.items(), key=lambda entry: (entry[1]["accuracy"], entry[0])))


def matrix(outcomes: Sequence[Outcome]) -> list[list[int]]:
    """Counts by truth (rows) and by what was found (columns), in the order of `OUTPUTS`.

    What was held for none of the four stands in the last column, any other abstention under its best type.
    """
    found = _columns(outcomes, lambda entry: REJECT if entry.rejected else entry.best)
    return confusion(_columns(outcomes, lambda entry: entry.row.label), found)


def reliability(outcomes: Sequence[Outcome]) -> list[dict[str, float | int]]:
    """See `metrics.reliability`; of rows in scope."""
    return metrics.reliability(*_sure_and_right(outcomes))


def accuracy_against_coverage(outcomes: Sequence[Outcome]) -> list[dict[str, float]]:
    """See `metrics.accuracy_against_coverage`; of rows in scope."""
    return metrics.accuracy_against_coverage(*_sure_and_right(outcomes))


def _sure_and_right(outcomes: Sequence[Outcome]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The confidence of each row in scope, and whether its best type is right."""
    scoped = [entry for entry in outcomes if entry.scoped]
    return _confidence(scoped), np.asarray([entry.best == entry.row.label for entry in scoped], dtype=bool)


def mistakes(outcomes: Sequence[Outcome], language: str, most: int = 60) -> list[dict[str, Any]]:
    """The surest mistakes in one language: in scope and of another type, or out of scope and decided."""
    wrong = [
        entry
        for entry in outcomes
        if entry.row.language == language and (entry.best != entry.row.label if entry.scoped else entry.taken)
    ]
    chosen = sorted(wrong, key=lambda entry: (-entry.confidence, entry.row.text))[:most]
    return [
        {key: value for key, value in asdict(entry.row).items() if key != "weight"}
        | {"best": entry.best, "confidence": round(entry.confidence, 4), "taken": entry.taken, "reason": entry.reason}
        for entry in chosen
    ]


def read_outside_rows(path: Path) -> list[Row]:
    """Rows that are kept outside the repository: text, type and language, and where they come from.

    Each line is an object with `text`, `type`, `language` and, if it likes, `source`, which stands as the row's domain.

    Raises:
        DatasetError: A line is not such an object, or there is none; names the line.
    """
    lines = filled_lines(path.read_text(encoding="utf-8"))
    rows = [_outside_row(line, f"{path}:{number}") for number, line in lines]
    if not rows:
        raise DatasetError(f"{path}: there are no rows")
    return rows


def _outside_row(line: str, place: str) -> Row:
    """One row.

    Raises:
        DatasetError: It is not one.
    """
    try:
        entry = json.loads(line)
        source = str(entry.get("source") or "unnamed")
        row = Row(entry["text"], entry["type"], entry["language"], family=source, domain=source)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DatasetError(f"{place}: is not an object with text, type and language") from error
    if not isinstance(row.text, str) or row.label not in OUTPUTS or row.language not in _LANGUAGES:
        allowed = f"{', '.join(OUTPUTS)} and {', '.join(_LANGUAGES)}"
        raise DatasetError(f"{place}: its text is none, or its type or language is none of {allowed}")
    return row


def _columns(outcomes: Sequence[Outcome], name: Callable[[Outcome], str]) -> NDArray[np.int64]:
    """The place in `OUTPUTS` of what `name` says of each outcome."""
    return np.asarray([OUTPUTS.index(name(entry)) for entry in outcomes], dtype=np.int64)


def _confidence(outcomes: Sequence[Outcome]) -> NDArray[np.float64]:
    return np.asarray([entry.confidence for entry in outcomes], dtype=np.float64)


def _share(flags: Iterable[bool]) -> float:
    """The share of True; 0 of none."""
    values = list(flags)
    return sum(values) / max(1, len(values))
