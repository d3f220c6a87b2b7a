"""Which sentences and code blocks of the evidence answer a question.

A sentence is read with its heading, because much that is written says its subject there only. The choice is maximal
marginal relevance: near the question, and not near what has been chosen already.

Source:
    Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and producing
    summaries", SIGIR 1998.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from classifier.decision import Embedder, answers_in, embed_queries, likeness, unrelated_cosine
from engine.generation.extractive.candidates import Candidate, as_subject, elsewhere, names_section, unsaid_subject
from engine.generation.extractive.reranking import WHOLE_CHARS, Asked, Known, shipped
from engine.generation.extractive.word_overlap import LIKE, Scores, has_a_word, words_had, words_named, words_of
from engine.text.language import SURE, Language, read_language
from engine.text.quotation import is_call, own_name
from engine.text.sentences import row_name, with_columns
from engine.text.words import asks_for_a_number, asks_for_one_number, asks_yes_or_no, content, folded

#: How much likeness to a chosen sentence costs against likeness to the question.
_REPEAT_COST = 0.2
#: What a block gains by standing in the best sentence's passage.
_BESIDE = 0.15
#: Below this a sentence does not answer: mean of cosine and word overlap (chosen on the golden set).
FLOOR = 0.15
#: The share of the best sentence's worth that a further one has at least: what is quoted with it answers too.
_FURTHER = 0.55
#: Sentences that are read for whether they answer, as `answer_head` tells; each costs some 3 ms of CPU where it was not
#: read lately.
_READ = 6
#: What surely answering counts beside likeness, where the best sentence is chosen.
_ANSWERING = 0.1
#: A further sentence is quoted where its logit is at most so much below the best one's, or above the second figure: of
#: those below both one in twenty told something that was asked for (golden set and six collections, 24 November 2026).
_BELOW_BEST, _ANSWERS = 1.5, -1.5
#: One number is told by one sentence: a further one is quoted beside one that answers where it is at most so much below
#: it. Beside a sure yes or no, from the second figure on, one may be as much as the third one below. None of the 24
#: that this takes away of the golden set and the collections told a fact that was asked for (27 November 2026).
_BELOW_A_NUMBER, _SURE, _BELOW_A_YES = 0.5, 2.0, 2.0
#: What a passage loses against the one before it.
_RANK = 0.02
#: What a sentence in another language than the question's loses: with .13 a Spanish question on a page that there is in
#: both languages was answered in English first.
_FOREIGN = 0.22
#: The other language's sentences are quoted instead where none of the question's own has a logit of the first or is of
#: the last answer's documents, and these answer so much better as the second (`Weighed.answers`, where the worth of the
#: likest counts the third).
#: Paragraphs of XQuAD, every other one in English and the others in Spanish, asked in the language that the right one
#: is not in: it is quoted first in .76 of 204, without this in .17.
_ANSWERED, _ACROSS, _LIKEST = 0.5, 1.0, 4.0
#: What a sentence with a figure gains where one is asked for.
_FIGURE = 0.06
#: What a sentence gains by its subject being what is asked about, and a label of something else loses.
SUBJECT = 0.25
#: A table or list is quoted whole where most of its parts are worth at most so much less than the best one.
_AS_GOOD = 0.08
_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
#: The share of the message itself in the likeness to a question that was put together from it and the conversation.
_MESSAGE = 0.4
#: The share of the best sentence's worth that a block beside it has at least, and where a yes or a no is asked for.
#: Blocks that showed something else had .26 to .4, those that showed what was asked .45 and more.
_BLOCK, _BLOCK_FOR_A_YES = 0.42, 0.7
#: A sentence whose logit is above this answers by itself: no block stands in its place.
_ANSWERS_ITSELF = 0.0
#: What a sentence loses by having been said: a follow-up asks for something else.
_SAID = 0.15
#: What a sentence of a document that the last answer did not quote loses where a message goes on from it.
_OTHER_DOCUMENT = 0.05
#: What a sentence loses whose document or section is not named by the question, where another is.
_OTHER_SUBJECT = 0.1
#: Words from which a sentence says something; "Category: Variables." says less.
_WORDS = 4


@dataclass(frozen=True)
class Weighed:
    """Candidates with what they are worth.

    Attributes:
        vectors: Shape (n, dimensions), unit length.
        scores: Shape (n,).
        floor: The cosine of texts that have nothing to do with each other.
        foreign: Shape (n,): whether a sentence is in another language than the question.
        named: The section of each that the question names; empty for one that it does not.
        answering: How far the likest candidates answer, best first, as logits; empty where nothing tells that.
        asked: What was asked, as beginnings of words: of the message, and of the question that it makes with others.
        elsewhere: Numbers of the passages of what the question does not name, while it names another.
        message: What was written.
        meaning: How like the question each is in meaning; shape (n,).
        words: The share of the question's words that each has; shape (n,).
        order: What the likest are worth as answers, whole lists among them; empty where nothing tells that. See
            `Reranker`.
    """

    candidates: tuple[Candidate, ...]
    vectors: NDArray[np.float32]
    scores: Scores
    floor: float = 0.0
    foreign: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))
    named: Sequence[str] = ()
    answering: Mapping[Candidate, float] = field(default_factory=dict)
    asked: Sequence[frozenset[str]] = ()
    elsewhere: Collection[int] = ()
    message: str = ""
    meaning: Scores = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    words: Scores = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    order: Mapping[Candidate, float] = field(default_factory=dict)

    def sentences(self, most: int) -> list[Candidate]:
        """The sentences that answer, best first: in one language where the best one is in the question's."""
        likest = [*self.answering] if self.answering and most <= _READ else self.likest(max(most, _READ))
        return self._together(self._answers_first(likest)[:most])

    @property
    def known(self) -> Known:
        """What is known of the candidates before the likest are put in order."""
        scores = self.in_one_language()
        return Known(self.candidates, self.vectors, scores, self.meaning, self.words, self.floor, self.answering)

    @property
    def surest(self) -> float:
        """The highest logit of a sentence; below all others where none was read."""
        return max(self.answering.values(), default=-math.inf)

    @property
    def answers(self) -> float:
        """How well its sentences answer, to be compared with another choice of candidates; none is below all others."""
        score = self.score
        return self.surest + _LIKEST * max((score[one] for one in self.answering), default=-math.inf)

    @cached_property
    def score(self) -> dict[Candidate, float]:
        """What each candidate is worth; asked for at every step of the choice."""
        return {c: float(s) for c, s in zip(self.candidates, self.scores, strict=True)}

    def likest(self, most: int) -> list[Candidate]:
        """The sentences that are likest to the question, best first."""
        return self._choose(self.in_one_language(), code=False, floor=FLOOR, most=most)

    def _answers_first(self, likest: list[Candidate]) -> list[Candidate]:
        """`likest` by what is like the question and answers it, without those that do not answer beside the first."""
        if not self.answering or not likest:
            return likest
        logit = {c: self.answering.get(c, _ANSWERS) for c in likest}
        score = dict(self.score)
        worth = {c: score[c] + _ANSWERING / (1 + math.exp(-logit[c])) for c in likest}
        best, *others = sorted(likest, key=worth.__getitem__, reverse=True)
        if self.order and (answers := max(self.order, key=self.order.__getitem__)) != best:
            parts = [one for one in self.candidates if one == answers or _is_part(one, answers)]
            others = [one for one in (best, *others) if one not in parts]
            best = answers
            score[best] = max(score[one] for one in parts)
            logit[best] = max((self.answering[one] for one in parts if one in self.answering), default=_ANSWERS)
        if "\n" in best.text:  # one list of steps is what was asked for
            others = [one for one in others if "\n" not in one.text]
        if best.number not in self.elsewhere:
            others = [one for one in others if one.number not in self.elsewhere]
        least = self._least(logit[best])
        return [best, *(c for c in others if logit[c] >= least and score[c] >= _FURTHER * score[best])]

    def _least(self, best: float) -> float:
        """The logit from which a further sentence is quoted, by what is asked for and that of the best one."""
        if best >= _ANSWERS and asks_for_one_number(self.message):
            return best - _BELOW_A_NUMBER
        if best >= _SURE and asks_yes_or_no(self.message):
            return best - _BELOW_A_YES
        return min(best - _BELOW_BEST, _ANSWERS)

    def _together(self, chosen: list[Candidate]) -> list[Candidate]:
        """`chosen` with the table or list of the best one in its place, where most of its parts answer as well.

        Of a table whose rows the question names some of, these alone are left.
        """
        if not chosen or not chosen[0].whole or len(chosen[0].whole) > WHOLE_CHARS:
            return chosen
        best = chosen[0]
        if self.order:  # whether it is the whole list was decided when they were put in order
            return [one if one.text == one.whole else self._asked_columns(one) for one in chosen]
        score = self.score
        parts = [c for c in self.candidates if (c.number, c.whole) == (best.number, best.whole)]
        rest = [c for c in chosen if (c.number, c.whole) != (best.number, best.whole)]
        near = [c for c in parts if score[c] >= score[best] - _AS_GOOD]
        all_near = 2 * len(near) > len(parts) > 1
        named = self._named_rows(parts)
        if named and 2 * len(named) <= len(parts) and (best in named or all_near):
            those = [c for c in chosen if c in named] or [max(named, key=score.__getitem__)]
            return [self._asked_columns(c) for c in [*those, *rest]]
        return [replace(best, text=best.whole), *rest] if all_near else [self._asked_columns(c) for c in chosen]

    def _named_rows(self, parts: Sequence[Candidate]) -> list[Candidate]:
        """The rows whose first cells, and the items whose names, have most of the words of what was asked."""
        names = {part: name for part in parts if (name := row_name(part.text))}
        counts = ({part: words_named(asked, name) for part, name in names.items()} for asked in self.asked)
        found = ([part for part, count in had.items() if count == max(had.values()) > 0] for had in counts)
        return next(filter(None, found), [])

    def _asked_columns(self, part: Candidate) -> Candidate:
        """A row with the columns alone whose names have a word of what was asked, where there are any."""
        shown = (with_columns(part.whole, part.text, partial(has_a_word, asked)) for asked in self.asked)
        return replace(part, text=next((text for text in shown if text != part.text), part.text))

    def in_one_language(self) -> Scores:
        """The scores without the other language's sentences, where the best sentence is in the question's own."""
        prose = [i for i, c in enumerate(self.candidates) if not c.code]
        if not self.foreign.any() or not prose or self.foreign[max(prose, key=lambda i: float(self.scores[i]))]:
            return self.scores
        own: Scores = np.where(self.foreign, np.float32(-np.inf), self.scores)
        return own

    def block(self, beside: Sequence[Candidate]) -> list[Candidate]:
        """The best code block, if there is one; one from the best sentence's passage is its example."""
        gain = [_BESIDE * bool(beside and c.number == beside[0].number) for c in self.candidates]
        return self._choose(self.scores + np.array(gain, dtype=np.float32), code=True, floor=-np.inf, most=1)

    def _choose(self, scores: Scores, *, code: bool, floor: float, most: int) -> list[Candidate]:
        left = [i for i, c in enumerate(self.candidates) if c.code is code and scores[i] >= floor]
        chosen: list[int] = []
        repeats = np.zeros(len(self.candidates))
        while left and len(chosen) < most:
            worth = scores[left] - (_REPEAT_COST * repeats[left]).astype(np.float32)
            best = int(np.argmax(worth))
            if chosen and scores[left[best]] < _FURTHER * scores[chosen[0]]:
                break
            chosen.append(left.pop(best))
            repeats = np.maximum(repeats, self._repeating(chosen[-1]))
        return [self.candidates[i] for i in chosen]

    def _repeating(self, chosen: int) -> NDArray[np.float32]:
        """How like each candidate is to a chosen one; two things that are asked about are told of in like words."""
        alike = likeness(self.vectors @ self.vectors[chosen], self.floor)
        if self.named and self.named[chosen]:
            alike[[name not in ("", self.named[chosen]) for name in self.named]] = 0.0
        return alike


