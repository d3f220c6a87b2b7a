"""Fits low-rank adapters to the search's layers, so that a question is near the name of the figure that it means.

``python -m scripts.tuning.tune_names --weights FILE``

The encoder was trained on sentences; of names of two words it knows little more than their letters. It is fitted to
`scripts/fitting/account/names`: of each kind of account, questions in people's own words with the name of the figure
that they mean, among the names of the others, in two languages. A part of the kinds is left out first, to judge.

Writes `names.onnx` beside the encoder and its entries in the card. The graph holds the adapters alone: all else is read
out of `upper.onnx` beside it. To be run after `convert_e5.py`; needs jax, optax and onnx beside the engine.

Source: Hu et al., LoRA: Low-Rank Adaptation of Large Language Models (ICLR 2022); Henderson et al., Efficient Natural
Language Response Suggestion for Smart Reply (arXiv:1705.00652), for choosing among the answers of the same batch.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
import optax
from numpy.typing import NDArray

from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.fitting.account.name_rows import Block, blocks
from scripts.tuning.card import enter
from scripts.tuning.convert_e5 import MODEL
from scripts.tuning.e5_weights import read_e5
from scripts.tuning.encoder import Inputs, batches, layer
from scripts.tuning.fitted import arguments, say
from scripts.tuning.graph import LAYERS, SHARED, STATES, WIDTH, quantised, share, write_upper

#: Rank of an adapter, and the matrices that have one.
RANK = 4
ADAPTED = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
#: Times that each kind is seen, each time with one question of each figure, and kinds of a step.
EPOCHS, KINDS = 6, 3
#: Figures that a kind has at most, and tokens of a name and of a question that are read.
_FIGURES, _NAME_TOKENS, _QUESTION_TOKENS = 14, 16, 32
_RATE, _DECAY = 1.5e-3, 0.01
#: What cosines are multiplied with at first; what choosing among the names of one kind counts, beside those of all.
_SHARPNESS, _WITHIN = 20.0, 0.7
#: Share of the kinds that are left out to judge, and of names behind which their kind stands, as in a nested context.
_LEFT_OUT, _NESTED = 0.06, 0.2
_SEED = 1

Floats = NDArray[np.float32]
States = Mapping[str, NDArray[np.float16]]
Params = Any


@dataclass(frozen=True, slots=True)
class Step:
    """Questions of some kinds with all their names.

    Attributes:
        questions, names: Shape (texts, tokens, width), with masks of shape (texts, tokens).
        right: The place of the name that each question means, shape (questions,).
        same: 1 where question and name are of one kind, shape (questions, names).
    """

    questions: tuple[Floats, Floats]
    names: tuple[Floats, Floats]
    right: NDArray[np.int64]
    same: Floats


def main() -> None:
    """Reads the arguments, fits, judges, writes."""
    given = arguments(__doc__ or "", None, EPOCHS)
    weights = read_e5(given.weights)
    published = [weights.layer(number) for number in range(SHARED, LAYERS)]
    layers = jax.tree.map(jnp.asarray, published)
    kinds = blocks()
    states = _read(kinds)
    say(f"{len(kinds)} kinds, {len(states)} texts")
    order = np.random.default_rng(_SEED).permutation(len(kinds))
    left = [kinds[at] for at in order[: int(len(kinds) * _LEFT_OUT)]]
    say(f"as published: {judged(layers, _fresh(), left, states):.3f} of the questions left out find their name")
    trial = fit(layers, [kinds[at] for at in order[len(left) :]], states, given.epochs)
    found = judged(layers, trial, left, states)
    say(f"fitted: {found:.3f}")
    params = fit(layers, kinds, states, given.epochs)
    _write(given.out, published, params, states, round(found, 3))


def fit(layers: Sequence[Params], kinds: Sequence[Block], states: States, epochs: int) -> Params:
    """The adapters, fitted to the questions of `kinds`."""
    steps = epochs * -(-len(kinds) // KINDS)
    pace = optax.warmup_cosine_decay_schedule(0.0, _RATE, steps // 10, steps)
    optimiser = optax.adamw(pace, weight_decay=_DECAY)
    params = _fresh()
    state = optimiser.init(params)

    @jax.jit  # type: ignore[untyped-decorator]
    def step(params: Params, state: Any, *given: Any) -> Any:
        changes, state = optimiser.update(jax.grad(_loss)(params, layers, *given), state, params)
        return optax.apply_updates(params, changes), state

    random, done = np.random.default_rng(_SEED), 0
    for _ in range(epochs):
        order = random.permutation(len(kinds))
        for start in range(0, len(order), KINDS):
            made = _step([kinds[at] for at in order[start : start + KINDS]], states, random)
            params, state = step(params, state, made.questions, made.names, made.right, made.same)
            done += 1
            if done % 50 == 0:
                say(f"{done} of {steps} steps")
    return jax.tree.map(np.asarray, params)


def judged(layers: Sequence[Params], params: Params, kinds: Sequence[Block], states: States) -> float:
    """The share of questions that are nearest to the name that they mean, of the names in each language."""
    texts = [text for text in _texts(kinds) if text in states]
    vectors = dict(zip(texts, _vectors(layers, params, [states[text] for text in texts]), strict=True))
    right = []
    for kind in kinds:
        for language in ("en", "es"):
            names = np.stack([vectors[figure.names[language]] for figure in kind.figures])
            for place, figure in enumerate(kind.figures):
                right += [int((names @ vectors[asked]).argmax()) == place for asked in figure.questions]
    return float(np.mean(right))


def _read(kinds: Sequence[Block]) -> States:
    """What the encoder's lower half makes of every text, read as a query."""
    encoder = OnnxEmbedder(MODEL)
    nested = [_nested(kind.kind, name) for kind in kinds for figure in kind.figures for name in figure.names.values()]
    every = dict.fromkeys([*_texts(kinds), *nested])
    return {text: encoder.states_of(text)[0, :_QUESTION_TOKENS].astype(np.float16) for text in every}


