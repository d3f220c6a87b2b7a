"""Fits what lies between passages in English and passages in Spanish for the encoder: the difference of their means.

    python -m scripts.tuning.language_offset [--out FOLDER]

A query is nearer to passages in its own language than to those in the other that say the same, so that in a collection
of both these come first. Moved along this difference it is less so (`engine/retrieval/hybrid.py`). The method is that
of Yang et al. 2021, A Simple and Effective Method To Eliminate the Self Language Bias in Multilingual Representations,
with one direction for two languages. It is fitted to the passages of `scripts/fitting/passages`;
XQuAD only judges.

Writes `language_offset.npy` beside the encoder and its entry in the card.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.bootstrap import MODEL_DIR
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.fitting.passages import read_blocks
from scripts.tuning.card import enter_vector


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Fits the offset between the two languages.")
    parser.add_argument("--out", type=Path, default=MODEL_DIR, metavar="FOLDER", help="the encoder's folder")
    out: Path = parser.parse_args().out
    texts: dict[str, list[str]] = {"en": [], "es": []}
    for block in read_blocks():
        texts[block.language].append(block.text)
    encoder = OnnxEmbedder(MODEL_DIR)
    english, spanish = (encoder.embed(texts[code]).mean(axis=0) for code in ("en", "es"))
    enter_vector(
        out,
        "language_offset",
        spanish - english,
        "the mean of passages in Spanish less that of passages in English",
        f"scripts/fitting/passages (this project): {len(texts['en'])} and {len(texts['es'])} passages",
    )


if __name__ == "__main__":
    main()
