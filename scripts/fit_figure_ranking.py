"""Fits the ranking of account figures with the bundled encoder, and says how it does on left-out kinds and contexts.

    python scripts/fit_figure_ranking.py [--check] [--contexts 450] [--seed 7]

Writes `engine/generation/extractive/account_figures/ranking/ranking.npz`. To be run after a change of the features, of
the heads of the account questions, of the rows in `scripts/tuning/figures`, or of the encoder.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.bootstrap import MODEL_DIR
from engine.generation.extractive.account_figures.ranking.ranker import SHIPPED, save_weights
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.tuning.figure_ranking import fit


def main() -> None:
    """Fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only judge; write nothing")
    parser.add_argument(
        "--contexts", type=int, default=450, help="contexts that are made, with about 13 questions each"
    )
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    embedder = MemoEmbedder(OnnxEmbedder(MODEL_DIR), 60_000, batches=True)
    weights, figures = fit(embedder, options.contexts, options.seed)
    for name, counts in figures.items():
        total = sum(counts.values())
        print(
            f"{name}, left out: " + ", ".join(f"{kind} {n / total:.3f}" for kind, n in counts.items()) + f" of {total}"
        )
    if not options.check:
        save_weights(weights, options.out)
        print(f"written: {options.out}")


if __name__ == "__main__":
    main()
