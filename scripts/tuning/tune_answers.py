"""Fits the head that tells whether a sentence answers a question, on the states of the encoder's lower six layers.

``python -m scripts.tuning.tune_answers --weights FILE --xquad FOLDER``

It is fitted to the examples of `scripts/fitting/answerability_examples.py`. Whoever writes questions that a passage
leaves open asks otherwise than of what it says, so what the question alone gives away is fitted first and taken as
known while the head is fitted: only what the sentences say is left to it. Besides the head fitted on everything, some
more each leave a part of the articles and passages out; what they make of it is what the weights of answerability are
fitted to (`scripts/fitting/answerability.py`, which has to be run afterwards).

Writes `answers.npz` beside the encoder, its entries in the card, and `held_out_answers.npz`. Needs jax and optax beside
the engine. Source: Clark et al., Don't Take the Easy Way Out (EMNLP 2019), for the product with what is known by bias.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from classifier.training.held_out_logits import HeldOut
from engine.retrieval.embedding.answer_head import AnswerHead, Read, scores
from engine.retrieval.embedding.onnx import OnnxEmbedder
from scripts.fitting.answer_examples import Batch, Material, given_away, is_fitted_to, judged
from scripts.fitting.answerability_examples import HELD_OUT, SENTENCES, examples, guide
from scripts.fitting.encoder import bundled
from scripts.tuning.convert_e5 import MODEL
from scripts.tuning.fitted import arguments, say, write_head
from scripts.tuning.graph import WIDTH

#: Size of the head's layers, examples of a step, times that each is seen.
SIZE, BATCH, EPOCHS = 64, 32, 4
#: Parts that articles and passages are left out in.
FOLDS = 3
_RATE, _DROPOUT, _SMOOTHING, _DECAY = 1e-3, 0.2, 0.1, 0.02
Floats = NDArray[np.float32]
Params = Any


for arrays in (Read, Batch):
    jax.tree_util.register_dataclass(arrays, [field.name for field in fields(arrays)], [])


def main() -> None:
    """Reads the arguments, fits, writes."""
    given = arguments(__doc__ or "", HELD_OUT, EPOCHS, xquad=True)
    embedder = bundled()
    every = examples(given.xquad, guide(embedder), embedder)
    made = [one for one in every if one.sentences]
    folds = np.asarray([zlib.crc32(one.asked.group.encode()) % FOLDS for one in made])
    fitted_to = np.flatnonzero([is_fitted_to(one) for one in made])
    say(f"{len(made)} examples, {len(fitted_to)} of them to fit to")
    encoder = OnnxEmbedder(MODEL)
    known = given_away(made, folds, embedder)
    material = Material.of(made, lambda text, query: encoder.states_of(text, query=query)[0], known)
    say(f"{len(material.states)} texts read")
    params = fit(material, fitted_to, given.epochs)
    write_head(given.out, {name: np.asarray(array) for name, array in params.items()}, Path(__file__).name)
    found = np.zeros(len(made), np.float32)
    for fold in range(FOLDS):
        left = np.flatnonzero(folds == fold)
        found[left] = read(fit(material, fitted_to[folds[fitted_to] != fold], given.epochs), material, left)
        for line in judged([made[row] for row in left], found[left]):
            say(line)
    HeldOut.of([one.key for one in made], found[:, None]).write(given.held_out)


def fit(material: Material, rows: NDArray[np.int64], epochs: int) -> Params:
    """The weights of the head, fitted to examples.

    Args:
        material: All examples.
        rows: Places of those to fit to.
        epochs: Times that each is seen.
    """
    steps = epochs * (len(rows) // BATCH)
    params = _fresh(*material.spread(), jax.random.PRNGKey(0))
    still = {name: name in ("mean", "spread") for name in params}
    pace = optax.warmup_cosine_decay_schedule(0.0, _RATE, steps // 10, steps)
    optimiser = optax.chain(optax.adamw(pace, weight_decay=_DECAY), optax.masked(optax.set_to_zero(), still))
    state, step = optimiser.init(params), _step(optimiser)
    key, done = jax.random.PRNGKey(1), 0
    for epoch in range(epochs):
        order = np.random.default_rng(epoch).permutation(rows)
        for start in range(0, len(order) - BATCH + 1, BATCH):
            key, dropped = jax.random.split(key)
            params, state = step(params, state, material.batch(order[start : start + BATCH]), dropped)
            done += 1
            if done % 1000 == 0:
                say(f"{done} of {steps} steps")
    return params


def read(params: Params, material: Material, rows: NDArray[np.int64]) -> Floats:
    """The highest logit of each example's sentences, shape (rows,)."""
    head = AnswerHead({name: np.asarray(array) for name, array in params.items()})
    found = np.zeros(len(rows), np.float32)
    for place, row in enumerate(rows):
        one = material.made[row]
        states = [material.states[text, False].astype(np.float32) for text in one.sentences[:SENTENCES]]
        found[place] = head.logits(Read.of(material.states[one.asked.question, True].astype(np.float32), states)).max()
    return found


