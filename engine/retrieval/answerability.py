"""Whether the passages that a search found answer the question: one calibrated figure from what the search knows.

A logistic regression over four figures: how far the likest sentence reads as an answer to the question, as a head
on the encoder has it; the best cosine of a sentence of the nearest passage; how well one passage has the question's
words; and whether a term that is not translated is missing. A word is had by one of like meaning too, as the encoder's
table of words has it: "install" by "installation", "price" by "precio". Words that a follow-up has from the
conversation count less than its own, and so do words that many of the passages have: they name what is talked about,
and not what is asked of it.

A question and a passage in two languages share few words and are less near, so they are weighed for themselves. So is a
follow-up in the passages' language, where the passages that were shown before are near whatever it asks: its own words
count apart there. Fitted by `scripts/fitting/answerability.py`; the figures are in `docs/retrieval.md`.
"""

from __future__ import annotations

import asyncio
import math
import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from classifier.embedder import Embedder
from engine.domain import Passage
from engine.retrieval.answerability_weights import ACROSS, ALIKE, FOLLOWED, Weights
from engine.retrieval.wording import words_had
from engine.text.language import read_language
from engine.text.questions.comparisons import compared, figures, measure
from engine.text.questions.named_rows import named_rows
from engine.text.questions.numbered_headings import asks_for_a_section, names_with_number
from engine.text.quotation import in_another_language, in_two_languages, texts_weighed
from engine.text.sentences import sentences
from engine.text.words import content, content_stems, folded, stem

#: Below this the passages are taken not to answer.
THRESHOLD = 0.2
#: Probability from which each side of a comparison, asked for by itself, is told of: of sides that documents had no
#: word for, none was above .4.
_SIDE = 0.5
#: What a word from the conversation counts against one of the message itself.
_CARRIED = 0.35
#: Few words say little: as if so many more were had so well.
_MORE, _MORE_HAD = 0.5, 0.7
#: What a word that all passages have counts less than one that none has.
_SHARED = 0.7
#: From this on those passages are taken to answer that are in another language than the question and than others found:
#: who looks twice more often sees an answer that is none. `docs/retrieval.md` has the figures.
ASIDE = 0.6
#: Sentences that are read with the question, and nearest passages that they are of. Further ones tell no more where as
#: many answered questions are refused, and each costs 3.5 ms of CPU.
_SENTENCES, _NEAREST = 1, 3
#: What is taken to be probable at least where a row is named by its code, or both sides of a comparison have one, or
#: where a section is asked for by its number.
_NAMED = 0.5
#: What is assumed of the sentences where the embedder has no such head: the median of the examples fitted to.
_USUAL_ANSWER = -1.15
#: Passages whose words are read: those that an answer quotes from.
_READ = 5
#: Characters of the passages that their language is read from.
_LANGUAGE_CHARS = 2_000
#: The margin from which a single word is of another language than its question: a term, such as "commit" in Spanish.
_FOREIGN = 2.0
#: The end of a sentence that asks.
_ASKS = ("?", "？")
#: How names of things in programs are written, after their first character: `addVar`, `py_ctx`, 3.11, I/O.
_WRITTEN_AS_NAME = re.compile(r"(?<!^)[\d_./A-Z]")


@dataclass(frozen=True, slots=True)
class Signals:
    """What is known of a question and the passages found for it.

    Attributes:
        sentence: The best cosine of a sentence of the nearest passage; the passage's own where sentences have none.
        covered: How well the passage that has most of them has the question's words, 0 to 1.
        missing: How far the worst found of the question's own terms is missing in all passages, 0 to 1. A term is a
            word that is written as a name is, or one of another language than the rest of the question.
        across: The passages are in another language than the question, as far as both are sure.
        own: As `covered`, by the question's words that are not from the conversation.
        followed: It has words from the conversation.
        answer: How far the likest sentence reads as an answer: its logit.
    """

    sentence: float
    covered: float
    missing: float
    across: bool
    own: float = 0.0
    followed: bool = False
    answer: float = _USUAL_ANSWER

    @property
    def weights(self) -> Weights:
        """What they are weighed by."""
        return ACROSS if self.across else FOLLOWED if self.followed else ALIKE


