"""What the head of the answers is fitted to: the examples with the states of their texts, as arrays."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from classifier.embedder import Embedder
from engine.retrieval.embedding.answer_head import QUESTION_TOKENS, SENTENCE_TOKENS, Read
from scripts.fitting.answerability_examples import SENTENCES, Example

#: The share of an XQuAD question's forms as a follow-up that are fitted to, and of its questions put to the guide.
_SHARE = 0.25
#: What an example counts: written and near, written without what answers it, any other.
_NEAR, _LACKING, _OTHER = 1.5, 0.7, 0.5

Floats = NDArray[np.float32]
States = dict[tuple[str, bool], NDArray[np.float16]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples as arrays; see `Read`, with the examples as the first axis.

    Attributes:
        answered: 1 or 0.
        gold: The place of the sentence that answers, or -1.
        known: The log-odds that the question alone gives away.
        weight: What each counts.
    """

    read: Read
    answered: Floats
    gold: NDArray[np.int64]
    known: Floats
    weight: Floats


def is_fitted_to(example: Example) -> bool:
    """Whether the head is fitted to it: what answers it was found, and it is no further form of the same."""
    asked = example.asked
    if asked.passage and asked.passage not in [passage.id for passage in example.found[:3]]:
        return False
    further = asked.kind.startswith(("follow-up", "brief", "general"))
    return not further or random.Random(example.key).random() < _SHARE


def judged(made: Sequence[Example], logits: Floats) -> Iterator[str]:
    """The area under the curve by kind of what is not answered, against what is answered of the same: a line each."""
    for kind in sorted({one.asked.kind for one in made if not one.asked.answered}):
        same = kind.removesuffix("-without").removesuffix("-cut")
        rows = [row for row, one in enumerate(made) if one.asked.kind == (same if one.asked.answered else kind)]
        told = [made[row].asked.answered for row in rows]
        if any(told):
            yield f"{kind:30} {len(rows):5} area {roc_auc_score(told, logits[rows]):.3f}"


@dataclass(frozen=True, slots=True)
class Material:
    """Examples with what the encoder makes of their texts.

    Attributes:
        states: By text and whether it is a question; each of shape (tokens, width).
        known: See `Batch`.
    """

    made: Sequence[Example]
    states: States
    known: Floats

    @classmethod
    def of(cls, made: Sequence[Example], states_of: Callable[[str, bool], Floats], known: Floats) -> Material:
        """Reads every text once.

        Args:
            made: With at least one sentence each.
            states_of: What the encoder makes of a text, which is a question or is not: shape (tokens, width).
            known: See `given_away`.
        """
        states: States = {}
        for one in made:
            for text, query in ((one.asked.question, True), *((text, False) for text in one.sentences)):
                if (text, query) not in states:
                    most = QUESTION_TOKENS if query else SENTENCE_TOKENS
                    states[text, query] = states_of(text, query)[:most].astype(np.float16)
        return cls(made, states, known)

    def batch(self, rows: NDArray[np.int64]) -> Batch:
        """Examples as arrays."""
        made = [self.made[row] for row in rows]
        asked = np.zeros((len(rows), QUESTION_TOKENS), np.float32)
        said = np.zeros((len(rows), SENTENCES, SENTENCE_TOKENS), np.float32)
        width = next(iter(self.states.values())).shape[1]
        question, sentences = (np.zeros((*mask.shape, width), np.float32) for mask in (asked, said))
        for place, one in enumerate(made):
            states = self.states[one.asked.question, True]
            question[place, : len(states)], asked[place, : len(states)] = states, 1
            for number, text in enumerate(one.sentences[:SENTENCES]):
                states = self.states[text, False]
                sentences[place, number, : len(states)], said[place, number, : len(states)] = states, 1
        gold = [one.sentences.index(one.asked.gold) if one.asked.gold in one.sentences else -1 for one in made]
        answered = np.asarray([one.asked.answered for one in made], np.float32)
        weights = np.asarray([_weight(one) for one in made], np.float32)
        return Batch(Read(question, sentences, asked, said), answered, np.asarray(gold), self.known[rows], weights)

    def spread(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of the states of some texts; each of shape (width,)."""
        some = np.concatenate(list(self.states.values())[::7]).astype(np.float32)
        return some.mean(axis=0), some.std(axis=0)


def _weight(example: Example) -> float:
    kind = example.asked.kind
    if not kind.startswith("written"):
        return _OTHER
    return _LACKING if kind.endswith(("-without", "-cut")) else _NEAR


def given_away(made: Sequence[Example], folds: NDArray[np.int64], embedder: Embedder) -> Floats:
    """The log-odds of an answer by the question alone, of what was written; 0 of the rest, where both are asked alike.

    Args:
        made: Of two folds at least.
        folds: Shape (n,): the part of each, which is read by what was fitted without it.
        embedder: Of questions.
    """
    known = np.zeros(len(made), np.float32)
    rows = np.asarray([row for row, one in enumerate(made) if _weight(one) == _NEAR])
    vectors = embedder.embed_queries([made[row].asked.question for row in rows])
    told = np.asarray([made[row].asked.answered for row in rows])
    for fold in np.unique(folds[rows]):
        left = folds[rows] == fold
        model = LogisticRegression(C=1.0, max_iter=2000).fit(vectors[~left], told[~left])
        known[rows[left]] = model.decision_function(vectors[left])
    return known
