"""Answers without a model: sentences and code quoted from the material at hand, each with its mark.

The choice is maximal marginal relevance: near the question and not near what has been chosen already.

Source:
    Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and producing
    summaries", SIGIR 1998.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
import unicodedata
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder, QueryType
from engine.domain import Evidence, Relation
from engine.generation import rework, wording
from engine.generation.port import Done, Prompt, Token
from engine.generation.sentences import units
from engine.language import language_of

#: Passages that are read and pieces of them that are weighed: enough to answer from, few enough to be quick.
_PASSAGES = 5
_CANDIDATES = 48
_SENTENCES = 4
#: How much likeness to a chosen sentence costs against likeness to the question.
_REPEAT_COST = 0.55
#: What a block gains by standing in the best sentence's passage.
_BESIDE = 0.15
#: Below this a sentence does not answer: mean of cosine and word overlap (chosen on the golden set).
_FLOOR = 0.2
_WORD = re.compile(r"[^\W_]+")
#: How a widget says what form it wants; no statement about the account.
_RULE = re.compile(r"\W*(rules?|reglas?|exactly|exactamente|provide|proporciona)\b", re.IGNORECASE)
#: A sentence about the document instead of its subject.
_ABOUT_ITSELF = re.compile(
    r"\W*(this (page|section|document|guide)|est[ae] (página|sección|documento|guía))\b", re.IGNORECASE
)
_FIGURE = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    code: bool
    number: int
    place: int  # order in which it is read: passage, then position in it
    rank: int  # of its passage


class ExtractiveAnswerer:
    """Quotes. Fulfils `ChatModel`; its answers never hold a statement that is not in the material.

    Args:
        embedder: Weighs sentences against the question; called in a worker thread.
    """

    name = "extractive"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`: one token per word."""
        text = await self._answer(prompt)
        for piece in re.findall(r"\S*\s*", text):
            if piece:
                yield Token(piece)
        yield Done()

    async def ping(self) -> None:
        """See `ChatModel.ping`: there is nothing outside to ask."""

    async def close(self) -> None:
        """See `ChatModel.close`: nothing is held."""

    async def _answer(self, prompt: Prompt) -> str:
        if prompt.relation is Relation.HISTORY_RECALL:
            return rework.recall(prompt)
        if prompt.type is QueryType.CONVERSATIONAL:
            return rework.converse(prompt)
        if prompt.type is QueryType.PLATFORM:
            return figures(prompt)
        return await asyncio.to_thread(self._quote, prompt)

    def _quote(self, prompt: Prompt) -> str:
        language = language_of(prompt.query)
        candidates = _candidates(prompt.evidence)
        if not candidates:
            return wording.NOTHING_FOUND[language]
        question = f"{prompt.query}\n{prompt.selected_text[:400]}".strip()
        vectors = self._embedder.embed([question, *(c.text for c in candidates)])
        procedural = prompt.relation is Relation.NEW_TOPIC_PROCEDURAL
        scores = self._scores(question, candidates, vectors, procedural=procedural)
        wants_code = prompt.type is QueryType.CODE_GENERATION
        prose = _choose(candidates, vectors[1:], scores, code=False, most=2 if wants_code else _SENTENCES)
        if prose:  # the block beside the best sentence is its example
            scores = scores + np.array([_BESIDE * (c.number == prose[0].number) for c in candidates], dtype=np.float32)
        code = _choose(candidates, vectors[1:], scores, code=True, most=1)
        if not prose and not (wants_code and code):
            return wording.NOTHING_FOUND[language]
        said = _said(_in_reading_order(prose))
        shown = [f"{c.text}\n\n[{c.number}]" for c in code if wants_code or _near(c, prose)]
        if wants_code:
            return "\n\n".join([*shown, said]).strip()
        return "\n\n".join([said, *(f"{wording.EXAMPLE[language]}\n\n{block}" for block in shown)])

    @staticmethod
    def _scores(
        question: str, candidates: Sequence[_Candidate], vectors: NDArray[np.float32], *, procedural: bool
    ) -> NDArray[np.float32]:
        """Mean of likeness in meaning and in words, a little less for worse passages and for another language."""
        overlap = _overlap(question, [c.text for c in candidates])
        language = language_of(question)
        other = np.array([not c.code and language_of(c.text) is not language for c in candidates])
        rank = np.array([c.rank for c in candidates], dtype=np.float32)
        likeness = (vectors[1:] @ vectors[0] + overlap) / 2
        steps = np.array([procedural and not c.code and "\n" in c.text for c in candidates])
        scores: NDArray[np.float32] = likeness - 0.03 * rank - 0.1 * other + 0.15 * steps
        return scores