def signals(
    question: str,
    passages: Sequence[Passage],
    embedder: Embedder | None = None,
    carried: Collection[str] = (),
    message: str = "",
) -> Signals | None:
    """The signals of `passages`; None where no cosine is known of any. May block.

    Args:
        question: As it was searched for.
        passages: As a search found them, with their cosines to the question.
        embedder: Of question and sentences.
        carried: Stems of words that the question has from the conversation.
        message: The question without these, which reads as what a person asks: where that is known, whether sentences
            answer is asked of it.
    """
    found = [passage for passage in passages if passage.similarity is not None]
    if not found:
        return None
    cosine, likest = best_sentences(question, found, embedder)
    answers = embedder.answers_in(message or question, likest) if embedder is not None and likest else None
    across = in_two_languages(question, " ".join(one.text for one in passages[:_READ])[:_LANGUAGE_CHARS])
    covered, own, missing = _words_had(question, passages[:_READ], embedder, carried)
    answer = _USUAL_ANSWER if answers is None else float(answers.max())
    return Signals(cosine, covered, missing, across, own, bool(carried), answer)


def answerability(
    question: str,
    passages: Sequence[Passage],
    embedder: Embedder | None = None,
    carried: Collection[str] = (),
    message: str = "",
) -> float | None:
    """The probability, 0 to 1, that `passages` answer `question`. May block.

    It is that of the passages in the question's language, and where these do not answer, of the others: what answers in
    another language is seldom the nearest.

    Args:
        question: See `signals`, as for the others.

    Returns:
        0 where nothing was found; None where no cosine is known, such as of a tool's results.
    """
    return that_answer(question, passages, embedder, carried, message)[0]


def that_answer(
    question: str,
    passages: Sequence[Passage],
    embedder: Embedder | None = None,
    carried: Collection[str] = (),
    message: str = "",
) -> tuple[float | None, Sequence[Passage]]:
    """The same, with the passages that it is of: those in another language where they alone answer, otherwise all."""
    if not passages:
        return 0.0, passages
    across = in_another_language(question, passages)
    own = [one for one in passages if one.document not in across]
    others = [one for one in passages if one.document in across]
    probable, of = _probability(question, own or others, embedder, carried, message), passages
    if own and others and (probable is None or probable < THRESHOLD):
        aside = _counted_from(ASIDE, _probability(question, others, embedder, carried, message))
        if aside is not None and aside > (probable or 0.0):
            probable, of = aside, others if aside >= THRESHOLD else passages
    asked = message or question
    if probable is not None and probable < _NAMED:
        named = asks_for_a_section(asked, passages) or names_with_number(question, passages)
        named = named or bool(named_rows(asked, passages)) or _compares(asked, passages, embedder)
        return (_NAMED, passages) if named else (probable, of)
    return probable, of


def _probability(
    question: str,
    passages: Sequence[Passage],
    embedder: Embedder | None,
    carried: Collection[str],
    message: str,
) -> float | None:
    """The highest of the ways to read the question; None where no cosine is known."""
    read = [signals(one, passages, embedder, carried, message) for one in _ways_to_read(question)]
    return max((probability(found, found.weights) for found in read if found is not None), default=None)


def _counted_from(least: float, probable: float | None) -> float | None:
    """`probable` with its odds so much lower that `least` becomes `THRESHOLD`."""
    if probable is None:
        return None
    against = (1 - probable) * (least / (1 - least)) * ((1 - THRESHOLD) / THRESHOLD)
    return probable / (probable + against)


def _ways_to_read(message: str) -> list[str]:
    """A message, and what it asks where it says something before: a greeting, who is asking, what for."""
    asked = " ".join(one for one in sentences(message) if one.endswith(_ASKS))
    return list(dict.fromkeys([message, asked or message]))