def weigh(
    question: str,
    among: Sequence[Candidate],
    embedder: Embedder,
    *,
    procedural: bool = False,
    language: Language | None = None,
    message: str = "",
    said: Collection[Candidate] = (),
    going_on: Collection[int] = (),
    answering: bool = False,
) -> Weighed:
    """Weighs candidates: the mean of likeness in meaning and in words, less for worse passages.

    Blocks: call it in a worker thread.

    Args:
        question: As it was asked.
        among: At least one.
        embedder: Of question and candidates.
        procedural: The question asks how something is done: steps are worth more, and what a call does.
        language: What the conversation is in, for a question that is too short to tell.
        message: What was written, where `question` has words of the conversation besides: what it says itself counts
            more than what it goes on from.
        said: Those of `among` that an answer has given.
        going_on: Numbers of passages of the documents that the last answer quoted.
        answering: Whether the likest are read for whether they answer.
    """
    asks = _Asks(question, procedural, language, message, said, going_on)
    weighed = _weighed(asks, among, embedder)
    if not answering:
        return weighed
    told = _read(asks, weighed, embedder)
    others = [c for c, foreign in zip(among, told.foreign, strict=True) if c.code or foreign]
    goes_on = any(c.number in going_on for c in set(among).difference(others))
    if not told.foreign.any() or goes_on or told.surest >= _ANSWERED:
        return told
    across = _read(asks, _weighed(asks, others, embedder), embedder)
    return across if across.answers > told.answers + _ACROSS else told