def figures(prompt: Prompt) -> str:
    """The statements about the account that the request brings along and the question asks for."""
    language = language_of(prompt.query)
    known = [*_statements(prompt.extra_context), *_statements(prompt.user_info)]
    if not known:
        told = [s for s in _statements(prompt.query) if _FIGURE.search(s) and not _is_rule(s)]
        if not told:
            return wording.NO_FIGURES[language]
        percent = re.search(r"(\d{1,3}(?:[.,]\d+)?)\s?%", told[0])
        left = 100 - float(percent.group(1).replace(",", ".")) if percent else -1.0
        usage = re.search(r"usage|used|uso|usado|consum", told[0], re.IGNORECASE)
        more = [wording.LEFT[language].format(left=f"{left:g}")] if usage and left >= 0 else []
        return " ".join([*(_sentence(s) for s in told[:3]), *more])
    asked = _words(prompt.query)
    weighed = sorted(range(len(known)), key=lambda i: (-len(asked & _words(known[i])), i))
    best = len(asked & _words(known[weighed[0]]))
    chosen = [i for i in weighed if len(asked & _words(known[i])) == best][:5] if best else weighed[:5]
    return " ".join(_sentence(known[i]) for i in sorted(chosen))


def _is_rule(statement: str) -> bool:
    return _RULE.match(statement) is not None


def _statements(text: str) -> list[str]:
    """The statements of a text, or of JSON as `name: value`."""
    try:
        parsed = json.loads(text)
        return _flatten("", parsed) if isinstance(parsed, dict | list) else [text.strip()]
    except (ValueError, RecursionError):  # no JSON, or nested too deep to be figures
        return [unit.text for unit in units(text) if not unit.code]


def _flatten(path: str, value: Any) -> list[str]:
    if isinstance(value, dict):
        return [line for key, inner in value.items() for line in _flatten(f"{path} {key}".strip(), inner)]
    if isinstance(value, list):
        return [line for inner in value for line in _flatten(path, inner)]
    return [f"{path.replace('_', ' ')}: {value}".strip(": ")]


def _candidates(evidence: Sequence[Evidence]) -> list[_Candidate]:
    found: list[_Candidate] = []
    seen: set[str] = set()  # passages that repeat one another are quoted once
    for rank, piece in enumerate(evidence[:_PASSAGES]):
        for unit in units(piece.passage.text):
            if _quotable(unit.text) and unit.text not in seen:
                seen.add(unit.text)
                found.append(_Candidate(unit.text, unit.code, piece.number, len(found), rank))
    return found[:_CANDIDATES]


def _quotable(text: str) -> bool:
    """Whether a sentence says something by itself: one that introduces something, or the page, does not."""
    return len(text) > 2 and not text.endswith(":") and _ABOUT_ITSELF.match(text) is None


def _choose(
    candidates: Sequence[_Candidate],
    vectors: NDArray[np.float32],
    scores: NDArray[np.float32],
    *,
    code: bool,
    most: int,
) -> list[_Candidate]:
    left = [i for i, c in enumerate(candidates) if c.code is code and (code or scores[i] >= _FLOOR)]
    chosen: list[int] = []
    while left and len(chosen) < most:
        worth = [
            scores[i] - _REPEAT_COST * max((float(vectors[i] @ vectors[j]) for j in chosen), default=0.0) for i in left
        ]
        best = int(np.argmax(worth))
        if chosen and worth[best] < _FLOOR - _REPEAT_COST / 2:
            break
        chosen.append(left.pop(best))
    return [candidates[i] for i in chosen]


def _in_reading_order(chosen: Sequence[_Candidate]) -> list[_Candidate]:
    """The best first, as it is the answer; the others as they are read, those of its passage before the rest."""
    if not chosen:
        return []
    best = chosen[0]
    return [best, *sorted(chosen[1:], key=lambda c: (c.number != best.number, c.place))]


def _said(quoted: Sequence[_Candidate]) -> str:
    """Running text, each sentence with its mark; steps stand in a paragraph of their own."""
    text = ""
    for candidate in quoted:
        steps = "\n" in candidate.text
        gap = "" if not text else "\n\n" if steps or text.endswith("\n") else " "
        text = f"{text.rstrip()}{gap}{_sentence(candidate.text)} [{candidate.number}]" + ("\n" if steps else "")
    return text.strip()


def _overlap(question: str, texts: Sequence[str]) -> NDArray[np.float32]:
    """The share of the question's words that each text has; a word that few texts have weighs more.

    Source:
        Spärck Jones, "A statistical interpretation of term specificity and its application in retrieval", 1972.
    """
    asked, given = _words(question), [_words(text) for text in texts]
    weight = {word: math.log(1 + len(texts) / (1 + sum(word in words for words in given))) for word in asked}
    whole = sum(weight.values()) or 1.0
    return np.array([sum(weight[w] for w in asked & words) / whole for words in given], dtype=np.float32)


def _near(code: _Candidate, prose: Sequence[_Candidate]) -> bool:
    """Whether a code block stands in a passage that is quoted."""
    return any(code.number == c.number for c in prose)


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", "。")) else text.rstrip(" :;,") + "."


def _words(text: str) -> set[str]:
    """Content words: folded, of three letters or more, their plural and verb endings cut roughly."""
    folded = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(c for c in folded if not unicodedata.combining(c))
    return {word[:6] for word in _WORD.findall(plain) if len(word) > 2}
