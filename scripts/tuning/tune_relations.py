"""Fits three layers to what a message is to the questions before it, above the encoder's lower six.

``python -m scripts.tuning.tune_relations --weights FILE``

The layers read the states of the message and of the last questions before it together (`scripts/tuning/encoder.py`), so
the layers below run once a text. Besides the layers fitted on every message of the dialogues, five more fits each leave
one of their parts out: what they make of the messages that they did not see is what the head of the relations is fitted
to (`scripts/fitting/relations.py`, which has to be run afterwards).

Writes `relation.onnx` beside the encoder, its entries in the card, and `held_out_relations.npz`. Needs jax, optax and
onnx beside the engine, and the file that `scripts/tuning/convert_e5.py` reads. Source: Voskarides et al., Query
Resolution for Conversational Search with Limited Supervision (SIGIR 2020), for reading a message with the turns before.
"""

from __future__ import annotations

import numpy as np

from classifier.relation.relations import TOGETHER, Relation
from classifier.training.dialogues import FOLDS
from classifier.training.held_out_logits import HeldOut
from classifier.training.relations import RelationRow, dialogue_rows
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.tuning.convert_e5 import MODEL, ROOT
from scripts.tuning.encoder import Inputs, fit, logits
from scripts.tuning.fitted import arguments, published, say, write
from scripts.tuning.graph import RELATIONS

HELD_OUT = ROOT / "classifier" / "data" / "held_out_relations.npz"
OUTPUTS = tuple(Relation)
EPOCHS = 2


def main() -> None:
    """Reads the arguments, fits, writes."""
    given = arguments(__doc__ or "", HELD_OUT, EPOCHS)
    layers, epochs = published(given.weights), given.epochs
    rows = dialogue_rows()
    inputs = read(rows)
    truth = np.asarray([OUTPUTS.index(row.relation) for row in rows])
    folds, weights = np.asarray([row.fold for row in rows]), np.ones(len(rows))
    say(f"{len(rows)} messages, {sum(map(len, inputs.states))} tokens with the questions before them")
    params = fit(layers, inputs, np.arange(len(rows)), truth, weights, epochs=epochs, say=say)
    write(given.out, RELATIONS, OUTPUTS, params, inputs, "classifier/data/dialogues")
    found = np.zeros((len(rows), len(OUTPUTS)), np.float32)
    for fold in range(FOLDS):
        left = np.flatnonzero(folds == fold)
        among = {rows[row].together for row in left}  # the same words may be said in two parts
        kept = np.asarray([row for row in np.flatnonzero(folds != fold) if rows[row].together not in among])
        found[left] = logits(fit(layers, inputs, kept, truth, weights, epochs=epochs, say=say), inputs, left)
        say(f"{(found[left].argmax(axis=1) == truth[left]).mean():.4f} right of {len(left)} messages left out")
    HeldOut.of([row.together for row in rows], found).write(given.held_out)


def read(rows: list[RelationRow]) -> Inputs:
    """The messages with the questions before them, as the encoder's lower half reads them."""
    encoder = OnnxEmbedder(MODEL)
    made = [encoder.together(row.text, row.earlier[-TOGETHER:]) for row in rows]
    states = [one.states[0].astype(np.float16) for one in made]
    segments = [one.segments[0].astype(np.int8) for one in made]
    return Inputs(states, segments, int(max(one.max() for one in segments)) + 1)


if __name__ == "__main__":
    main()