@dataclass(frozen=True, slots=True)
class _Asks:
    """What is asked; see `weigh`."""

    question: str
    procedural: bool
    language: Language | None
    message: str
    said: Collection[Candidate]
    going_on: Collection[int]

    @property
    def questions(self) -> list[str]:
        """What is asked, and the message that it was made from, where there is one."""
        return [self.question, self.message] if self.message else [self.question]


def _weighed(asks: _Asks, among: Sequence[Candidate], embedder: Embedder) -> Weighed:
    """The candidates weighed by everything but whether they answer."""
    question, message = asks.question, asks.message
    texts = [candidate.in_context for candidate in among]
    given = embedder.embed(texts)
    floor = unrelated_cosine(embedder)
    asked_for = embed_queries(embedder, asks.questions)
    meaning = likeness(given @ asked_for[0], floor)
    if message:
        meaning = (1 - _MESSAGE) * meaning + _MESSAGE * likeness(given @ asked_for[1], floor)
    words, like = words_had(question, texts, embedder, message)
    spoken = _languages(among)
    reading = read_language(question)
    asked_in = reading.code if asks.language is None or reading.margin >= SURE else asks.language
    foreign = np.array([not c.code and spoken[c.number] not in ("", asked_in) for c in among])
    own = np.array([not c.code for c in among]) & ~foreign
    # Two languages share few words: meaning stands in, and counts no more than the words of the best own sentence.
    stands_in = np.minimum(meaning, words[own].max()) if own.any() else meaning + LIKE * like
    words = np.where(foreign, np.maximum(words, stands_in), words)
    foreign &= own.any()
    brief = np.array([not c.code and (c.pointer or len(_WORD.findall(c.text)) < _WORDS) for c in among])
    steps = np.array([asks.procedural and not c.code and "\n" in c.text for c in among])
    steps |= np.array([asks.procedural and is_call(c.heading) for c in among]) & _first(among)
    rank = np.array([c.rank for c in among], dtype=np.float32)
    named = np.array([names_section(question, c.heading) for c in among])
    asked = {folded(word) for word in content(question)}
    subject = np.array([as_subject(asked, c) for c in among])
    subject = np.where(_defines(among, named), 1 / max(len(asked), 1), subject)
    figures = asks_for_a_number(question)
    figure = np.array([figures and not c.code and _DIGIT.search(c.text) is not None for c in among])
    gained = 0.15 * steps + 0.1 * named + SUBJECT * subject + _FIGURE * figure
    gained += 0.2 * (named & _first(among) & (len(asked) == 1))
    lost = _RANK * rank + _FOREIGN * foreign + 0.1 * brief + _SAID * np.array([c in asks.said for c in among])
    lost += _OTHER_DOCUMENT * np.array([bool(asks.going_on) and c.number not in asks.going_on for c in among])
    others = elsewhere(question, among)
    lost += _OTHER_SUBJECT * np.array([c.number in others for c in among])
    scores: Scores = ((meaning + words) / 2 + gained - lost).astype(np.float32)
    sections = [own_name(c.heading) if is_named else "" for c, is_named in zip(among, named, strict=True)]
    asked_words = [frozenset(words_of(text)) for text in (message, question) if text]
    said = message or question
    return Weighed(
        tuple(among),
        given,
        scores,
        floor,
        foreign,
        sections,
        asked=asked_words,
        elsewhere=others,
        message=said,
        meaning=meaning,
        words=words,
    )


