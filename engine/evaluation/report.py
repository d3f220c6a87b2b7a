"""Trials as one object, as Markdown and as pictures."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from classifier.evaluation import plots
from classifier.evaluation.report import cell, write_texts

_HALVES = ("text", "dense", "both")
_NAMES = {"last_turn": "last turn", "gold": "a person's", "rewrite": "the engine's", "joined": "all joined"}
#: What is asked of a release: hybrid search never below its better half by more, and on average so much above it; the
#: share of the way to a person's rewrite.
_WORST_GAIN, _MEAN_GAIN, _CLOSED = -0.005, 0.02, 0.5


def goals(trials: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each goal with its figure over all collections; one whose figure they do not give is left out."""
    gains = [gain for trial in trials.values() for gain in trial["fusion_gain"].values()]
    shares = [share for trial in trials.values() if (share := trial["gap_closed"].get("both")) is not None]
    found = []
    if gains:
        found += [
            ("hybrid against its better half, worst", min(gains), _WORST_GAIN),
            ("hybrid against its better half, mean", statistics.fmean(gains), _MEAN_GAIN),
        ]
    if shares:
        found.append(("share of the gap closed, worst", min(shares), _CLOSED))
    return [{"figure": name, "value": value, "goal": least, "met": value >= least} for name, value, least in found]


def markdown(report: Mapping[str, Any]) -> str:
    """The report as tables.

    Args:
        report: `embedder`, `trials` by collection as `trial.run_trial` gives them, `goals`.
    """
    trials = report["trials"]
    parts = [f"# Retrieval and conversation\n\nEmbedder: {report['embedder']}."]
    for name, trial in trials.items():
        parts.append(f"## {name}\n\n{trial['questions']} questions over {trial['passages']} passages.")
        for measure in ("ndcg", "recall"):
            title = {"ndcg": "nDCG@10", "recall": "recall@10"}[measure]
            parts.append(_table((title, *_HALVES), _figures(trial[measure])))
        rows = [(_NAMES[form], gain) for form, gain in trial["fusion_gain"].items()]
        parts.append(_table(("hybrid against its better half", "nDCG@10"), rows))
        if trial["gap_closed"]:
            row = ("share closed", *(trial["gap_closed"][half] for half in _HALVES))
            parts.append(_table(("from last turn to a person's rewrite", *_HALVES), [row]))
    found = {name: trial["needs_rewrite"] for name, trial in trials.items() if trial["needs_rewrite"]}
    if found:
        columns = ("precision", "recall", "f1", "hits", "false_alarms", "misses", "rejections")
        rows_ = [(name, *(figures[column] for column in columns)) for name, figures in found.items()]
        parts.append("## Needs a rewrite\n\n" + _table(("collection", *(c.replace("_", " ") for c in columns)), rows_))
    met = [(goal["figure"], goal["value"], goal["goal"], "yes" if goal["met"] else "no") for goal in report["goals"]]
    parts.append("## Goals\n\n" + _table(("goal", "figure", "at least", "met"), met))
    return "\n\n".join(parts) + "\n"


def write(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """Writes `retrieval.json`, `retrieval.md` and a picture for each collection into `folder`, which is made."""
    texts = {
        "retrieval.json": json.dumps(report, ensure_ascii=False, indent=1) + "\n",
        "retrieval.md": markdown(report),
    }
    for name, trial in report["trials"].items():
        groups = {_NAMES[form]: [halves[half] for half in _HALVES] for form, halves in trial["ndcg"].items()}
        texts[f"ndcg-{name}.svg"] = plots.bars(groups, _HALVES, f"nDCG@10, {name}")
    return write_texts(texts, folder)


def _figures(measure: Mapping[str, Mapping[str, float]]) -> list[tuple[Any, ...]]:
    return [(_NAMES[form], *(halves[half] for half in _HALVES)) for form, halves in measure.items()]


def _table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    lines += [f"| {' | '.join(cell(value) for value in row)} |" for row in rows]
    return "\n".join(lines)
