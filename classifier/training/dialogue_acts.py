"""Fits the head of the dialogue acts to its rows.

Rows of `classifier/data/dialogue_acts.json` name the act; questions and requests of the router's seed stand for a
message that does nothing but ask (`none`), so that the head does not take a question for talk.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier import DATA
from classifier.dialogue_act.acts import DialogueAct
from classifier.dialogue_act.head import DialogueActHead
from classifier.training.dataset import Row

#: Inverse strength of the penalty; of 1, 5, 10, 30 and 100 the one that is right most where it is sure, on
#: left-out rows.
_C = 5.0
#: What centred unit vectors are multiplied with, so that the penalty acts on numbers of order one.
_SCALE = 5.0
#: Rows of the seed that stand for `none`, spread evenly.
NEGATIVES = 2_000


@dataclass(frozen=True, slots=True)
class ActRow:
    """A message with its act."""

    text: str
    act: DialogueAct
    language: str


def act_rows(path: Path = DATA / "dialogue_acts.json") -> list[ActRow]:
    """The rows of the file, in its order.

    Raises:
        ValueError: The file is malformed; names the act.
    """
    rows: list[ActRow] = []
    for act, languages in json.loads(path.read_text(encoding="utf-8")).items():
        for language, texts in languages.items():
            if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
                raise ValueError(f"{path}: {act}.{language} must be a list of texts")
            rows += [ActRow(text, DialogueAct(act), language) for text in texts]
    return rows


def negatives(seed: Sequence[Row], most: int = NEGATIVES) -> list[ActRow]:
    """Messages of the seed that ask something of their own, spread evenly over it."""
    asking = [row for row in seed if row.label in ("RETRIEVAL", "CODE_GENERATION", "PLATFORM")]
    step = max(1, len(asking) // most)
    return [ActRow(row.text, DialogueAct.NONE, row.language) for row in asking[::step]][:most]


def sentence(row: ActRow) -> ActRow:
    """The row as a sentence: with a capital, and with a full stop where no sign ends it."""
    text = row.text[0].upper() + row.text[1:]
    return ActRow(text if not text[-1].isalnum() else f"{text}.", row.act, row.language)


def fit_head(vectors: NDArray[np.float32], acts: Sequence[DialogueAct], encoder: str) -> DialogueActHead:
    """The head that tells `acts` apart by `vectors`.

    Args:
        vectors: Unit vectors of the messages as queries, shape (n, dimensions).
        acts: One a vector.
        encoder: Id of the encoder that they are from.
    """
    from sklearn.linear_model import LogisticRegression

    mean = vectors.mean(axis=0)
    model = LogisticRegression(C=_C, class_weight="balanced", max_iter=2_000)
    model.fit((vectors - mean) * _SCALE, [str(act) for act in acts])
    return DialogueActHead(
        encoder,
        tuple(DialogueAct(str(name)) for name in model.classes_),
        mean.astype(np.float32),
        (model.coef_ * _SCALE).astype(np.float32),
        model.intercept_.astype(np.float32),
    )