def _texts(kinds: Sequence[Block]) -> list[str]:
    figures = [figure for kind in kinds for figure in kind.figures]
    return list(dict.fromkeys(text for one in figures for text in (*one.names.values(), *one.questions)))


def _nested(kind: str, name: str) -> str:
    return f"{kind} {name}"


def _step(kinds: Sequence[Block], states: States, random: np.random.Generator) -> Step:
    """One question of each figure of `kinds`; what is missing to the full number is filled up with the first."""
    asked: list[str] = []
    named: list[str] = []
    right: list[int] = []
    of: list[tuple[int, int]] = []
    for place, kind in enumerate(kinds):
        language = ("en", "es")[random.integers(2)]
        nested = random.random() < _NESTED
        for figure in kind.figures:
            name = figure.names[language]
            right.append(len(named))
            named.append(_nested(kind.kind, name) if nested else name)
            asked.append(figure.questions[random.integers(len(figure.questions))])
            of.append((place, place))
    missing = KINDS * _FIGURES - len(asked)
    asked, right = asked + asked[:1] * missing, right + right[:1] * missing
    named, of = named + named[:1] * missing, of + [(0, -1)] * missing
    same = np.array([[float(one[0] == other[1]) for other in of] for one in of], np.float32)
    questions, names = _padded(asked, states, _QUESTION_TOKENS), _padded(named, states, _NAME_TOKENS)
    return Step(questions, names, np.array(right), same)


def _padded(texts: Sequence[str], states: States, most: int) -> tuple[Floats, Floats]:
    block, mask = np.zeros((len(texts), most, WIDTH), np.float32), np.zeros((len(texts), most), np.float32)
    for row, text in enumerate(texts):
        end = min(len(states[text]), most)
        block[row, :end], mask[row, :end] = states[text][:end], 1
    return block, mask


def _loss(params: Params, layers: Any, asked: Any, named: Any, right: Any, same: Any) -> Any:
    questions, names = _encoded(layers, params, *asked), _encoded(layers, params, *named)
    logits = questions @ names.T * jnp.exp(params["sharpness"])
    within = optax.softmax_cross_entropy_with_integer_labels(jnp.where(same > 0, logits, -1e9), right).mean()
    return _WITHIN * within + (1 - _WITHIN) * optax.softmax_cross_entropy_with_integer_labels(logits, right).mean()


def _encoded(layers: Any, params: Params, states: Any, mask: Any) -> Any:
    """Unit vectors, shape (texts, width)."""
    for number, tensors in enumerate(layers):
        states = layer({**tensors, **params["adapters"][number]}, states, mask)
    pooled = (states * mask[..., None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
    return pooled / jnp.linalg.norm(pooled, axis=-1, keepdims=True)


def _vectors(layers: Sequence[Params], params: Params, texts: Sequence[NDArray[np.float16]]) -> Floats:
    encode = jax.jit(_encoded)
    found = np.zeros((len(texts), WIDTH), np.float32)
    for batch in batches(Inputs(texts), np.arange(len(texts))):
        made = encode(layers, params, batch.states.astype(np.float32), batch.mask)
        found[batch.rows] = np.asarray(made)[: len(batch.rows)]
    return found


def _fresh() -> Params:
    """Adapters that change nothing."""
    random = np.random.default_rng(0)
    adapters = [
        {
            name: array
            for adapted in ADAPTED
            for name, array in (
                (f"{adapted}.down", random.normal(0, 0.02, (RANK, WIDTH)).astype(np.float32)),
                (f"{adapted}.up", np.zeros((WIDTH, RANK), np.float32)),
            )
        }
        for _ in range(SHARED, LAYERS)
    ]
    return jax.tree.map(jnp.asarray, {"adapters": adapters, "sharpness": np.float32(np.log(_SHARPNESS))})


def _write(folder: Path, layers: Sequence[dict[str, Any]], params: Params, states: States, right: float) -> None:
    """Writes the graph beside the encoder, and what it is into the card."""
    path = folder / "names.onnx"
    adapted = [{**tensors, **adapters} for tensors, adapters in zip(layers, params["adapters"], strict=True)]
    with tempfile.TemporaryDirectory() as scratch:
        write_upper(adapted, Path(scratch) / path.name)
        quantised(Path(scratch) / path.name, path)
    share(path, folder / "upper.onnx")
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    some = list(states.values())[::50]
    made = [session.run(None, {STATES: one[None].astype(np.float32)})[0][0] for one in some]
    exact = _vectors([jax.tree.map(jnp.asarray, tensors) for tensors in layers], params, some)
    entry = {
        "changes": f"adapters of rank {RANK} on the attention of layers {SHARED} to {LAYERS - 1}, fitted to questions "
        "with the names of the figures that they mean; all else is read out of upper.onnx",
        "data": "scripts/fitting/account/names",
        "reads": hashlib.sha256((folder / "upper.onnx").read_bytes()).hexdigest(),
        "right_of_kinds_left_out": right,
        "cosine_to_float32": round(float((np.stack(made) * exact).sum(axis=1).mean()), 4),
    }
    enter(path, "names", entry, Path(__file__).name, ("jax", "optax", "onnx", "onnxruntime"))
    say("the adapters fitted to every kind are written")


if __name__ == "__main__":
    main()
