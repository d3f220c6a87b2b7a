"""Fits the head of the relations to the dialogues, and says how well it does on left-out domains and wordings.

    python scripts/fit_relations.py [--check]

Writes `classifier/data/relations.npz`. To be run after a change of the dialogues or of the encoder.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from classifier import DATA
from classifier.relation.relations import Relation
from classifier.training.dialogues import FOLDS, LANGUAGES, dialogue_files, examples, read_dialogues
from classifier.training.relations import RelationRow, encode, f1_by_relation, fit_head, read_rows, rows_of
from engine.bootstrap import HELD_OUT, MODEL_DIR
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.intent_encoder import IntentEmbedder


def main() -> None:
    """Fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only judge; write nothing")
    parser.add_argument("--folds", type=int, default=FOLDS, help="how many folds to judge by")
    parser.add_argument("--out", type=Path, default=DATA / "relations.npz")
    options = parser.parse_args()
    rows = rows_of(examples(read_dialogues(dialogue_files(DATA / "dialogues"))))
    queries = OnnxEmbedder(MODEL_DIR)
    encoded = encode(rows, queries, IntentEmbedder(queries, HELD_OUT))
    wanted: list[RelationRow] = []
    found: list[Relation] = []
    for fold in range(options.folds):
        out = [row for row in rows if row.fold == fold]
        head = fit_head([row for row in rows if row.fold != fold], encoded)
        wanted += out
        found += read_rows(head, out, encoded)
    for language in LANGUAGES:
        tell(language, [(row, told) for row, told in zip(wanted, found, strict=True) if row.language == language])
    if not options.check:
        fit_head(rows, encoded).save(options.out)
        print(f"written: {options.out}")


def tell(language: str, judged: Sequence[tuple[RelationRow, Relation]]) -> None:
    """Prints the figures of one language."""
    by_relation = f1_by_relation([row.relation for row, _ in judged], [told for _, told in judged])
    figures = ", ".join(f"{relation} {figure:.3f}" for relation, figure in by_relation.items())
    right = np.mean([row.relation is told for row, told in judged])
    print(f"{language}: right {right:.3f}, macro-F1 {np.mean(list(by_relation.values())):.3f} ({figures})")


if __name__ == "__main__":
    main()
