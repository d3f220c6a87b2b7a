"""Fits the order of the likest sentences, rows and lists, and says how it does on collections that were left out.

    python -m scripts.fitting.reranking [--check] [--judge FOLDER ...]

Writes `engine/generation/extractive/reranking.npz`. To be run after a change of its features, of what candidates there
are, or of the encoder. `documents` holds one folder a hand: `docs`, and `questions.jsonl` with the pieces of the
documents that answer each question ("evidence": the sentence, the item, the row, every item of a list), of which a
folder of `--judge`, where nothing is fitted, holds as much.

What answers is the shortest candidate that has all the evidence, or most of it. The loss is listwise: the probability
of these among all candidates of a question. Whether several things are asked for is read by a head that was fitted to
other hands, as it is of questions that nobody has seen. Folders that begin with `lists` ask for lists and tables, more
often than people do: of them only the weights of what is of lists are learnt.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from classifier.decision import QueryType
from classifier.embedder import Embedder
from engine import bootstrap
from engine.answering.nodes import Models
from engine.cli.common import settings_for_command
from engine.domain import Relation, Turn
from engine.generation.extractive.candidates import Candidate, candidates
from engine.generation.extractive.reranking import SHIPPED, Asked, Reranker, asks_for_several, features, save
from engine.generation.extractive.weighing import plain, weigh
from engine.generation.port import Prompt
from engine.testing import ScriptedModel
from scripts.evaluation.refusals import indexed
from scripts.fitting import listwise
from scripts.fitting.encoder import bundled

DOCUMENTS = Path(__file__).with_name("documents")
#: Strength of the penalty on the squares of the weights, and of the head, as scikit-learn has it.
_PENALTY, _HEAD_C = 2.0, 3.0
#: Further letters, of the shortest candidate with all the evidence, with which another is as good.
_AS_SHORT = 1.6
#: The share of a row's words that its candidate has: cells stand in another order there.
_ROW_WORDS = 0.95
#: Kinds of questions that whole lists answer.
_WHOLE = ("list", "steps")
#: Hands that ask for lists and tables more than people do. What they are asked for is not what the order of the rest is
#: fitted to: with that, 257 of the others' 427 are told first for 277, and facts of the golden set .949 for .957.
_OF_LISTS = "lists"
#: What is fitted to them, too; and of that what only they have enough of.
_LISTS = ("headed", "headed table", "list", "several of a list", "table")
_NAMED_LISTS = ("headed", "headed table")
#: Words of a candidate that is as good as the whole piece of evidence that it is a part of.
_LEAST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Example:
    """A question with its candidates.

    Attributes:
        hand: Whose it is: what is left out together.
        several: Whether it asks for a whole list.
        vector: The question's: shape (dimensions,).
        features: By candidate, with what depends on `several` for a logit of 1.
        right: Which candidates answer.
        chosen: Whether what is chosen without this answers.
    """

    hand: str
    kind: str
    vector: NDArray[np.float32]
    features: Sequence[dict[str, float]]
    right: NDArray[np.bool_]
    chosen: bool

    @property
    def several(self) -> bool:
        """Whether it asks for a whole list."""
        return self.kind == "list"


async def prompts(folder: Path) -> list[tuple[dict[str, Any], Prompt]]:
    """The questions of a folder with what an answerer is given for each."""
    lines = (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    found, model = [], ScriptedModel("-")
    with indexed(folder / "docs"):
        async with bootstrap.engine(settings_for_command(), models=Models(model, model)) as engine:
            for number, row in enumerate(map(json.loads, lines)):
                turn = Turn(row["question"], f"fitted-{number}", principal="fit", declared=QueryType.RETRIEVAL)
                async for _ in engine.answers.answer(turn):
                    pass
                found.append((row, model.prompts[-1]))
    return found


def examples(folder: Path, embedder: Embedder) -> Iterator[Example]:
    """The questions of a folder, as far as one of their candidates answers; says of how many none does."""
    missed = 0
    for row, prompt in asyncio.run(prompts(folder)):
        among = candidates(prompt.evidence, prompt.query)
        if not any(not one.code for one in among):
            missed += 1
            continue
        procedural = prompt.relation is Relation.NEW_TOPIC_PROCEDURAL
        weighed = weigh(prompt.query, among, embedder, procedural=procedural, language=prompt.spoken, answering=True)
        found = features(Asked(prompt.query, procedural), weighed.known, 1.0, embedder)
        right = answering(list(found), row["evidence"], whole=row["kind"] in _WHOLE)
        if not right.any():
            missed += 1
            continue
        texts = {one.text for one, is_right in zip(found, right, strict=True) if is_right}
        chosen = replace(weighed, order={}).sentences(1)
        vector = embedder.embed_queries([prompt.query])[0]
        kind = str(row["kind"])
        yield Example(folder.name, kind, vector, [*found.values()], right, bool(chosen) and chosen[0].text in texts)
    print(f"{folder.name}: {missed} questions without a candidate that answers")


def answering(found: Sequence[Candidate], evidence: Sequence[str], *, whole: bool) -> NDArray[np.bool_]:
    """Which candidates have most of the evidence, and are no longer than they need to be; shape (n,).

    Args:
        found: Candidates.
        evidence: The pieces of the document that answer.
        whole: Whether a whole list or table may answer where its parts do.
    """
    pieces = [_plain(piece) for piece in evidence]
    shares = np.array([np.mean([_has(_plain(one.text), piece) for piece in pieces]) for one in found])
    parts = np.array([one.text != one.whole for one in found])
    if not whole and shares[parts].any():
        shares *= parts
    most = (shares >= shares.max() - 1e-9) & (shares > 0)
    shortest = min((len(one.text) for one, has in zip(found, most, strict=True) if has), default=0)
    short: NDArray[np.bool_] = most & np.array([len(one.text) <= _AS_SHORT * shortest for one in found])
    return short


def _has(text: str, piece: str) -> bool:
    said, asked = text.split(), piece.split()
    if f" {piece} " in f" {text} " or (len(said) >= _LEAST_WORDS and f" {text} " in f" {piece} "):
        return True
    return len(asked) >= _LEAST_WORDS and sum(word in said for word in asked) >= _ROW_WORDS * len(asked)


def _plain(text: str) -> str:
    return plain(re.sub(r"<[^>]*>", " ", text))


def fitted_head(made: Sequence[Example]) -> NDArray[np.float32]:
    """Tells by a question's vector whether it asks for a whole list: shape (dimensions + 1,)."""
    head = LogisticRegression(C=_HEAD_C, max_iter=2_000, class_weight="balanced")
    head.fit(np.array([one.vector for one in made]), [one.several for one in made])
    return np.append(head.coef_[0], head.intercept_).astype(np.float32)