def _compares(question: str, passages: Sequence[Passage], embedder: Embedder | None) -> bool:
    """Whether the passages tell of each side of a comparison: each is found, or has a figure of what is compared by.

    No passage need have both, and none has a word for the comparative where it states figures.
    """
    of_two = compared(question)
    if of_two is None or embedder is None:
        return False
    if not of_two.by:
        found = [signals(side, passages, embedder) for side in of_two.sides]
        return all(one is not None and probability(one, one.weights) >= _SIDE for one in found)
    texts = [text for one in passages[:_READ] for text in texts_weighed(one)]
    asked = measure(of_two.by, embedder.embed)
    told = [at for text, at in zip(texts, of_two.told(texts), strict=True) if asked in figures(text)]
    return all(any(at[side] for at in told) for side in range(len(of_two.sides)))


def probability(found: Signals, weights: Weights) -> float:
    """The logistic regression."""
    logit = weights.sentence * found.sentence + weights.covered * found.covered + weights.bias
    logit += weights.missing * found.missing + weights.answer * found.answer + weights.own * found.own
    return 1.0 / (1.0 + math.exp(-logit))


@dataclass(frozen=True, slots=True)
class AnswerabilityReader:
    """Reads the answerability of what a search found, in a worker thread.

    Args:
        embedder: Of question and sentences; None: the passages' own cosines are used.
    """

    embedder: Embedder | None = None

    async def read(
        self, question: str, passages: Sequence[Passage], carried: Collection[str] = (), message: str = ""
    ) -> float | None:
        """See `answerability`."""
        return (await self.that_answer(question, passages, carried, message))[0]

    async def that_answer(
        self, question: str, passages: Sequence[Passage], carried: Collection[str] = (), message: str = ""
    ) -> tuple[float | None, Sequence[Passage]]:
        """See `that_answer`."""
        return await asyncio.to_thread(that_answer, question, passages, self.embedder, carried, message)


def best_sentences(
    question: str, found: Sequence[Passage], embedder: Embedder | None = None, most: int = _SENTENCES
) -> tuple[float, list[str]]:
    """The best cosine of a sentence of the nearest passage, and the sentences of the nearest ones that are likest.

    Without an embedder, or where it has no sentences, the cosine is the passage's own.

    Args:
        question: As it was searched for.
        found: At least one passage, with cosines to the question.
        embedder: Of question and sentences.
        most: Sentences at most.
    """
    nearest = sorted(found, key=lambda passage: -(passage.similarity or 0.0))[:_NEAREST]
    texts = [] if embedder is None else [texts_weighed(passage) for passage in nearest]
    own = nearest[0].similarity or 0.0
    every = [text for one in texts for text in one]
    if embedder is None or not every:
        return own, []
    cosines = embedder.embed(every) @ embedder.embed_queries([question])[0]
    first = len(texts[0])
    likest = [every[place] for place in np.argsort(-cosines, kind="stable")[:most]]
    return float(cosines[:first].max()) if first else own, likest


def carried_stems(question: str, message: str) -> frozenset[str]:
    """The stems of the words that `question` has beside those of `message`, which it was made from."""
    return content_stems(question) - content_stems(message)


def _words_had(
    question: str, passages: Sequence[Passage], embedder: Embedder | None, carried: Collection[str]
) -> tuple[float, float, float]:
    """`Signals.covered` and `Signals.own`, weighted means over words, of the best passage; and `Signals.missing`."""
    written = {stem(word): word for word in content(unicodedata.normalize("NFC", question))}
    asked = {one: folded(word) for one, word in written.items()}
    literally, had = words_had(asked, passages, embedder)
    own = np.array([one not in carried for one in asked], dtype=bool)
    counts = np.where(own, 1.0, _CARRIED) * (1 - _SHARED * literally.sum(axis=0) / _READ)
    covered, by_own = (
        float(((had @ counted + _MORE * _MORE_HAD) / (counted.sum() + _MORE)).max())
        for counted in (counts, counts * own)
    )
    language = read_language(question).code
    lacking = sorted(zip(1 - had.max(axis=0), written.items(), strict=True), key=itemgetter(0), reverse=True)
    terms = (how for how, (one, word) in lacking if how > 0 and one not in carried and _is_term(word, language))
    return covered, by_own, float(next(terms, 0.0))


def _is_term(word: str, language: str) -> bool:
    """Whether a word of a question in `language` would not be translated."""
    if _WRITTEN_AS_NAME.search(word):
        return True
    reading = read_language(word)
    return reading.code != language and reading.margin >= _FOREIGN