def _read(asks: _Asks, weighed: Weighed, embedder: Embedder) -> Weighed:
    """`weighed` with the logits of the likest sentences, means over the questions; as it is without a head for it."""
    likest = weighed.likest(_READ)
    texts = [one.in_context for one in likest]
    logits = [answers_in(embedder, question, texts) for question in asks.questions] if likest else []
    known = [found for found in logits if found is not None]
    if not known:
        return weighed
    answering = dict(zip(likest, map(float, np.mean(known, axis=0)), strict=True))
    told = replace(weighed, answering=answering)
    return replace(told, order=shipped().order(Asked(asks.question, asks.procedural), told.known, embedder))


def _is_part(one: Candidate, of: Candidate) -> bool:
    """Whether it is an item of a list that is quoted whole."""
    return of.text == of.whole != "" and (one.number, one.whole) == (of.number, of.whole)


def _languages(among: Sequence[Candidate]) -> dict[int, str]:
    """The language of each passage, by its number: one sentence may be too short to tell."""
    prose: dict[int, list[str]] = {candidate.number: [] for candidate in among}
    for candidate in among:
        if not candidate.code:
            prose[candidate.number].append(candidate.text)
    return {number: read_language(" ".join(sentences)).code for number, sentences in prose.items()}


def _first(among: Sequence[Candidate]) -> NDArray[np.bool_]:
    """Which sentences are the first ones of their passages."""
    first = {c.number: c.place for c in reversed(among) if not c.code}
    return np.array([first.get(c.number) == c.place for c in among])


