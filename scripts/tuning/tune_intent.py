"""Fits three layers to the types, above the encoder's lower six.

``python -m scripts.tuning.tune_intent --weights FILE``

The six below stay as they are, so one run of them serves the search and the router; the three begin as the published
layers seven to nine. Besides the layers fitted on every row of the seed, three more fits each leave a third of the
domains out: what they make of the rows they did not see is what a training has to read in place of what the shipped
layers make of rows they know by heart.

Writes `type.onnx` beside the encoder, its entries in the card, and `held_out.npz`. Needs jax, optax and onnx beside the
engine, and the file that `scripts/tuning/convert_e5.py` reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from classifier.linear.card import OUTPUTS
from classifier.linear.scoring import calm, plain, read_all
from classifier.training.augmentation import copies, forms
from classifier.training.dataset import Row, domain_groups, read_rows, seed_files
from classifier.training.fit import blank_weights
from classifier.training.heads import SEED
from classifier.training.held_out_logits import HeldOut
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.tuning.convert_e5 import MODEL, ROOT
from scripts.tuning.encoder import Inputs, fit, logits
from scripts.tuning.fitted import arguments, published, say, write
from scripts.tuning.graph import TYPES

SEED_FOLDER, HELD_OUT = ROOT / "classifier" / "data" / "seed", ROOT / "classifier" / "data" / "held_out.npz"
#: Parts that the domains are divided into; each is left out of one fit.
DOMAIN_FOLDS = 3
#: Tokens of a row that are fitted on: a request stands in front.
MOST_TOKENS = 128


def main() -> None:
    """Reads the arguments, fits, writes."""
    given = arguments(__doc__ or "", HELD_OUT)
    layers, epochs = published(given.weights), given.epochs
    seed = read_seed()
    encoder = OnnxEmbedder(MODEL)
    states = [encoder.states_of(text)[0, :MOST_TOKENS].astype(np.float16) for text in seed.texts]
    say(f"{len(seed.texts)} texts of {len(seed.rows)} rows and their copies, {sum(map(len, states))} tokens")
    inputs = Inputs(states)
    params = fit(layers, inputs, np.arange(len(states)), seed.truth, seed.weights, epochs=epochs, say=say)
    write(given.out, TYPES, OUTPUTS, params, inputs, "classifier/data/seed")
    judged = np.arange(seed.judged)
    found = np.zeros((seed.judged, len(OUTPUTS)), np.float32)
    groups = domain_groups(seed.rows)
    for kept, left in GroupKFold(DOMAIN_FOLDS, shuffle=True, random_state=SEED).split(states, groups=groups):
        unseen = np.intersect1d(left, judged)
        # One text may stand in two domains: it is fitted on in neither.
        among = {seed.texts[row] for row in unseen}
        rows = np.asarray([row for row in kept if seed.texts[row] not in among])
        fold = fit(layers, inputs, rows, seed.truth, seed.weights, epochs=epochs, say=say)
        found[unseen] = logits(fold, inputs, unseen)
        right = found[unseen, :-1].argmax(axis=1) == seed.truth[unseen]
        scoped = seed.truth[unseen] < len(OUTPUTS) - 1
        say(f"{right[scoped].mean():.4f} right of {scoped.sum()} texts of the types in domains left out")
    HeldOut.of(seed.texts[: seed.judged], found).write(given.held_out)


@dataclass(frozen=True, slots=True)
class Seed:
    """The seed as the layers are fitted to it.

    Attributes:
        rows: As they were written, then the copies that a training reads too, then the forms that only these layers do.
        texts: What is encoded of each.
        judged: How many of them a training reads.
        truth: Shape (rows,): the right output.
        weights: Shape (rows,): how much each counts; the outputs count alike.
    """

    rows: list[Row]
    texts: list[str]
    judged: int
    truth: NDArray[np.int64]
    weights: NDArray[np.float64]


def read_seed() -> Seed:
    """The seed, its copies and its forms."""
    rows = read_rows(seed_files(SEED_FOLDER))
    read = [*rows, *copies(rows)]
    every = [*read, *forms(rows)]
    truth = np.asarray([OUTPUTS.index(row.label) for row in every])
    weights = np.asarray([row.weight for row in every])
    weights *= (weights.sum() / np.bincount(truth, weights, len(OUTPUTS)) / len(OUTPUTS))[truth]
    # What a training reads is read as layer 2 reads it; forms keep their slips, as half of those that users make do.
    reading = read_all([row.text for row in read], blank_weights(rows, len(OUTPUTS)))
    return Seed(
        every,
        [*reading.sentences, *map(calm, plain([row.text for row in every[len(read) :]]))],
        len(read),
        truth,
        weights,
    )


if __name__ == "__main__":
    main()
