"""An evaluation of the router as one object, as Markdown, and as files with pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from classifier.evaluation import plots
from classifier.evaluation.bounds import read_bounds
from classifier.evaluation.outcomes import (
    Outcome,
    accuracy_against_coverage,
    by_language,
    by_part,
    matrix,
    mistakes,
    reliability,
)
from classifier.linear.card import OUTPUTS

#: Surest mistakes that are listed, by language.
MISTAKES = 60

_FIGURES = (
    "rows", "macro_f1", "macro_f1_routed", "accuracy", "coverage", "selective_accuracy", "ece", "false_rejects",
    "out_of_scope_rows", "out_of_scope_recall", "out_of_scope_kept_out",
)  # fmt: skip
_MOVES = ("changed", "flips", "flips_between_types", "accuracy_before", "accuracy_after", "obeyed")
_PARTS = ("rows", "accuracy", "accuracy_routed", "coverage", "selective_accuracy")
_WORST_PARTS = 15


def headline(outcomes: Sequence[Outcome], judged_by: str) -> dict[str, Any]:
    """The figures of decisions on labelled rows.

    Args:
        outcomes: Of every row.
        judged_by: What decided, and whether it had seen the rows; for the reader.
    """
    return {
        "judged_by": judged_by,
        "by_language": by_language(outcomes),
        "by_domain": by_part(outcomes, lambda row: row.domain),
        "by_register": by_part(outcomes, lambda row: row.register),
        "classes": list(OUTPUTS),
        "confusion": matrix(outcomes),
        "reliability": reliability(outcomes),
        "accuracy_against_coverage": accuracy_against_coverage(outcomes),
        "mistakes": {language: mistakes(outcomes, language, MISTAKES) for language in ("en", "es")},
    }


def goals(report: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each goal with the figure that it is about; one whose figure the rows do not give is left out."""
    found = []
    for goal in read_bounds(section="goals"):
        try:
            value, met = goal.value(report), goal.kept(report)
        except KeyError:
            continue
        found.append({"figure": goal.name, "value": value, "goal": goal.limit, "least": goal.least, "met": met})
    return found


def markdown(report: Mapping[str, Any]) -> str:
    """The report as tables.

    Args:
        report: `artifact`, `headline`, `anchoring`, `robustness`, `stability_judged_by`, `milliseconds`, `goals`.
    """
    head = report["headline"]
    worst = dict(list(head["by_domain"].items())[:_WORST_PARTS])
    sections = [
        f"# Router {report['artifact']}",
        f"## On labelled rows\n\nJudged: {head['judged_by']}.\n\n{_table('part', head['by_language'], _FIGURES)}",
        f"## The domains it knows least\n\n{_table('domain', worst, _PARTS)}",
        f"## Registers\n\n{_table('register', head['by_register'], _PARTS)}",
        f"## What must not move it\n\nJudged: {report['stability_judged_by']}.\n\n{_anchoring(report['anchoring'])}",
        _table("change", _moves(report["robustness"]), _MOVES),
        f"## Milliseconds per decision\n\n{_table('callers', report['milliseconds'], ('median', 'p95', 'per_second'))}",
        f"## Goals\n\n{_goals(report['goals'])}",
    ]
    return "\n\n".join(sections) + "\n"


def write(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """Writes `router.json`, `router.md` and three pictures into `folder`, which is made; the paths."""
    head = report["headline"]
    chosen = head["by_language"]["all"]
    texts = {
        "router.json": json.dumps(report, ensure_ascii=False, indent=1) + "\n",
        "router.md": markdown(report),
        "reliability.svg": plots.reliability_diagram(head["reliability"], "Reliability"),
        "confusion.svg": plots.confusion_matrix(head["confusion"], head["classes"], "Confusion"),
        "coverage.svg": plots.coverage_curve(
            head["accuracy_against_coverage"],
            (chosen.get("coverage", 0.0), chosen.get("selective_accuracy", 1.0)),
            "Accuracy against coverage",
        ),
    }
    return write_texts(texts, folder)


def write_texts(texts: Mapping[str, str], folder: Path) -> list[Path]:
    """Writes files by name into `folder`, which is made; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in texts]


def cell(value: Any) -> str:
    """A value in a Markdown table."""
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)


def _table(what: str, rows: Mapping[str, Mapping[str, Any]], columns: Sequence[str]) -> str:
    """A Markdown table; a figure that a row lacks is an empty cell."""
    lines = [
        f"| {what} | {' | '.join(name.replace('_', ' ') for name in columns)} |",
        "|---" * (len(columns) + 1) + "|",
    ]
    lines += [f"| {name} | {' | '.join(cell(row.get(column)) for column in columns)} |" for name, row in rows.items()]
    return "\n".join(lines)


def _anchoring(found: Mapping[str, Any]) -> str:
    """The gap by language, then accuracy and flips by depth."""
    by_part_ = _table("self-contained", found, ("rows", "accuracy", "worst", "worst_setting", "gap", "flip_rate"))
    by_depth = _table("turns before", found["all"]["by_depth"], ("accuracy", "flip_rate"))
    return f"{by_part_}\n\n{by_depth}"


def _moves(found: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """One row for each kind of change and language."""
    return {f"{kind}, {part}": figures for kind, parts in found.items() for part, figures in parts.items()}


def _goals(found: Sequence[Mapping[str, Any]]) -> str:
    rows = {
        entry["figure"]: {
            "figure": entry["value"],
            "goal": f"{'at least' if entry['least'] else 'at most'} {entry['goal']}",
            "met": "yes" if entry["met"] else "no",
        }
        for entry in found
    }
    return _table("goal", rows, ("figure", "goal", "met"))
