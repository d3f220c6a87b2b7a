"""Which sentences and code blocks of the evidence answer a question.

A sentence is read with its heading, because much that is written says its subject there only. The choice is maximal
marginal relevance: near the question, and not near what has been chosen already.

Source:
    Carbonell and Goldstein, "The use of MMR, diversity-based reranking for reordering documents and producing
    summaries", SIGIR 1998.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import likeness
from engine.generation.extractive.candidates import Candidate
from engine.generation.extractive.reranking import WHOLE_CHARS, Known
from engine.generation.extractive.word_overlap import Scores, has_a_word, without_times, words_named
from engine.text.sentences import row_name, with_columns
from engine.text.words import asks_for_one_number, asks_yes_or_no

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
READ = 6
#: What surely answering counts beside likeness, where the best sentence is chosen.
_ANSWERING = 0.1
#: A further sentence is quoted where its logit is at most so much below the best one's, or above the second figure: of
#: those below both one in twenty told something that was asked for (golden set and six collections, 24 November 2026).
_BELOW_BEST, _ANSWERS = 1.5, -1.5
#: One number is told by one sentence: a further one is quoted beside one that answers where it is at most so much below
#: it. Beside a sure yes or no, from the second figure on, one may be as much as the third one below. None of the 24
#: that this takes away of the golden set and the collections told a fact that was asked for (27 November 2026).
_BELOW_A_NUMBER, _SURE, _BELOW_A_YES = 0.5, 2.0, 2.0
#: The logarithm of the odds by which a further sentence may be less probably the answer. Of 736 questions about
#: documents of six hands what is quoted answers 440 without further ones of this kind, 447 with 1.5 and 451 with 2, in
#: a fifth more sentences (28 November 2026).
_HARDLY_LESS = 2.0
#: What the worth of the likest sentence counts beside the highest logit.
_LIKEST = 4.0
#: A table or list is quoted whole where most of its parts are worth at most so much less than the best one.
_AS_GOOD = 0.08
#: The share of the best sentence's worth that a block beside it has at least, and where a yes or a no is asked for.
#: Blocks that showed something else had .26 to .4, those that showed what was asked .45 and more.
_BLOCK, _BLOCK_FOR_A_YES = 0.42, 0.7
#: A sentence whose logit is above this answers by itself: no block stands in its place.
_ANSWERS_ITSELF = 0.0
#: How like the best one, above the floor, a sentence of another document is that is quoted though it does not answer.
#: Of two collections of many subjects those that told of something else had up to .53, further ones of the golden
#: set's one subject .5 and more (29 November 2026).
_ONE_SUBJECT = 0.54


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
        likest = [*self.answering] if self.answering and most <= READ else self.likest(max(most, READ))
        chosen = self._in_order(likest) if self.order else self._answers_first(likest)
        return self._together(self._of_one_subject(chosen[:most]))

    def _of_one_subject(self, chosen: list[Candidate]) -> list[Candidate]:
        """`chosen` without what documents on something else than the best one's say that does not answer."""
        if not chosen or not self.answering or chosen[0] not in self._place:
            return chosen

        def belongs(one: Candidate) -> bool:
            if one.title == chosen[0].title or one not in self._place:
                return True
            return self.answering.get(one, -math.inf) >= _ANSWERS or self.near(one, chosen[0]) >= _ONE_SUBJECT

        return [one for one in chosen if belongs(one)]

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

    @cached_property
    def _place(self) -> dict[Candidate, int]:
        return {candidate: at for at, candidate in enumerate(self.candidates)}

    def near(self, one: Candidate, other: Candidate) -> float:
        """How like two candidates are, as a cosine above that of texts that have nothing to do with each other."""
        return float(likeness(self.vectors[self._place[one]] @ self.vectors[self._place[other]], self.floor))

    def likest(self, most: int) -> list[Candidate]:
        """The sentences that are likest to the question, best first."""
        return self._choose(self.in_one_language(), code=False, floor=FLOOR, most=most)

    def _in_order(self, likest: list[Candidate]) -> list[Candidate]:
        """What answers first, and those of `likest` that answer as well, or hardly less probably; no parts of it."""
        best = max(self.order, key=self.order.__getitem__)
        near = self.order[best] - (_BELOW_A_NUMBER if asks_for_one_number(self.message) else _HARDLY_LESS)
        answering = self._answers_first(likest)
        further = [one for one in likest if self.order.get(one, -math.inf) >= near]
        beside = [one for one in dict.fromkeys([*further, *answering]) if one != best and not _is_part(one, best)]
        if "\n" in best.text:  # one list is what was asked for
            beside = [one for one in beside if "\n" not in one.text]
        return [best, *beside]

    def _answers_first(self, likest: list[Candidate]) -> list[Candidate]:
        """`likest` by what is like the question and answers it, without those that do not answer beside the first."""
        if not self.answering or not likest:
            return likest
        logit = {c: self.answering.get(c, _ANSWERS) for c in likest}
        score = self.score
        worth = {c: score[c] + _ANSWERING / (1 + math.exp(-logit[c])) for c in likest}
        best, *others = sorted(likest, key=worth.__getitem__, reverse=True)
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
        best, score = chosen[0], self.score
        is_whole = best.whole == best.text
        if is_whole and not best.of_table:
            return chosen
        parts = [c for c in self.candidates if (c.number, c.whole) == (best.number, best.whole)]
        named = self._named_rows(parts)
        few = bool(named) and 2 * len(named) <= len(parts)
        if is_whole:
            return [*named, *chosen[1:]] if few else chosen
        rest = [c for c in chosen if (c.number, c.whole) != (best.number, best.whole)]
        near = [c for c in parts if score[c] >= score[best] - _AS_GOOD]
        # Whether it is the whole list was decided already where candidates were put in order.
        all_near = not self.order and 2 * len(near) > len(parts) > 1
        if few and (best in named or all_near):
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
        shown = (with_columns(part.whole, part.text, partial(has_a_word, without_times(asked))) for asked in self.asked)
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


def _is_part(one: Candidate, of: Candidate) -> bool:
    """Whether it is an item of a list that is quoted whole."""
    return of.text == of.whole != "" and (one.number, one.whole) == (of.number, of.whole)


#: How many times the worth of the best sentence a block has that is told in its place. Of 16 questions that had one
#: (736 of strangers) the sentences answer 8 that it does not and the other way round 3; from 1.3 on 2 and 2.
_LEADS = 1.3


def leading_block(weighed: Weighed, prose: Sequence[Candidate]) -> Candidate | None:
    """The block that is likelier what was asked for than the best sentence, where that does not answer.

    It stands below what introduces it, or its heading.
    """
    blocks = [one for one in weighed.candidates if one.code]
    if not blocks or not prose:
        return None
    score = weighed.score
    best = max(blocks, key=score.__getitem__)
    unread = -math.inf if weighed.answering else 0.0
    answers = max((logit for one, logit in weighed.answering.items() if one.number == prose[0].number), default=unread)
    if answers >= _ANSWERS_ITSELF or score[best] <= _LEADS * _worth(weighed, score, prose[0]):
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