def _defines(among: Sequence[Candidate], named: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which sentences of `named` sections are the first ones, and leave the name of theirs to the heading."""
    firsts = named & _first(among)
    return np.array([is_first and unsaid_subject(c, "") != "" for c, is_first in zip(among, firsts, strict=True)])


def leading_block(weighed: Weighed, prose: Sequence[Candidate]) -> Candidate | None:
    """The block that is likelier what was asked for than the best sentence, where that does not answer.

    It stands below what introduces it, or its heading.
    """
    blocks = [one for one in weighed.candidates if one.code]
    if not blocks or not prose:
        return None
    score = weighed.score
    best = max(blocks, key=score.__getitem__)
    answers = max((logit for one, logit in weighed.answering.items() if one.number == prose[0].number), default=0.0)
    if answers >= _ANSWERS_ITSELF or score[best] <= _worth(weighed, score, prose[0]):
        return None
    above = best.introduced or (f"{best.heading.rstrip(':')}:" if best.heading else "")
    return replace(best, text=f"{above}\n\n{best.text}".strip())


def goes_with(weighed: Weighed, block: Candidate, prose: Sequence[Candidate], question: str) -> bool:
    """Whether a block is near enough to the question to be shown as an example of the best sentence."""
    share, score = _BLOCK_FOR_A_YES if asks_yes_or_no(question) else _BLOCK, weighed.score
    return not prose or score.get(block, 0.0) >= share * _worth(weighed, score, prose[0])


def _worth(weighed: Weighed, score: Mapping[Candidate, float], quoted: Candidate) -> float:
    """What the best sentence is worth; of a table or list that is quoted, the best part."""
    if quoted in score:
        return score[quoted]
    return max((score[one] for one in weighed.candidates if one.number == quoted.number and not one.code), default=0.0)
