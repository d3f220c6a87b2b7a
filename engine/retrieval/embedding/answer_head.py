"""Whether a sentence answers a question: a small head on what the encoder's lower layers make of the tokens of both.

Each token of the question is compared with what it is like in the sentence, and the sentence is searched for a token
that gives what is asked for; what both come to is one logit. So a sentence on the question's subject is told from one
that answers it, which the cosine of two whole texts does not tell. Fitted by `scripts/tuning/tune_answers.py`.

Source: Parikh et al., A Decomposable Attention Model for Natural Language Inference (EMNLP 2016), for attending,
comparing and adding up instead of layers that read both texts together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Tokens of a question and of a sentence that are read.
QUESTION_TOKENS, SENTENCE_TOKENS = 32, 56
#: What stands for minus infinity where nothing is to be chosen.
_NEVER = -1e9
_SMALL = 1e-6

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Read:
    """A question beside sentences, as the encoder's lower layers read them.

    Attributes:
        question: Shape (tokens, width).
        sentences: Shape (sentences, tokens, width), zeros behind the end of a shorter one.
        asked: 1 for a token of the question, 0 behind its end: shape (tokens,).
        said: The same of the sentences: shape (sentences, tokens).
    """

    question: Any
    sentences: Any
    asked: Any
    said: Any

    @classmethod
    def of(cls, question: Floats, sentences: Sequence[Floats]) -> Read:
        """Of at least one sentence; each text of shape (tokens, width)."""
        cut = [one[:SENTENCE_TOKENS] for one in sentences]
        longest = max(map(len, cut))
        padded = np.zeros((len(cut), longest, question.shape[1]), np.float32)
        said = np.zeros((len(cut), longest), np.float32)
        for row, one in enumerate(cut):
            padded[row, : len(one)], said[row, : len(one)] = one, 1
        question = question[:QUESTION_TOKENS]
        return cls(question, padded, np.ones(len(question), np.float32), said)


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """The head with its weights.

    Attributes:
        weights: By name, as `tune_answers.py` writes them.
    """

    weights: Mapping[str, Floats]

    @classmethod
    def load(cls, path: Path) -> AnswerHead:
        """Reads what the script has written.

        Raises:
            OSError, ValueError, KeyError: It cannot be read.
        """
        with np.load(path, allow_pickle=False) as found:
            return cls({name: found[name].astype(np.float32) for name in found.files})

    def logits(self, read: Read) -> Floats:
        """How far each sentence answers: shape (sentences,)."""
        found: Floats = scores(self.weights, read)
        return found


def _whole(values: Any, part: int) -> Any:
    """What `drop` is where nothing is dropped."""
    del part
    return values


def scores(weights: Mapping[str, Any], read: Read, xp: Any = np, drop: Callable[[Any, int], Any] = _whole) -> Any:
    """The logits of the sentences, shape (sentences,).

    Args:
        weights: See `AnswerHead`.
        read: What was asked and said.
        xp: `numpy`, or what has its functions: the head is fitted with those of JAX.
        drop: Leaves some of the values out, while it is fitted.
    """
    question = (read.question - weights["mean"]) / weights["spread"] * read.asked[:, None]
    sentences = (read.sentences - weights["mean"]) / weights["spread"] * read.said[..., None]
    alike = products(_unit(question, xp), _unit(sentences, xp))
    question, sentences = drop(question, 0), drop(sentences, 1)
    compared, covered = _compared(weights, read, question, sentences, alike, xp)
    best, fitting = _given(weights, read, question, sentences, alike, xp)
    both = xp.concatenate([compared, best, fitting[:, None], covered[:, None]], axis=-1)
    return drop(_linear(weights, "join", both, xp), 2) @ weights["answer"] + weights["constant"]


def _compared(
    weights: Mapping[str, Any], read: Read, question: Any, sentences: Any, alike: Any, xp: Any
) -> tuple[Any, Any]:
    """What the question's tokens come to beside what they are like in each sentence, and how well it has them."""
    own, theirs = question @ weights["attend"], sentences @ weights["attend"]
    attention = alike * xp.exp(weights["sharpness"]) + products(own, theirs) / own.shape[-1]
    met = _softmax(attention + _behind(read.said)[:, None], xp) @ theirs
    likest = xp.where(read.said[:, None] > 0, alike, -1.0).max(axis=-1)
    own = xp.broadcast_to(own, met.shape)
    pairs = xp.concatenate([own, met, own * met, xp.abs(own - met), likest[..., None]], axis=-1)
    shares = _softmax(question @ weights["weigh"] + _behind(read.asked), xp)
    return (_linear(weights, "compare", pairs, xp) * shares[:, None]).sum(axis=1), (likest * shares).sum(axis=-1)


def _given(
    weights: Mapping[str, Any], read: Read, question: Any, sentences: Any, alike: Any, xp: Any
) -> tuple[Any, Any]:
    """What each sentence's tokens that give what is asked for come to, and how well the best of them does."""
    shares = _softmax(question @ weights["asking"] + _behind(read.asked), xp)
    wanted, given = (question @ weights["ask"] * shares[:, None]).sum(axis=0), sentences @ weights["give"]
    wanted = xp.broadcast_to(wanted, given.shape)
    known = xp.where(read.asked[:, None] > 0, alike, -1.0).max(axis=1)
    tokens = _linear(weights, "match", xp.concatenate([given, wanted, given * wanted, known[..., None]], axis=-1), xp)
    fitting = tokens @ weights["fit"] + _behind(read.said)
    return (tokens * _softmax(fitting, xp)[..., None]).sum(axis=1), fitting.max(axis=-1)


def _behind(mask: Any) -> Any:
    """What keeps anything behind a text's end from being chosen."""
    return (1 - mask) * _NEVER


def _linear(weights: Mapping[str, Any], name: str, values: Any, xp: Any) -> Any:
    """A layer with what is below 0 cut off."""
    return xp.maximum(values @ weights[f"{name}.weight"] + weights[f"{name}.bias"], 0.0)


def _softmax(values: Any, xp: Any) -> Any:
    raised = xp.exp(values - values.max(axis=-1, keepdims=True))
    return raised / raised.sum(axis=-1, keepdims=True)


def products(question: Any, sentences: Any) -> Any:
    """Of each token of the question with each of each sentence, from (q, n) and (s, p, n): shape (s, q, p).

    By matrices, a tenth of the time of `einsum`, which adds up one by one.
    """
    return question @ sentences.swapaxes(-1, -2)


def _unit(values: Any, xp: Any) -> Any:
    return values / (xp.sqrt((values**2).sum(axis=-1, keepdims=True) + _SMALL))
