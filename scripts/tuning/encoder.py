"""The last layers of the bundled encoder with a head on them, in JAX: fitted to classes from the states below them.

Several texts may be read together: their states stand one behind the other, each with a learnt vector that says which
of them it belongs to, as BERT's segments do; so the layers below run once a text, whatever it is read with.
"""

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
Segments = Sequence[NDArray[np.int8]]
Floats = NDArray[np.float32]
Params = Any


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the layers read.

    Attributes:
        states: Of every input, what the layers below make of it; each of shape (tokens, width).
        segments: Of every input, which of the texts that it was put together from a token belongs to, from 0; each of
            shape (tokens,). Empty where an input is one text.
        texts: How many texts an input is put together from at most.
    """

    states: States
    segments: Segments = ()
    texts: int = 1

    def __len__(self) -> int:
        return len(self.states)


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts of like length.

    Attributes:
        rows: Their places.
        states: Shape (texts, tokens, width), zeros behind a text's end.
        segments: Shape (texts, tokens): which of the texts that are read together a token belongs to.
        mask: Shape (texts, tokens): 1 for a token.
    """

    rows: NDArray[np.int64]
    states: NDArray[np.float16]
    segments: NDArray[np.int32]
    mask: Floats


def batches(inputs: Inputs, rows: NDArray[np.int64], order: np.random.Generator | None = None) -> Iterator[Batch]:
    """`rows` in batches; the last of a length is filled up with texts of one empty token."""
    lengths = np.asarray([len(inputs.states[row]) for row in rows])
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
        segments = np.zeros((size, tokens), np.int32)
        mask[len(chosen) :, 0] = 1
        for place, row in enumerate(chosen):
            end = len(inputs.states[row])
            block[place, :end], mask[place, :end] = inputs.states[row], 1
            if inputs.segments:
                segments[place, :end] = inputs.segments[row]
        yield Batch(chosen, block, segments, mask)


def fit(
    layers: Sequence[dict[str, Floats]],
    inputs: Inputs,
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
        inputs: Every text, before those layers.
        rows: Places of the texts to fit on.
        truth: Shape (texts,): the right output of each.
        weights: Shape (texts,): how much each counts.
        epochs: Times that each text is seen.
        say: Told how far it is.
    """
    outputs = int(truth.max()) + 1
    head = {"weight": np.zeros((WIDTH, outputs)), "bias": np.zeros(outputs), "query": np.zeros(WIDTH)}
    if inputs.texts > 1:
        head["segments"] = np.zeros((inputs.texts, WIDTH))
    params = jax.tree.map(lambda array: jnp.asarray(array, jnp.float32), {"layers": list(layers), "head": head})
    steps = epochs * sum(1 for _ in batches(inputs, rows))
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
        for batch in batches(inputs, rows, order):
            key, dropped = jax.random.split(key)
            wanted, counted = np.zeros(len(batch.mask), np.int64), np.zeros(len(batch.mask), np.float32)
            wanted[: len(batch.rows)], counted[: len(batch.rows)] = truth[batch.rows], weights[batch.rows]
            params, state = step(params, state, batch.states, batch.segments, batch.mask, wanted, counted, dropped)
            done += 1
            if done % 200 == 0:
                say(f"{done} of {steps} steps")
    return jax.tree.map(np.asarray, params)


def logits(params: Params, inputs: Inputs, rows: NDArray[np.int64]) -> Floats:
    """What `params` make of `rows`, shape (rows, outputs)."""
    found = np.zeros((len(inputs), len(params["head"]["bias"])), np.float32)
    for batch in batches(inputs, rows):
        made = _forward(params, batch.states.astype(np.float32), batch.segments, batch.mask)
        found[batch.rows] = np.asarray(made)[: len(batch.rows)]
    return found[rows]


def _step(optimiser: Any, outputs: int) -> Any:
    def loss(params: Params, states: Any, segments: Any, mask: Any, truth: Any, weights: Any, key: Any) -> Any:
        pooled = _pooled(params, states, segments, mask)
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
def _forward(params: Params, states: Any, segments: Any, mask: Any) -> Any:
    return _pooled(params, states, segments, mask) @ params["head"]["weight"] + params["head"]["bias"]


def _pooled(params: Params, states: Any, segments: Any, mask: Any) -> Any:
    """Tokens weighed by a learnt query. Source: Yang et al., Hierarchical Attention Networks (2016), in short."""
    if "segments" in params["head"]:
        states += params["head"]["segments"][segments]
    for tensors in params["layers"]:
        states = layer(tensors, states, mask)
    shares = jax.nn.softmax(states @ params["head"]["query"] + (1 - mask) * -1e9, axis=-1)
    return (states * shares[..., None]).sum(axis=1)


def layer(tensors: dict[str, Any], states: Any, mask: Any) -> Any:
    """One layer of BERT, with the adapters that its tensors have. Source: Devlin et al. (arXiv:1810.04805).

    Args:
        tensors: By their names; of an adapter, `NAME.down` and `NAME.up` beside `NAME.weight`.
        states: Shape (texts, tokens, width).
        mask: Shape (texts, tokens): 1 for a token.
    """
    texts, tokens, _ = states.shape
    size = WIDTH // ATTENTION_HEADS

    def linear(name: str, values: Any) -> Any:
        made = values @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"]
        adapted = f"{name}.down" in tensors
        return made + values @ tensors[f"{name}.down"].T @ tensors[f"{name}.up"].T if adapted else made

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
