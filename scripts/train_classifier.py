"""Trains layer 2 on the seed set and prints its report: ``python scripts/train_classifier.py``."""

import argparse
import datetime as dt
import json
from pathlib import Path

from threadpoolctl import threadpool_limits

from classifier.linear.card import OUTPUTS
from classifier.training.dataset import read_rows, seed_files
from classifier.training.fit import Report, train_rows
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.fitted_layers import IntentEmbedder

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "classifier" / "data"


def show(report: Report) -> None:
    """Prints the check of the rows, the figures and the confusion matrix."""
    found = report.check
    print(f"{found.rows} rows, imbalance {found.imbalance:.2f}, near-duplicates {len(found.near_duplicates)}")
    for left, right in found.conflicts:
        print(f"  two labels: {left!r} / {right!r}")
    for family in found.crossing:
        print(f"  family under two labels: {family}")
    print(f"\n{report.markdown()}\n\nby head: {json.dumps(report.scores['heads'])}")
    print(f"n-grams alone from {report.artifact.card.shortcut}: {json.dumps(report.scores['shortcut'])}\n")
    print("domains left out, rows by truth:", *OUTPUTS)
    for name, counts in zip(OUTPUTS, report.scores["pictures"]["confusion"], strict=True):
        print(f"  {name:15}", *(f"{count:6}" for count in counts))
    card = report.artifact.card
    print(f"\n{report.artifact.path} {report.artifact.id} thresholds {card.thresholds} reject {card.reject_threshold}")


def main() -> None:
    """Reads the arguments, trains, prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=Path, default=DATA / "seed")
    parser.add_argument("--embedder", type=Path, default=ROOT / "engine" / "models" / "multilingual-e5-small")
    parser.add_argument("--out", type=Path, default=DATA / "classifier_model.npz")
    parser.add_argument("--labels", type=Path, nargs="*", default=())
    parser.add_argument("--date", default=dt.datetime.now(tz=dt.UTC).date().isoformat())
    arguments = parser.parse_args()
    embedder = IntentEmbedder(OnnxEmbedder(arguments.embedder), DATA / "held_out.npz")
    with threadpool_limits(1):  # several BLAS threads make these small problems several times slower
        rows = read_rows([*seed_files(arguments.seed), *arguments.labels])
        report = train_rows(rows, embedder, arguments.out, arguments.date)
    show(report)


if __name__ == "__main__":
    main()
