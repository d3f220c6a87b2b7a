"""Fits the head of the relations to the dialogues, and says how well it does on left-out domains and wordings.

    python -m scripts.fitting.relations [--check]

Writes `classifier/data/relations.npz`. To be run after `scripts.tuning.tune_relations` and after a change of the
features; EMBEDDING_MODEL has to be unset.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import classifier
from classifier.training.relations import dialogue_rows, encode, f1_by_relation, fit_head, judged
from engine.bootstrap import bundled_encoder, relation_encoders
from engine.cli.common import settings_for_command


def main() -> None:
    """Fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only judge; write nothing")
    parser.add_argument("--out", type=Path, default=classifier.DATA / "relations.npz")
    options = parser.parse_args()
    settings = settings_for_command()
    rows = dialogue_rows()
    encoded = encode(rows, relation_encoders(bundled_encoder(settings)))
    found = judged(rows, encoded)
    for language in sorted({row.language for row in rows}):
        pairs = [(row.relation, told) for row, told in found if row.language == language]
        by_relation = f1_by_relation([wanted for wanted, _ in pairs], [told for _, told in pairs])
        figures = ", ".join(f"{relation} {figure:.3f}" for relation, figure in by_relation.items())
        right = np.mean([wanted is told for wanted, told in pairs])
        print(f"{language}: right {right:.3f}, macro-F1 {np.mean(list(by_relation.values())):.3f} ({figures})")
    if not options.check:
        fit_head(rows, encoded).save(options.out)
        print(f"written: {options.out}")


if __name__ == "__main__":
    main()
