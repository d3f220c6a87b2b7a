"""Which of the likest sentences, rows and lists answers a question: a log-linear model over what is known of each.

What is like a question is often not what answers it: a sentence that has its words may only introduce the thing that it
is about, and one item of a list is as like as the whole list that was asked for. So a whole list stands here beside its
items, and a small head reads from the question's vector whether several things are asked for. Both are fitted to
questions about documents, each with what answers it, by `scripts/fitting/reranking.py`; docs/retrieval.md has the
figures.

Source:
    Cao et al., "Learning to rank: from pairwise approach to listwise approach", ICML 2007 (the loss).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder, likeness
from engine.generation.extractive.candidates import Candidate, first_places
from engine.generation.extractive.word_overlap import Scores, words_had, words_of
from engine.text.plain_lists import list_name
from engine.text.sentences import row_name
from engine.text.words import words

SHIPPED = Path(__file__).with_name("reranking.npz")
#: Candidates that are put in order, by what they are worth so far, and lists beside them.
_MOST, _LISTS = 8, 2
#: Characters of the longest list that is quoted whole.
WHOLE_CHARS = 1_500
#: Logits of answering and of asking for several things are taken to be within these.
_CLEAR, _SURELY_SEVERAL = 6.0, 3.0


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked.

    Attributes:
        question: As it was searched for.
        procedural: It asks how something is done.
    """

    question: str
    procedural: bool


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of candidates before they are put in order; every array has a place for each of them.

    Attributes:
        vectors: Shape (n, dimensions), unit length.
        scores: What each is worth so far; minus infinity for one that is out of the question.
        meaning: How like the question it is in meaning.
        words: The share of the question's words that it has.
        floor: The cosine of texts that have nothing to do with each other.
        answering: The logits of those that were read for whether they answer.
    """

    candidates: Sequence[Candidate]
    vectors: NDArray[np.float32]
    scores: Scores
    meaning: Scores
    words: Scores
    floor: float
    answering: Mapping[Candidate, float]


@dataclass(frozen=True, slots=True)
class Reranker:
    """The fitted model.

    Attributes:
        weights: Of each feature, by its name.
        several: Reads from a question's vector whether it asks for several things: shape (dimensions + 1,), the bias
            behind the weights.
    """

    weights: Mapping[str, float]
    several: NDArray[np.float32]

    def order(self, asked: Asked, known: Known, embedder: Embedder) -> dict[Candidate, float]:
        """What the likest candidates are worth, whole lists among them; nothing where the encoder is another one.

        Blocks: encodes the question where that was not done lately.
        """
        vector = embedder.embed_queries([asked.question])[0]
        if len(vector) + 1 != len(self.several):
            return {}
        found = features(asked, known, asks_for_several(self.several, vector), embedder)
        return {one: self.worth(of) for one, of in found.items()}

    def worth(self, of: Mapping[str, float]) -> float:
        """What a candidate with these features is worth."""
        return sum(self.weights.get(name, 0.0) * has for name, has in of.items())


def asks_for_several(head: NDArray[np.float32], vector: NDArray[np.float32]) -> float:
    """How surely a question asks for several things, as a logit, by a head as `Reranker.several` is."""
    return float(np.clip(vector @ head[:-1] + head[-1], -_SURELY_SEVERAL, _SURELY_SEVERAL))


@lru_cache(maxsize=1)
def shipped(path: Path = SHIPPED) -> Reranker:
    """The model that ships with the engine."""
    with np.load(path, allow_pickle=False) as arrays:
        weights = dict(zip(arrays["names"].tolist(), arrays["weights"].tolist(), strict=True))
        return Reranker(weights, arrays["several"])


def save(model: Reranker, path: Path = SHIPPED) -> None:
    """Writes a model to a file that `shipped` reads."""
    names = sorted(model.weights)
    weights = np.array([model.weights[name] for name in names])
    np.savez(path, names=np.array(names), weights=weights, several=model.several)


@dataclass(frozen=True, slots=True)
class _Likely:
    """A candidate that is put in order.

    Attributes:
        places: Its place among all, or those of the members of a list.
        meaning: How like the question it is in meaning, a list by the mean of its members.
    """

    candidate: Candidate
    places: tuple[int, ...]
    meaning: float

    @property
    def is_list(self) -> bool:
        """Whether it is a whole list or table, or the steps of one."""
        return "\n" in self.candidate.text


def features(asked: Asked, known: Known, several: float, embedder: Embedder) -> dict[Candidate, dict[str, float]]:
    """What is known of the likest candidates, by the names of the features.

    Args:
        asked: What is asked.
        known: Of all candidates.
        several: How surely several things are asked for, as a logit.
        embedder: Knows what words are alike.
    """
    pool = list(_pool(asked, known, embedder))
    if not pool:
        return {}
    had = _words_had(asked.question, [one.candidate for one in pool], embedder)
    beside = {(c.number, c.place): place for place, c in enumerate(known.candidates) if not c.code}
    firsts = first_places(known.candidates)
    found = {}
    for place, one in enumerate(pool):
        candidate, of = one.candidate, list(one.places)
        logit = known.answering.get(candidate)
        row, item = (
            bool(candidate.whole) and not one.is_list and candidate.of_table is table for table in (True, False)
        )
        before, behind = (beside.get((candidate.number, candidate.place + step)) for step in (-1, 1))
        found[candidate] = {
            "score": float(known.scores[of].max()),
            "answers": 0.0 if logit is None else 1 / (1 + math.exp(-logit)),
            "logit": 0.0 if logit is None else float(np.clip(logit, -_CLEAR, _CLEAR)),
            "unread": float(logit is None),
            "meaning": one.meaning,
            "words": float(known.words[of].max()),
            "similarity": candidate.similarity,
            "before": 0.0 if before is None else float(known.meaning[before]),
            "behind": 0.0 if behind is None else float(known.meaning[behind]),
            "first": float(firsts[candidate.number] == candidate.place),
            "length": math.log(len(candidate.text)),
            "list": float(one.is_list),
            "table": float(one.is_list and candidate.of_table),
            "lines": one.is_list * math.log(2 + candidate.text.count("\n")),
            "steps": float(one.is_list and asked.procedural and not candidate.of_table),
            "row": float(row),
            "headed table": one.is_list * candidate.of_table * float(had["headed"][place]),
            "several of a list": several * one.is_list,
            "several of a row": several * row,
            "several of items": several * item,
            "several of a sentence": several * (not (one.is_list or row or item)),
            **{name: float(shares[place]) for name, shares in had.items()},
        }
    return found


def _pool(asked: Asked, known: Known, embedder: Embedder) -> Iterator[_Likely]:
    """The candidates that are worth most, those that were read, and the lists whose members they are or that are like.

    A list is worth as much as its best item, and its vector is the mean of theirs.
    """
    prose = [place for place, one in enumerate(known.candidates) if not one.code and known.scores[place] > -np.inf]
    lists: dict[tuple[int, str], list[int]] = {}
    for place in prose:
        one = known.candidates[place]
        if one.whole and len(one.whole) <= WHOLE_CHARS:
            lists.setdefault((one.number, one.whole), []).append(place)
    of_lists = [tuple(places) for places in lists.values() if len(places) > 1]
    every = [*((place,) for place in prose), *of_lists]
    best = sorted(every, key=lambda of: -float(known.scores[list(of)].max()))[:_MOST]
    vector = embedder.embed_queries([asked.question])[0]
    meaning = {of: _meaning(known, of, vector) for of in every}
    likest = sorted(of_lists, key=lambda of: -meaning[of])[:_LISTS]
    read = [(place,) for place in prose if known.candidates[place] in known.answering]
    for of in dict.fromkeys([*best, *likest, *read]):
        first = known.candidates[of[0]]
        yield _Likely(first if len(of) == 1 else replace(first, text=first.whole), of, meaning[of])


def _meaning(known: Known, of: Sequence[int], vector: NDArray[np.float32]) -> float:
    if len(of) == 1:
        return float(known.meaning[of[0]])
    mean = known.vectors[list(of)].mean(axis=0)
    cosine = mean @ vector / np.linalg.norm(mean)
    return float(likeness(cosine[None], known.floor)[0])


def _words_had(question: str, pool: Sequence[Candidate], embedder: Embedder) -> dict[str, Scores]:
    """The shares of the question's words that parts of each candidate have.

    "own": its text without its heading; "label": the name of its row or item; "name": what introduces its list, or it;
    "columns": the head of its table; "telling", "told" and "headed", of a whole list what stands above it or is called
    so in its first column, leave out the question's words that are in titles of documents: whatever is in a document
    may have these.
    """
    texts, own = [one.in_context for one in pool], [one.text for one in pool]
    tables = [one.of_table for one in pool]
    names = [
        f"{'' if table or not one.whole else list_name(one.whole, '')} {one.introduced}"
        for one, table in zip(pool, tables, strict=True)
    ]
    columns = [one.whole.lstrip().partition("\n")[0] if table else "" for one, table in zip(pool, tables, strict=True)]
    titles = {beginning for one in pool for beginning in words_of(one.title)}
    left = " ".join(word for word in words(question) if titles.isdisjoint(words_of(word)))
    n = len(pool)
    labels = ["" if "\n" in text else row_name(text) for text in own]
    had, _ = words_had(question, [*texts, *own, *labels, *names, *columns], embedder)
    shares = dict(zip(("own", "label", "name", "columns"), np.split(had[n:], 4), strict=True))
    heads = [
        f"{one.heading} {name} {head.strip('| ').partition('|')[0]}" if "\n" in one.text else ""
        for one, name, head in zip(pool, names, columns, strict=True)
    ]
    without, _ = words_had(left if words_of(left) else question, [*texts, *own, *heads], embedder)
    return {**shares, **dict(zip(("telling", "told", "headed"), np.split(without, 3), strict=True))}
