"""The examples that what reads answerability is fitted to: questions, with what was found for them."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder
from engine.domain import Passage
from engine.retrieval.answerability import Signals, best_sentences, carried_stems, signals
from engine.retrieval.ingestion.chunking import chunk
from engine.retrieval.ingestion.reading import Documents
from engine.retrieval.port import Document
from engine.text.quotation import texts_weighed
from engine.text.words import content, content_stems, stem
from scripts.fitting.passages import Block, read_blocks

#: Passages that a search gives.
FOUND = 8
#: Words of the conversation that a follow-up is searched for with.
CARRIED = 3
#: The share of the questions about other packages that a package's description is asked.
OTHERS = 0.25
#: Sentences of an example: more than are read while somebody waits, so that the one that answers is among them.
SENTENCES = 4
#: Passages written for this project that are searched together.
TOGETHER = 12
_GOLDEN = Path("examples/golden")
#: What heads of the answers make of the examples that they were not fitted to; written by `tune_answers.py`.
HELD_OUT = Path(__file__).with_name("held_out_answers.npz")
_ROWS = Path(__file__).with_name("answerability.jsonl")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages with their unit vectors, shape (n, dimensions)."""

    passages: Sequence[Passage]
    vectors: NDArray[np.float32]

    def search(self, vector: NDArray[np.float32], without: str = "") -> list[Passage]:
        """The passages nearest to a question, with their cosines, but for one by its id."""
        cosines = self.vectors @ vector
        nearest = [at for at in np.argsort(-cosines)[: FOUND + 1] if self.passages[at].id != without]
        return [_found(self.passages[at], float(cosines[at])) for at in nearest[:FOUND]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that is asked of a corpus.

    Attributes:
        kind: What is told together.
        group: What is left out together.
        question: As it is searched for.
        message: As it was written.
        answered: Whether the corpus answers it, without the passage that `without` names.
        passage: The id of the one that answers it, where that is known.
        gold: The sentence that answers it, where that is known.
    """

    kind: str
    group: str
    question: str
    message: str
    answered: bool
    without: str = ""
    passage: str = ""
    gold: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """A question with what was found for it, and the sentences that are read with it."""

    asked: Asked
    found: Sequence[Passage]
    sentences: Sequence[str]

    @property
    def key(self) -> str:
        """Stands for the question and the sentences."""
        return "\n".join([self.asked.question, *self.sentences])

    def signals(self, embedder: Embedder) -> Signals:
        """What is known of what was found."""
        known = signals(self.asked.question, self.found, embedder, self.carried)
        assert known is not None  # noqa: S101  # every passage has its cosine
        return known

    @property
    def carried(self) -> frozenset[str]:
        """The stems of the words from the conversation."""
        return carried_stems(self.asked.question, self.asked.message)


def _found(passage: Passage, cosine: float) -> Passage:
    return Passage(passage.id, passage.document, passage.title, passage.heading, passage.text, similarity=cosine)


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def guide(embedder: Embedder) -> Corpus:
    """The stock guide as it is indexed."""
    return _corpus([one for one in Documents([Path("examples/avap")]) if isinstance(one, Document)], embedder)


def _corpus(documents: Sequence[Document], embedder: Embedder) -> Corpus:
    chunks = [piece for document in documents for piece in chunk(document)]
    return Corpus([one.passage for one in chunks], embedder.embed([one.searchable for one in chunks]))


def examples(folder: Path, stock: Corpus, embedder: Embedder) -> list[Example]:
    """The examples that the weights are fitted to."""
    kinds = ("RETRIEVAL", "CODE_GENERATION")
    golden = [row["query"] for row in _rows(_GOLDEN / "avap.jsonl") if row["type"] in kinds]
    made = _read([Asked("golden", query, query, query, answered=True) for query in golden], stock, embedder)
    return [*made, *_of_articles(folder, stock, embedder), *_of_packages(embedder), *written(embedder)]


def _of_articles(folder: Path, stock: Corpus, embedder: Embedder) -> list[Example]:
    made, rng = [], random.Random(0)
    answers = dict(line.split("\t")[:2] for line in (folder / "en/qrels.tsv").read_text().splitlines()[1:])
    corpora = {name: _paragraphs(folder / name / "corpus.jsonl", embedder) for name in ("en", "es")}
    for language in corpora:
        rows = [(row["text"], answers[row["_id"]]) for row in _rows(folder / language / "queries_lastturn.jsonl")]
        general = [Asked(f"general-{language}", at.split("-")[0], text, text, answered=False) for text, at in rows]
        made += _read(general, stock, embedder)
        for other, corpus in corpora.items():
            forms = []
            for (text, at), (next_text, _) in zip(rows, [*rows[1:], rows[0]], strict=True):
                article, brief, before = at.split("-")[0], shortened(text, rng), _before(rows, at, rng)
                for form, message in {"first": text, "follow-up": text, "brief": brief}.items():
                    kind = f"{form}-{language}-in-{other}"
                    asked, left = (
                        (message, message)
                        if form == "first"
                        else (followed(message, next_text), followed(message, before))
                    )
                    forms.append(Asked(kind, article, asked, message, answered=True, passage=at))
                    forms.append(Asked(kind, article, left, message, answered=False, without=at))
            made += _read(forms, corpus, embedder)
    return made


def _before(rows: Sequence[tuple[str, str]], at: str, rng: random.Random) -> str:
    """A question that another paragraph of an article answers: what a near follow-up comes behind was answered."""
    article, _, _ = at.partition("-")
    return rng.choice([text for text, place in rows if place.partition("-")[0] == article and place != at])


def _paragraphs(path: Path, embedder: Embedder) -> Corpus:
    rows = _rows(path)
    passages = [Passage(row["_id"], path.parent.name, row["title"], "", row["text"]) for row in rows]
    return Corpus(passages, embedder.embed([row["text"] for row in rows]))


def _of_packages(embedder: Embedder) -> list[Example]:
    made, rows, rng = [], _rows(_ROWS), random.Random(0)
    for package in dict.fromkeys(row["package"] for row in rows):
        text = str(importlib.metadata.metadata(package).json["description"])
        digest = hashlib.sha256(text.encode()).hexdigest()
        corpus = _corpus([Document(package, package, text, "markdown", package, digest)], embedder)
        asked = []
        for row in rows:
            form = "first" if row["message"] == row["question"] else "follow-up"
            if row["package"] == package:
                kind, answered = f"package-{form}-{row['language']}", bool(row["answered"])
                asked.append(Asked(kind, package, row["question"], row["message"], answered))
            elif form == "first" and row["package"].casefold() in row["question"].casefold() and rng.random() < OTHERS:
                kind = f"package-other-{row['language']}"
                asked.append(Asked(kind, package, row["question"], row["message"], answered=False))
        made += _read(asked, corpus, embedder)
    return made


def followed(message: str, other: str) -> str:
    """`message` with words of another question about its subject, as a follow-up is searched for."""
    own = content_stems(message)
    carried = {stem(word): word for word in content(other) if stem(word) not in own}
    return " ".join([message, *list(carried.values())[:CARRIED]])


def shortened(question: str, rng: random.Random) -> str:
    """`question` with one or two of its words of content, as people ask on."""
    said = list(dict.fromkeys(content(question)))
    kept = set(rng.sample(said, min(len(said), rng.choice((1, 2)))))
    return " ".join(word for word in question.split() if not any(one in word for one in said if one not in kept))


def general(stock: Corpus, embedder: Embedder) -> list[Example]:
    """Questions of general knowledge, which only judge."""
    rows = [(row["query"], row["language"]) for row in _rows(_GOLDEN / "unanswerable.jsonl")]
    return _read([Asked(f"held-{code}", text, text, text, answered=False) for text, code in rows], stock, embedder)


def _read(asked: Sequence[Asked], corpus: Corpus, embedder: Embedder) -> list[Example]:
    vectors = embedder.embed_queries([one.question for one in asked])
    made = []
    for one, vector in zip(asked, vectors, strict=True):
        found = corpus.search(vector, one.without)
        made.append(Example(one, found, best_sentences(one.question, found, embedder, SENTENCES)[1]))
    return made


def written(embedder: Embedder) -> list[Example]:
    """Those of the passages written for this project, asked of some of one language together.

    A question that is answered is asked once more without its passage, and once where the passage lacks the sentence
    that answers it: so the look of a question does not tell what is answered.
    """
    made, blocks = [], list(read_blocks())
    for language in sorted({block.language for block in blocks}):
        own = [block for block in blocks if block.language == language]
        for start in range(0, len(own), TOGETHER):
            group = f"{language}-{start // TOGETHER}"
            passages = [_passage(f"{group}-{place}", block) for place, block in enumerate(own[start:][:TOGETHER])]
            corpus = _of(passages, embedder)
            for passage, block in zip(passages, own[start:], strict=False):
                made += _of_block(group, passage, block, corpus, embedder)
    return made


def _of_block(group: str, passage: Passage, block: Block, corpus: Corpus, embedder: Embedder) -> list[Example]:
    kind, said, asked = f"written-in-{block.language}", texts_weighed(passage), []
    made: list[Example] = []
    for question in block.questions:
        text, answered = question.text, 0 <= question.sentence < len(said)
        if question.sentence >= 0 and not answered:
            continue  # its sentences are parted otherwise than whoever wrote it has counted
        gold = said[question.sentence] if answered else ""
        asked.append(Asked(kind, group, text, text, answered, gold=gold))
        if answered:
            asked.append(Asked(f"{kind}-without", group, text, text, answered=False, without=passage.id))
            cut = replace(passage, text=_without(passage.text, gold.removeprefix(f"{passage.heading}: ")))
            lacking = _of([*(one for one in corpus.passages if one is not passage), cut], embedder)
            made += _read([Asked(f"{kind}-cut", group, text, text, answered=False)], lacking, embedder)
    made += _read(asked, corpus, embedder)
    # What was not found is no example of what is told apart: neither of answers nor of near questions.
    return [one for one in made if not one.asked.answered or one.asked.gold in one.sentences]


def _without(text: str, sentence: str) -> str:
    return " ".join(text.replace(sentence, " ").split())


def _passage(id_: str, block: Block) -> Passage:
    return Passage(id_, "written", block.heading, block.heading, block.text)


def _of(passages: Sequence[Passage], embedder: Embedder) -> Corpus:
    return Corpus(passages, embedder.embed([f"{one.heading}\n{one.text}" for one in passages]))
