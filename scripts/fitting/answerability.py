"""Fits `engine.retrieval.answerability.Weights` to the bundled encoder, and says what its threshold refuses.

    python -m scripts.fitting.answerability --xquad FOLDER

FOLDER holds `en` and `es`, each with `corpus.jsonl`, `queries_lastturn.jsonl` and `qrels.tsv` (XQuAD, CC BY-SA 4.0, in
the form of BEIR). The examples are: golden questions of the guide, which its passages answer; questions of FOLDER asked
of the guide, which nothing answers; questions of FOLDER in each pairing of languages, asked of its paragraphs with and
without the one that answers, so that the others of its article are what is near; and `answerability.jsonl` beside this,
questions about packages, asked of their descriptions as installed, and of those of other packages. Each is asked as a
first question and as a follow-up, whole and in few words, with words of the conversation behind it. Figures are of
articles and packages left out; `examples/golden/unanswerable.jsonl` is not fitted to, only judged.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from engine.retrieval.answerability import THRESHOLD, Signals, probability
from engine.retrieval.answerability_weights import ACROSS, ALIKE, FOLLOWED, Weights
from scripts.fitting.answerability_examples import Example, examples, general, guide
from scripts.fitting.encoder import bundled

#: Parts that articles and packages are left out in.
_FOLDS = 6


def fit(made: Sequence[Example]) -> dict[Weights, Weights]:
    """By those in use: the weights where the languages are alike, where they are not, and of follow-ups.

    What is answered and what is not count alike, and so do the kinds of each. Those where the languages are alike are
    fitted to follow-ups too: there are few first questions about packages.
    """
    weights = {}
    for used in (ALIKE, ACROSS, FOLLOWED):
        rows = [one for one in made if one.signals.weights == used or (used == ALIKE and not one.signals.across)]
        counted = Counter((one.asked.kind, one.asked.answered) for one in rows)
        kinds = Counter(answered for _, answered in counted)
        counts = [counted[one.asked.kind, one.asked.answered] * kinds[one.asked.answered] for one in rows]
        weights[used] = _fitted(rows, len(rows) / np.array(counts), by_own=used == FOLLOWED)
    return weights


def _fitted(rows: Sequence[Example], share: NDArray[np.float64], *, by_own: bool) -> Weights:
    figures = np.array([_figures(one.signals, by_own=by_own) for one in rows])
    spread = figures.std(axis=0)
    model = LogisticRegression(C=10.0, max_iter=5_000)
    model.fit(figures / spread, [one.asked.answered for one in rows], sample_weight=share)
    sentence, covered, lead, missing, *own = map(float, model.coef_[0] / spread)
    return Weights(sentence, covered, lead, missing, float(model.intercept_[0]), *own)


def _figures(known: Signals, *, by_own: bool) -> tuple[float, ...]:
    """What is weighed, in the order of `Weights` without its constant."""
    return (known.sentence, known.covered, known.lead, known.missing, *([known.own] if by_own else []))


def left_out(made: Sequence[Example]) -> list[float]:
    """What each example is read as by weights that were fitted without its article or package."""
    read = [0.0] * len(made)
    groups = [one.asked.group for one in made]
    for kept, judged in GroupKFold(_FOLDS).split(made, groups=groups):
        weights = fit([made[row] for row in kept])
        for row in judged:
            read[row] = probability(made[row].signals, weights[made[row].signals.weights])
    return read


def judge(made: Sequence[Example], read: Sequence[float]) -> None:
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
    made = examples(options.xquad, stock, embedder)
    held = general(stock, embedder)
    fitted = fit(made)
    print("median lead:", np.median([one.signals.lead for one in made]))
    print("fitted, and judged by articles and packages left out:", *fitted.values())
    judge(made, left_out(made))
    judge(held, [probability(one.signals, fitted[one.signals.weights]) for one in held])
    print("in use:", ALIKE, ACROSS, FOLLOWED)
    every = [*made, *held]
    judge(every, [probability(one.signals, one.signals.weights) for one in every])


if __name__ == "__main__":
    main()