def _step(optimiser: Any) -> Any:
    def loss(params: Params, batch: Batch, key: Any) -> Any:
        made = jax.vmap(partial(_forward, params))(batch.read, jax.random.split(key, len(batch.answered)))
        wanted = batch.answered * (1 - _SMOOTHING) + _SMOOTHING / 2
        lost = optax.sigmoid_binary_cross_entropy(made.max(axis=-1) + batch.known, wanted)
        chosen = jnp.take_along_axis(jax.nn.log_softmax(made), jnp.maximum(batch.gold, 0)[:, None], axis=1)[:, 0]
        return ((lost - chosen * (batch.gold >= 0)) * batch.weight).mean()

    @jax.jit  # type: ignore[untyped-decorator]
    def step(params: Params, state: Any, batch: Batch, key: Any) -> Any:
        changes, state = optimiser.update(jax.grad(loss)(params, batch, key), state, params)
        return optax.apply_updates(params, changes), state

    return step


def _forward(params: Params, texts: Read, key: Any) -> Any:
    made = scores(params, texts, jnp, _dropping(key))
    return jnp.where(texts.said[:, 0] > 0, made, -1e4)  # behind the last sentence


def _dropping(key: Any) -> Callable[[Any, int], Any]:
    def drop(values: Any, part: int) -> Any:
        kept = jax.random.bernoulli(jax.random.fold_in(key, part), 1 - _DROPOUT, values.shape)
        return values * kept / (1 - _DROPOUT)

    return drop


def _fresh(mean: Floats, spread: Floats, key: Any) -> Params:
    """Weights that nothing was fitted to."""
    shapes = {
        "attend": (WIDTH, SIZE),
        "weigh": (WIDTH,),
        "compare.weight": (4 * SIZE + 1, SIZE),
        "ask": (WIDTH, SIZE),
        "asking": (WIDTH,),
        "give": (WIDTH, SIZE),
        "match.weight": (3 * SIZE + 1, SIZE),
        "fit": (SIZE,),
        "join.weight": (2 * SIZE + 2, SIZE),
        "answer": (SIZE,),
    }
    faint = ("weigh", "asking", "answer")
    params: dict[str, Any] = {
        name: jax.random.normal(one, shape) * (0.1 if name in faint else 1.0) / np.sqrt(shape[0])
        for one, (name, shape) in zip(jax.random.split(key, len(shapes)), shapes.items(), strict=True)
    }
    params |= {f"{name}.bias": jnp.zeros(SIZE) for name in ("compare", "match", "join")}
    return params | {"sharpness": jnp.asarray(2.0), "constant": jnp.asarray(0.0), "mean": mean, "spread": spread}


if __name__ == "__main__":
    main()
