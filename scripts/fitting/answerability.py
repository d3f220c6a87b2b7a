"""Fits `engine.retrieval.answerability.Weights` to the bundled encoder, and says what its threshold refuses.

    python -m scripts.fitting.answerability --xquad FOLDER

FOLDER holds `en` and `es`, each with `corpus.jsonl`, `queries_lastturn.jsonl` and `qrels.tsv` (XQuAD, CC BY-SA 4.0, in
the form of BEIR). The examples are: golden questions of the guide, which its passages answer; questions of FOLDER asked
of the guide, which nothing answers; questions of FOLDER in each pairing of languages, asked of its paragraphs with and
without the one that answers, so that the others of its article are what is near; and `answerability.jsonl` beside this,
questions about packages, asked of their descriptions as installed, and of those of other packages. Each is asked as a
first question and as a follow-up, whole and in few words, with words of the conversation behind it. `passages` beside
this are asked as first questions. What the head of the answers makes of an example is what one makes of it that was
fitted without its article or passage (`scripts/tuning/tune_answers.py`, to be run before). Figures are of articles,
packages and passages left out; `examples/golden/unanswerable.jsonl` is not fitted to, only judged.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from classifier.embedder import Embedder
from classifier.training.held_out_logits import HeldOut
from engine.retrieval.answerability import THRESHOLD, Signals, probability
from engine.retrieval.answerability_weights import ACROSS, ALIKE, FOLLOWED, Weights
from scripts.fitting.answerability_examples import HELD_OUT, Asked, Example, examples, general, guide
from scripts.fitting.encoder import bundled

#: Parts that articles and packages are left out in.
_FOLDS = 6
#: What a kind of the written questions counts against one of the others.
_WRITTEN = 3


@dataclass(frozen=True, slots=True)
class Known:
    """A question with what is known of what was found for it."""

    asked: Asked
    signals: Signals


def known_of(made: Sequence[Example], embedder: Embedder, held_out: HeldOut) -> list[Known]:
    """What is known of examples, by a head of the answers that was not fitted to them."""
    known = [one.signals(embedder) for one in made]
    unseen, logits = held_out.find([one.key for one in made])
    for row, logit in zip(np.flatnonzero(unseen), logits[:, 0], strict=True):
        known[row] = replace(known[row], answer=float(logit))
    return [Known(one.asked, signals) for one, signals in zip(made, known, strict=True)]


def fit(made: Sequence[Known]) -> dict[Weights, Weights]:
    """By those in use: the weights where the languages are alike, where they are not, and of follow-ups.

    What is answered and what is not count alike, and so do the kinds of each, but for those that were written, whose
    near questions are asked of a passage that was found, as people do. Where the languages are alike they are fitted to
    follow-ups too: there are few first questions about packages.
    """
    weights = {}
    for used in (ALIKE, ACROSS, FOLLOWED):
        rows = [one for one in made if one.signals.weights == used or (used == ALIKE and not one.signals.across)]
        counted = Counter((one.asked.kind, one.asked.answered) for one in rows)
        sums = Counter[bool]()
        for kind, answered in counted:
            sums[answered] += _share(kind)
        shares = [
            _share(one.kind) / counted[one.kind, one.answered] / sums[one.answered] for one in (r.asked for r in rows)
        ]
        weights[used] = _fitted(rows, len(rows) * np.array(shares), by_own=used == FOLLOWED)
    return weights


def _share(kind: str) -> int:
    return _WRITTEN if kind.startswith("written") else 1


def _fitted(rows: Sequence[Known], share: NDArray[np.float64], *, by_own: bool) -> Weights:
    figures = np.array([_figures(one.signals, by_own=by_own) for one in rows])
    spread = figures.std(axis=0)
    model = LogisticRegression(C=10.0, max_iter=5_000)
    model.fit(figures / spread, [one.asked.answered for one in rows], sample_weight=share)
    sentence, covered, missing, answer, *own = map(float, model.coef_[0] / spread)
    return Weights(sentence, covered, missing, float(model.intercept_[0]), answer, *own)


def _figures(known: Signals, *, by_own: bool) -> tuple[float, ...]:
    """What is weighed, in the order of `Weights` without its constant."""
    figures = (known.sentence, known.covered, known.missing, known.answer)
    return (*figures, *([known.own] if by_own else []))


def left_out(made: Sequence[Known]) -> list[float]:
    """What each example is read as by weights that were fitted without its article or package."""
    read = [0.0] * len(made)
    groups = [one.asked.group for one in made]
    for kept, judged in GroupKFold(_FOLDS).split(made, groups=groups):
        weights = fit([made[row] for row in kept])
        for row in judged:
            read[row] = probability(made[row].signals, weights[made[row].signals.weights])
    return read


def judge(made: Sequence[Known], read: Sequence[float]) -> None:
    """Says what share of each kind is refused."""
    for kind, answered in sorted({(one.asked.kind, one.asked.answered) for one in made}):
        asked = [
            figure
            for one, figure in zip(made, read, strict=True)
            if (one.asked.kind, one.asked.answered) == (kind, answered)
        ]
        told = "answered" if answered else "unanswered"
        print(f"{kind:22} {told:10} {len(asked):4} questions, refused {np.mean(np.array(asked) < THRESHOLD):.3f}")


def main() -> None:
    """Fits and judges."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--xquad", type=Path, required=True)
    options = parser.parse_args()
    embedder = bundled()
    stock = guide(embedder)
    held_out = HeldOut.read(HELD_OUT)
    made = known_of(examples(options.xquad, stock, embedder), embedder, held_out)
    held = known_of(general(stock, embedder), embedder, held_out)
    fitted = fit(made)
    print("fitted, and judged by articles and packages left out:", *fitted.values())
    judge(made, left_out(made))
    judge(held, [probability(one.signals, fitted[one.signals.weights]) for one in held])
    print("in use:", ALIKE, ACROSS, FOLLOWED)
    every = [*made, *held]
    judge(every, [probability(one.signals, one.signals.weights) for one in every])


if __name__ == "__main__":
    main()
