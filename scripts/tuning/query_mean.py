"""Writes the mean of the vectors of questions, which a passage that is near to any question is near to.

    python -m scripts.tuning.query_mean [--out FOLDER]

Some passages, short ones above all, are near to whatever is asked, and a brief question in another language is hardly
nearer to what answers it than to these. `engine/retrieval/hybrid.py` counts what a passage has of this mean for less.
That some points are neighbours of too many others is known as hubness (Radovanović, Nanopoulos and Ivanović, Hubs in
Space, JMLR 2010); taking off a common mean follows Mu and Viswanath, All-but-the-Top (ICLR 2018). The questions are
those of the seed, as many in English as in Spanish; XQuAD only judges.

Writes `query_mean.npy` beside the encoder and its entry in the card.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from classifier.decision import QueryType
from classifier.training.seed import shipped_rows
from engine.bootstrap import MODEL_DIR
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.tuning.card import enter_vector


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Writes the mean of the vectors of questions.")
    parser.add_argument("--out", type=Path, default=MODEL_DIR, metavar="FOLDER", help="the encoder's folder")
    out: Path = parser.parse_args().out
    rows = [row for row in shipped_rows() if row.label == QueryType.RETRIEVAL.value]
    encoder = OnnxEmbedder(MODEL_DIR)
    texts = {code: [row.text for row in rows if row.language == code] for code in ("en", "es")}
    means = [encoder.embed_queries(of_one).mean(axis=0) for of_one in texts.values()]
    enter_vector(
        out,
        "query_mean",
        np.mean(means, axis=0),
        "the mean of questions as queries, as much of those in English as of those in Spanish",
        f"classifier/data/seed (this project): {len(texts['en'])} and {len(texts['es'])} questions",
    )


if __name__ == "__main__":
    main()
