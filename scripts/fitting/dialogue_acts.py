"""Fits the head of the dialogue acts to its rows with the bundled encoder, and says how well it does on left-out rows.

    python -m scripts.fitting.dialogue_acts [--check]

Writes `classifier/data/dialogue_acts.npz`. To be run after a change of `dialogue_acts.json` or of the encoder.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from classifier import DATA
from classifier.decision import embed_queries
from classifier.dialogue_act.acts import SURE, DialogueAct
from classifier.training.dialogue_acts import act_rows, fit_head, negatives, sentence
from classifier.training.seed import shipped_rows
from engine.bootstrap import MODEL_DIR
from engine.retrieval.embedding.onnx import OnnxEmbedder

#: Parts that the rows are cut into; each is judged by a head that was fitted to the others.
FOLDS = 5


def main() -> None:
    """Fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only judge; write nothing")
    parser.add_argument("--out", type=Path, default=DATA / "dialogue_acts.npz")
    options = parser.parse_args()
    rows = [*act_rows(), *negatives(shipped_rows())]
    embedder = OnnxEmbedder(MODEL_DIR)
    vectors = embed_queries(embedder, [row.text for row in rows])
    again = embed_queries(embedder, [sentence(row).text for row in rows])
    acts = [row.act for row in rows]
    order = np.random.default_rng(0).permutation(len(rows))
    right: dict[str, list[bool]] = {}
    sure: list[tuple[bool, bool]] = []
    false = []
    for fold in range(FOLDS):
        out = order[fold::FOLDS]
        kept = np.setdiff1d(order, out)
        head = fit_head(np.concatenate([vectors[kept], again[kept]]), [acts[at] for at in kept] * 2, embedder.id)
        for at in out:
            reading = head.read(vectors[at])
            if acts[at] is DialogueAct.NONE:
                false.append(reading.act is not DialogueAct.NONE)
                continue
            right.setdefault(rows[at].language, []).append(reading.likeliest is acts[at])
            sure.append((reading.confidence >= SURE, reading.likeliest is acts[at]))
    for language, found in sorted(right.items()):
        print(f"{language}: {np.mean(found):.3f} right of {len(found)} rows in {len(DialogueAct) - 1} acts")
    decided = [hit for is_sure, hit in sure if is_sure]
    print(f"sure on {len(decided) / len(sure):.3f} of them, right there {np.mean(decided):.3f}")
    print(f"questions taken for an act: {np.mean(false):.3f} of {len(false)}")
    if not options.check:
        fit_head(np.concatenate([vectors, again]), acts * 2, embedder.id).save(options.out)
        print(f"written: {options.out}")


if __name__ == "__main__":
    main()