def held_out(made: Sequence[Example]) -> list[float]:
    """The head's logit of each, fitted to the other hands."""
    heads = {hand: fitted_head([one for one in made if one.hand != hand]) for hand in {one.hand for one in made}}
    return [asks_for_several(heads[one.hand], one.vector) for one in made]


def given(made: Sequence[Example], several: Sequence[float]) -> list[list[dict[str, float]]]:
    """The features of each question's candidates, with what depends on `several` for these logits."""
    return [
        [{name: of[name] * (logit if name.startswith("several") else 1.0) for name in of} for of in one.features]
        for one, logit in zip(made, several, strict=True)
    ]


def fit(made: Sequence[Example]) -> Reranker:
    """The model of some questions: of hands that ask for all kinds of things, then what is of lists of all hands."""
    head = fitted_head(made)
    common = [one for one in made if not one.hand.startswith(_OF_LISTS)]
    weights = _weights(common, [name for name in common[0].features[0] if name not in _NAMED_LISTS], {})
    return Reranker({**weights, **_weights(made, _LISTS, weights)}, head)


def _weights(made: Sequence[Example], names: Sequence[str], known: Mapping[str, float]) -> dict[str, float]:
    """The weights of some features, with what others are known to weigh; theirs are added to those."""
    every = given(made, held_out(made))
    spread = {name: float(np.std([of[name] for one in every for of in one])) + 1e-6 for name in names}
    scaled = [[{name: of[name] / spread[name] for name in names} for of in one] for one in every]
    scores = [np.array([sum(of[name] * weight for name, weight in known.items()) for of in one]) for one in every]
    found = listwise.fitted(scaled, [one.right for one in made], [1.0] * len(made), names, _PENALTY, scores)
    return {name: known.get(name, 0.0) + found[name] / spread[name] for name in names}


def report(made: Sequence[Example], model: Reranker) -> str:
    """How many are answered by what is chosen without a model, and with it, by kind."""
    logits = [asks_for_several(model.several, one.vector) for one in made]
    all_of, before, now = Counter[str](), Counter[str](), Counter[str]()
    for one, every in zip(made, given(made, logits), strict=True):
        all_of[one.kind] += 1
        before[one.kind] += one.chosen
        now[one.kind] += bool(one.right[int(np.argmax([model.worth(of) for of in every]))])
    kinds = ", ".join(f"{kind} {before[kind]} -> {now[kind]} of {all_of[kind]}" for kind in sorted(all_of))
    return f"{before.total()} -> {now.total()} of {all_of.total()} ({kinds})"


def main() -> None:
    """Reads the arguments, fits, judges and writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="judge only, write nothing")
    parser.add_argument(
        "--judge", type=Path, nargs="*", default=[], metavar="FOLDER", help="further folders that judge"
    )
    options = parser.parse_args()
    embedder = bundled()
    folders = sorted(path for path in DOCUMENTS.iterdir() if path.is_dir())
    made = [one for folder in folders for one in examples(folder, embedder)]
    for hand in dict.fromkeys(one.hand for one in made):
        kept, left = [one for one in made if one.hand != hand], [one for one in made if one.hand == hand]
        print(f"left out {hand}: {report(left, fit(kept))}")
    model = fit(made)
    for folder in options.judge:
        print(f"{folder.name}: {report(list(examples(folder, embedder)), model)}")
    print(", ".join(f"{name} {weight:.2f}" for name, weight in model.weights.items()))
    if not options.check:
        save(model, SHIPPED)


if __name__ == "__main__":
    main()
