"""Fits `engine.retrieval.answerability.Weights` to the bundled encoder, and says what its threshold refuses.

    python scripts/fit_answerability.py --xquad FOLDER

FOLDER holds `en` and `es`, each with `corpus.jsonl`, `queries_lastturn.jsonl` and `qrels.tsv` (XQuAD, CC BY-SA 4.0, in
the form of BEIR). The examples are: golden questions of the guide, which its passages answer; questions of FOLDER asked
of the guide, which nothing answers; and questions of FOLDER in each pairing of languages, asked of a random half of its
paragraphs, which answers about half of them. `examples/golden/unanswerable.jsonl` is not fitted to, only judged.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from classifier.decision import Embedder, embed_queries
from engine.bootstrap import MODEL_DIR
from engine.domain import Passage
from engine.retrieval.answerability import ACROSS, ALIKE, THRESHOLD, Signals, Weights, probability, signals
from engine.retrieval.embedding.cache import MemoEmbedder
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.reading import read_documents
from engine.retrieval.port import Document

#: Passages that a search gives.
FOUND = 8
#: Questions of each kind that are taken from the folder.
EACH = 300
#: Numbers that are fitted are brought to the order of one by it.
_SCALE = 10.0


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages with their unit vectors, shape (n, dimensions)."""

    passages: Sequence[Passage]
    vectors: NDArray[np.float32]

    def search(self, vector: NDArray[np.float32]) -> list[Passage]:
        """The passages nearest to a question, with their cosines."""
        cosines = self.vectors @ vector
        return [_found(self.passages[at], float(cosines[at])) for at in np.argsort(-cosines)[:FOUND]]


@dataclass(frozen=True, slots=True)
class Example:
    """A question with what is known of what was found for it."""

    kind: str
    question: str
    signals: Signals
    answered: bool


def _found(passage: Passage, cosine: float) -> Passage:
    return Passage(passage.id, passage.document, passage.title, passage.heading, passage.text, similarity=cosine)


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def guide(embedder: Embedder) -> Corpus:
    """The stock guide as it is indexed."""
    documents = (one for one in read_documents([Path("examples/avap")]) if isinstance(one, Document))
    chunks = [piece for document in documents for piece in chunk(document)]
    return Corpus([one.passage for one in chunks], embedder.embed([one.searchable for one in chunks]))


def examples(folder: Path, stock: Corpus, embedder: Embedder) -> list[Example]:
    """The examples that the weights are fitted to."""
    rng = np.random.default_rng(0)
    golden = [
        row for row in _rows(Path("examples/golden/avap.jsonl")) if row["type"] in ("RETRIEVAL", "CODE_GENERATION")
    ]
    made = _asked("golden", golden, "query", stock, embedder, answered=True)
    answers = dict(line.split("\t")[:2] for line in (folder / "en/qrels.tsv").read_text().splitlines()[1:])
    ids = [row["_id"] for row in _rows(folder / "en/corpus.jsonl")]
    kept = set(rng.permutation(ids)[: len(ids) // 2])
    halves = {name: _half(folder / name / "corpus.jsonl", kept, embedder) for name in ("en", "es")}
    for language in halves:
        asked = _rows(folder / language / "queries_lastturn.jsonl")
        asked = [asked[at] for at in rng.permutation(len(asked))[: 2 * EACH]]
        made += _asked(f"general-{language}", asked[:EACH], "text", stock, embedder, answered=False)
        for other, corpus in halves.items():
            for answered in (True, False):
                half = [row for row in asked[EACH:] if (answers[row["_id"]] in kept) is answered]
                made += _asked(f"half-{language}-in-{other}", half, "text", corpus, embedder, answered=answered)
    return made


def _half(path: Path, kept: set[str], embedder: Embedder) -> Corpus:
    rows = [row for row in _rows(path) if row["_id"] in kept]
    passages = [Passage(row["_id"], path.parent.name, row["title"], "", row["text"]) for row in rows]
    return Corpus(passages, embedder.embed([row["text"] for row in rows]))


def _asked(
    kind: str, rows: Sequence[dict[str, str]], field: str, corpus: Corpus, embedder: Embedder, *, answered: bool
) -> list[Example]:
    vectors = embed_queries(embedder, [row[field] for row in rows])
    made = []
    for row, vector in zip(rows, vectors, strict=True):
        known = signals(row[field], corpus.search(vector), embedder)
        assert known is not None  # noqa: S101  # every passage has its cosine
        made.append(Example(kind, row[field], known, answered))
    return made


def fit(made: Sequence[Example]) -> tuple[Weights, Weights]:
    """The weights where the languages are alike and where they are not.

    The answered and the unanswered of the guide and of the halves count alike.
    """
    groups = [(one.kind.startswith("half"), one.answered) for one in made]
    counted = Counter(groups)
    share = np.array([len(made) / counted[group] for group in groups])
    across = np.array([one.signals.across for one in made])
    return _fitted(made, share * ~across), _fitted(made, share * across)


def _fitted(made: Sequence[Example], share: NDArray[np.float64]) -> Weights:
    features = np.array([(one.signals.sentence, one.signals.covered) for one in made])
    model = LogisticRegression(C=10.0, max_iter=5_000)
    model.fit(features * _SCALE, [one.answered for one in made], sample_weight=share)
    sentence, covered = (float(weight) * _SCALE for weight in model.coef_[0])
    return Weights(sentence, covered, float(model.intercept_[0]))


def judge(made: Sequence[Example], alike: Weights, across: Weights) -> None:
    """Says what share of each kind is refused."""
    for kind, answered in sorted({(one.kind, one.answered) for one in made}):
        asked = [one.signals for one in made if (one.kind, one.answered) == (kind, answered)]
        refused = [probability(one, across if one.across else alike) < THRESHOLD for one in asked]
        told = "answered" if answered else "unanswered"
        print(f"{kind:16} {told:10} {len(asked):4} questions, refused {np.mean(refused):.3f}")


def main() -> None:
    """Fits and judges."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--xquad", type=Path, required=True)
    options = parser.parse_args()
    embedder = MemoEmbedder(OnnxEmbedder(MODEL_DIR), 65_536, batches=True)
    stock = guide(embedder)
    made = examples(options.xquad, stock, embedder)
    kept = _rows(Path("examples/golden/unanswerable.jsonl"))
    held = [
        one
        for language in ("en", "es")
        for one in _asked(
            f"held-{language}",
            [row for row in kept if row["language"] == language],
            "query",
            stock,
            embedder,
            answered=False,
        )
    ]
    alike, across = fit(made)
    print("fitted:", alike, across)
    judge([*made, *held], alike, across)
    print("in use:", ALIKE, ACROSS)
    judge([*made, *held], ALIKE, ACROSS)


if __name__ == "__main__":
    main()
