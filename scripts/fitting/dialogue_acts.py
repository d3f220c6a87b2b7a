"""Fits the head of the dialogue acts to its rows with the bundled encoder, and says how well it does on left-out rows.

    python -m scripts.fitting.dialogue_acts [--check]

Rows of `classifier/data/dialogue_acts.json` name the act; questions and requests of the router's seed, and follow-ups
of the dialogues, stand for a message that does nothing but ask (`none`): "in a minor key?" is no wish for less. Rows of
`none` are what these lack: "how do I get it?" is no wish for an example.

Writes `classifier/data/dialogue_acts.npz`. To be run after a change of `dialogue_acts.json`, of the dialogues or of the
encoder.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier import DATA
from classifier.dialogue_act.acts import CONTINUATIONS, SURE, ActReading, DialogueAct
from classifier.dialogue_act.head import DialogueActHead
from classifier.embedder import Embedder
from classifier.text import unmarked
from classifier.training.dataset import Row
from classifier.training.relations import RelationRow, dialogue_rows
from classifier.training.seed import shipped_rows
from scripts.fitting.encoder import bundled

#: Inverse strength of the penalty; of 1, 5, 10, 30 and 100 the one that is right most where it is sure, on
#: left-out rows.
_C = 5.0
#: What centred unit vectors are multiplied with, so that the penalty acts on numbers of order one.
_SCALE = 5.0
#: Rows of the seed that stand for `none`, spread evenly.
NEGATIVES = 2_000
#: Probability from which a follow-up may be an act that goes on from an answer, such as "tell me more": no `none`.
_GOES_ON = 0.3
#: Parts that the rows are cut into; each is judged by a head that was fitted to the others.
FOLDS = 5


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


def follow_ups(rows: Sequence[RelationRow], head: DialogueActHead, embedder: Embedder) -> list[ActRow]:
    """Messages that ask something new and cannot be told without the questions before them.

    Args:
        rows: Of the dialogues.
        head: Fitted without them: what it takes for an act that goes on from an answer is left out.
        embedder: The encoder.
    """
    asking = sorted({(row.text, row.language) for row in rows if row.relation == "follow_up"})
    asking = [(text, language) for text, language in asking if language in ("en", "es")]
    read = map(head.read, embedder.embed_queries([text for text, _ in asking]))
    new = [one for one, act in zip(asking, read, strict=True) if not _goes_on(act)]
    return [ActRow(text, DialogueAct.NONE, language) for text, language in new]


def _goes_on(reading: ActReading) -> bool:
    return reading.likeliest in CONTINUATIONS and reading.confidence >= _GOES_ON


def sentence(row: ActRow) -> ActRow:
    """The row as a sentence: with a capital, and with a full stop where no sign ends it."""
    text = row.text[0].upper() + row.text[1:]
    return ActRow(text if not text[-1].isalnum() else f"{text}.", row.act, row.language)


def typed(row: ActRow) -> ActRow:
    """The row as it is typed in a hurry: small letters, no accents, no signs at its ends."""
    return ActRow(unmarked(row.text.casefold()).strip(" ¿?¡!.…") or row.text, row.act, row.language)


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


def main() -> None:
    """Fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only judge; write nothing")
    parser.add_argument("--out", type=Path, default=DATA / "dialogue_acts.npz")
    options = parser.parse_args()
    rows = [*act_rows(), *negatives(shipped_rows())]
    embedder = bundled()
    vectors = embedder.embed_queries([row.text for row in rows])
    again = embedder.embed_queries([sentence(row).text for row in rows])
    hurried = embedder.embed_queries([typed(row).text for row in rows])
    acts = [row.act for row in rows]
    first = fit_head(np.concatenate([vectors, again, hurried]), acts * 3, embedder.id)
    asked = follow_ups(dialogue_rows(), first, embedder)
    asked += [typed(row) for row in asked]
    asking, none = embedder.embed_queries([row.text for row in asked]), [row.act for row in asked]
    order = np.random.default_rng(0).permutation(len(rows))
    right: dict[str, list[bool]] = {}
    sure: list[tuple[bool, bool]] = []
    false: list[bool] = []
    hasty: list[bool] = []
    for fold in range(FOLDS):
        out = order[fold::FOLDS]
        kept = np.setdiff1d(order, out)
        fitted = np.concatenate([vectors[kept], again[kept], hurried[kept], asking])
        head = fit_head(fitted, [acts[at] for at in kept] * 3 + none, embedder.id)
        for at in out:
            reading, in_a_hurry = head.read(vectors[at]), head.read(hurried[at])
            if acts[at] is DialogueAct.NONE:
                false.append(reading.act is not DialogueAct.NONE)
                hasty.append(in_a_hurry.act is not DialogueAct.NONE)
                continue
            right.setdefault(rows[at].language, []).append(reading.likeliest is acts[at])
            right.setdefault(f"{rows[at].language}, typed", []).append(in_a_hurry.likeliest is acts[at])
            sure.append((reading.confidence >= SURE, reading.likeliest is acts[at]))
    for language, found in sorted(right.items()):
        print(f"{language}: {np.mean(found):.3f} right of {len(found)} rows in {len(DialogueAct) - 1} acts")
    decided = [hit for is_sure, hit in sure if is_sure]
    print(f"sure on {len(decided) / len(sure):.3f} of them, right there {np.mean(decided):.3f}")
    print(f"questions taken for an act: {np.mean(false):.3f} of {len(false)}, {np.mean(hasty):.3f} as typed")
    if not options.check:
        fit_head(np.concatenate([vectors, again, hurried, asking]), acts * 3 + none, embedder.id).save(options.out)
        print(f"written: {options.out}")


if __name__ == "__main__":
    main()
