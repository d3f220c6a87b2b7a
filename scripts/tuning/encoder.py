"""The last layers of the bundled encoder with a head on them, in JAX: fitted to types from the states below them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from scripts.tuning.graph import ATTENTION_HEADS, EPSILON, WIDTH

#: Lengths that texts are padded to, so that few programs are compiled, and tokens of a batch of each.
_LENGTHS = (8, 12, 16, 24, 32, 48, 64, 96, 160, 256)
_BATCH_TOKENS = 512
#: Rates of the two parts: the layers know much, the head nothing.
_LAYER_RATE, _HEAD_RATE = 1e-4, 2e-3
_SMOOTHING, _DROPOUT = 0.05, 0.1
_SEED = 0

States = Sequence[NDArray[np.float16]]
Floats = NDArray[np.float32]
Params = Any


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts of like length.

    Attributes:
        rows: Their places.
        states: Shape (texts, tokens, width), zeros behind a text's end.
        mask: Shape (texts, tokens): 1 for a token.
    """

    rows: NDArray[np.int64]
    states: NDArray[np.float16]
    mask: Floats


def batches(states: States, rows: NDArray[np.int64], order: np.random.Generator | None = None) -> Iterator[Batch]:
    """`rows` in batches; the last of a length is filled up with texts of one empty token."""
    lengths = np.asarray([len(states[row]) for row in rows])
    padded = np.asarray(_LENGTHS)[np.searchsorted(_LENGTHS, lengths)]
    chunks = []
    for tokens in np.unique(padded):
        chosen = rows[padded == tokens]
        chosen = chosen if order is None else order.permutation(chosen)
        size = max(8, _BATCH_TOKENS // max(int(tokens), 16))
        chunks += [(int(tokens), size, chosen[start : start + size]) for start in range(0, len(chosen), size)]
    if order is not None:
        order.shuffle(chunks)
    for tokens, size, chosen in chunks:
        block, mask = np.zeros((size, tokens, WIDTH), np.float16), np.zeros((size, tokens), np.float32)
        mask[len(chosen) :, 0] = 1
        for place, row in enumerate(chosen):
            block[place, : len(states[row])] = states[row]
            mask[place, : len(states[row])] = 1
        yield Batch(chosen, block, mask)


def fit(
    layers: Sequence[dict[str, Floats]],
    states: States,
    rows: NDArray[np.int64],
    truth: NDArray[np.int64],
    weights: NDArray[np.float64],
    *,
    epochs: int,
    say: Callable[[str], None] = lambda _: None,
) -> Params:
    """The layers and their head, fitted to `truth` on `rows`.

    Args:
        layers: As they were published; tensors by their names there.
        states: Of every text, before those layers; each of shape (tokens, width).
        rows: Places of the texts to fit on.
        truth: Shape (texts,): the right output of each.
        weights: Shape (texts,): how much each counts.
        epochs: Times that each text is seen.
        say: Told how far it is.
    """
    outputs = int(truth.max()) + 1
    head = {"weight": np.zeros((WIDTH, outputs)), "bias": np.zeros(outputs), "query": np.zeros(WIDTH)}
    params = jax.tree.map(lambda array: jnp.asarray(array, jnp.float32), {"layers": list(layers), "head": head})
    steps = epochs * sum(1 for _ in batches(states, rows))
    pace = optax.warmup_cosine_decay_schedule(0.0, 1.0, steps // 10, steps)
    labels = {"layers": jax.tree.map(lambda _: "layers", params["layers"]), "head": dict.fromkeys(head, "head")}
    optimiser = optax.multi_transform(
        {
            "layers": optax.adamw(lambda step: _LAYER_RATE * pace(step), weight_decay=0.01),
            "head": optax.adamw(lambda step: _HEAD_RATE * pace(step)),
        },
        labels,
    )
    state, step = optimiser.init(params), _step(optimiser, outputs)
    order, key = np.random.default_rng(_SEED), jax.random.PRNGKey(_SEED)
    done = 0
    for _ in range(epochs):
        for batch in batches(states, rows, order):
            key, dropped = jax.random.split(key)
            wanted, counted = np.zeros(len(batch.mask), np.int64), np.zeros(len(batch.mask), np.float32)
            wanted[: len(batch.rows)], counted[: len(batch.rows)] = truth[batch.rows], weights[batch.rows]
            params, state = step(params, state, batch.states, batch.mask, wanted, counted, dropped)
            done += 1
            if done % 200 == 0:
                say(f"{done} of {steps} steps")
    return jax.tree.map(np.asarray, params)


def logits(params: Params, states: States, rows: NDArray[np.int64]) -> Floats:
    """What `params` make of `rows`, shape (rows, outputs)."""
    found = np.zeros((len(states), len(params["head"]["bias"])), np.float32)
    for batch in batches(states, rows):
        made = _forward(params, batch.states.astype(np.float32), batch.mask)
        found[batch.rows] = np.asarray(made)[: len(batch.rows)]
    return found[rows]


def _step(optimiser: Any, outputs: int) -> Any:
    def loss(params: Params, states: Any, mask: Any, truth: Any, weights: Any, key: Any) -> Any:
        pooled = _pooled(params, states, mask)
        pooled *= jax.random.bernoulli(key, 1 - _DROPOUT, pooled.shape) / (1 - _DROPOUT)
        made = pooled @ params["head"]["weight"] + params["head"]["bias"]
        wanted = jax.nn.one_hot(truth, outputs) * (1 - _SMOOTHING) + _SMOOTHING / outputs
        return (optax.softmax_cross_entropy(made, wanted) * weights).sum() / weights.sum()

    @jax.jit  # type: ignore[untyped-decorator]
    def step(params: Params, state: Any, states: Any, *rest: Any) -> Any:
        changes, state = optimiser.update(jax.grad(loss)(params, states.astype(jnp.float32), *rest), state, params)
        return optax.apply_updates(params, changes), state

    return step


@jax.jit  # type: ignore[untyped-decorator]
def _forward(params: Params, states: Any, mask: Any) -> Any:
    return _pooled(params, states, mask) @ params["head"]["weight"] + params["head"]["bias"]


def _pooled(params: Params, states: Any, mask: Any) -> Any:
    """Tokens weighed by a learnt query. Source: Yang et al., Hierarchical Attention Networks (2016), in short."""
    for layer in params["layers"]:
        states = _layer(layer, states, mask)
    shares = jax.nn.softmax(states @ params["head"]["query"] + (1 - mask) * -1e9, axis=-1)
    return (states * shares[..., None]).sum(axis=1)


def _layer(tensors: dict[str, Any], states: Any, mask: Any) -> Any:
    """One layer of BERT. Source: Devlin et al. (arXiv:1810.04805)."""
    texts, tokens, _ = states.shape
    size = WIDTH // ATTENTION_HEADS

    def linear(name: str, values: Any) -> Any:
        return values @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]

    def split(values: Any) -> Any:
        return values.reshape(texts, tokens, ATTENTION_HEADS, size).transpose(0, 2, 1, 3)

    query, key, value = (split(linear(f"attention.self.{name}", states)) for name in ("query", "key", "value"))
    scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(size) + (1 - mask[:, None, None, :]) * -1e9
    mixed = (jax.nn.softmax(scores, axis=-1) @ value).transpose(0, 2, 1, 3).reshape(texts, tokens, WIDTH)
    normal = partial(_normal, tensors)
    states = normal("attention.output.LayerNorm", linear("attention.output.dense", mixed) + states)
    inner = jax.nn.gelu(linear("intermediate.dense", states), approximate=False)
    return normal("output.LayerNorm", linear("output.dense", inner) + states)


def _normal(tensors: dict[str, Any], name: str, values: Any) -> Any:
    centred = values - values.mean(axis=-1, keepdims=True)
    spread = jnp.sqrt((centred**2).mean(axis=-1, keepdims=True) + EPSILON)
    return centred / spread * tensors[f"{name}.weight"] + tensors[f"{name}.bias"]
