"""What sentences and code blocks of the evidence are worth to a question: likeness, words, and whether they answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from classifier.embedder import Embedder, likeness
from classifier.text import casefolded
from engine.domain import Relation
from engine.generation.extractive.candidates import (
    Candidate,
    as_subject,
    elsewhere,
    first_places,
    names_section,
    unsaid_subject,
)
from engine.generation.extractive.document_questions import says_what_it_is
from engine.generation.extractive.reranking import Asked, shipped
from engine.generation.extractive.sentence_selection import FLOOR, READ, Weighed
from engine.generation.extractive.spanned_rows import in_range
from engine.generation.extractive.word_overlap import LIKE, Scores, without_denial, words_had, words_of
from engine.generation.port import Prompt
from engine.text.language import SURE, Language, read_language
from engine.text.questions.comparisons import compared
from engine.text.quotation import is_call, own_name
from engine.text.sentences import MARK, row_name
from engine.text.words import asks_for_a_number, asks_how, content, folded

#: What a passage loses against the one before it.
_RANK = 0.02
#: What a sentence in another language than the question's loses: with .13 a Spanish question on a page that there is in
#: both languages was answered in English first.
_FOREIGN = 0.22
#: The other language's sentences are quoted instead where none of the question's own has a logit of the first or is of
#: the last answer's documents, and these answer so much better as the second (`Weighed.answers`).
#: Paragraphs of XQuAD, every other one in English and the others in Spanish, asked in the language that the right one
#: is not in: it is quoted first in .76 of 204, without this in .17.
_ANSWERED, _ACROSS = 0.5, 1.0
#: What a sentence with a figure gains where one is asked for.
_FIGURE = 0.06
#: What a sentence gains by its subject being what is asked about, and a label of something else loses.
SUBJECT = 0.25
_WORD = re.compile(r"[^\W_]+")
_DIGIT = re.compile(r"\d")
#: The share of the message itself in the likeness to a question that was put together from it and the conversation.
_MESSAGE = 0.4
#: What a sentence loses by having been said: a follow-up asks for something else.
_SAID = 0.15
#: By how much it is above what is like the question at all where it is told again for want of another one.
_CLEARLY = 0.1
#: What a sentence of a document that the last answer did not quote loses where a message goes on from it.
_OTHER_DOCUMENT = 0.05
#: What a sentence loses whose document or section is not named by the question, where another is.
_OTHER_SUBJECT = 0.1
#: Words from which a sentence says something; "Category: Variables." says less.
_WORDS = 4
#: What a sentence gains whose range holds the number of the question, and one loses whose ranges do not; and as the
#: logarithm of the odds that it is the answer.
_IN_RANGE, _IN_RANGE_ODDS = 0.1, 1.0
#: What a sentence gains, in the same, that says what the thing is which is to be defined, and one that names somebody
#: where that is asked for.
_SAYS_WHAT, _NAMES_WHO = 1.5, 2.0
#: Asks who it is, and not who may or has to do something.
_ASKS_WHO = re.compile(
    r"\b(?:who|qui[eé]n(?:es)?)\b(?!\s(?:can|may|could|should|must|needs?|pays?|has|gets?|pued|deb|tien|pag))",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+ (?:de |van |von )?[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+")
#: Characters of the selection that are read with the question.
_SELECTION_CHARS = 400


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
    if told.foreign.any() and not goes_on and told.surest < _ANSWERED:
        across = _read(asks, _weighed(asks, others, embedder), embedder)
        told = across if across.answers > told.answers + _ACROSS else told
    return _in_order(asks, told, embedder)


def weighed_for(prompt: Prompt, among: Sequence[Candidate], embedder: Embedder) -> Weighed:
    """The candidates weighed against what a prompt asks, and read for whether they answer. Blocks; see `weigh`."""
    message = message_of(prompt)
    return weigh(
        question_of(prompt),
        among,
        embedder,
        procedural=_is_procedural(prompt),
        language=prompt.spoken,
        message=message,
        said=set(among).difference(unsaid(among, prompt)) if message else (),
        going_on=of_the_last_answers_documents(prompt) if message else (),
        answering=True,
    )


def question_of(prompt: Prompt) -> str:
    """What candidates are weighed against: the question as it was searched for, and the beginning of what is shown."""
    return f"{prompt.question or prompt.query}\n{prompt.selected_text[:_SELECTION_CHARS]}".strip()


def message_of(prompt: Prompt) -> str:
    """What was written, where the question was made from it and the conversation; else empty."""
    made = prompt.relation is Relation.CONTEXTUAL_FOLLOW_UP and prompt.question not in ("", prompt.query)
    return prompt.query if made else ""


def _is_procedural(prompt: Prompt) -> bool:
    """Whether it asks how something is done."""
    follows = prompt.relation is Relation.CONTEXTUAL_FOLLOW_UP
    return prompt.relation is Relation.NEW_TOPIC_PROCEDURAL or (follows and asks_how(prompt.query))


def unsaid(among: Sequence[Candidate], prompt: Prompt) -> tuple[Candidate, ...]:
    """What no answer of the conversation has said yet."""
    said = "\n".join(plain(exchange.answer) for exchange in prompt.history)
    return tuple(candidate for candidate in among if plain(candidate.text) not in said)


def of_the_last_answers_documents(prompt: Prompt) -> frozenset[int]:
    """The numbers of passages of the documents that the last answer quoted, as far as these are at hand."""
    document = {piece.number: piece.passage.document for piece in prompt.evidence}
    quoted = {document.get(int(mark), "") for mark in MARK.findall(prompt.previous_answer)} - {""}
    return frozenset(number for number, name in document.items() if name in quoted)


def plain(text: str) -> str:
    """`text` as it is compared: without marks, list signs, stops and case."""
    return " ".join(re.sub(r"\[\d{1,6}\]|[^\w\s]", " ", text.casefold()).split())


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
    floor = embedder.unrelated
    asked_for = embedder.embed_queries(asks.questions)
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
    held = np.array(in_range(message or question, [c.text for c in among]), dtype=np.float32)
    gained = _IN_RANGE * held + 0.15 * steps + 0.1 * named + SUBJECT * subject + _FIGURE * figure
    gained += 0.2 * (named & _first(among) & (len(asked) == 1))
    lost = _RANK * rank + _FOREIGN * foreign + 0.1 * brief
    lost += _OTHER_DOCUMENT * np.array([bool(asks.going_on) and c.number not in asks.going_on for c in among])
    others = elsewhere(question, among)
    lost += _OTHER_SUBJECT * np.array([c.number in others for c in among])
    scores = _rather_unsaid(((meaning + words) / 2 + gained - lost).astype(np.float32), asks.said, among)
    scores = _as_denied(message or question, scores, among)
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


def _rather_unsaid(scores: Scores, said: Collection[Candidate], among: Sequence[Candidate]) -> Scores:
    """The scores with what was said behind the rest; or as they are where nothing is left then."""
    prose = np.array([not one.code for one in among], dtype=bool)
    behind: Scores = scores - np.array([_SAID * (one in said) for one in among], dtype=np.float32)
    lost = not (behind[prose] >= FLOOR).any() and (scores[prose] >= FLOOR + _CLEARLY).any()
    return scores if lost else behind


def _read(asks: _Asks, weighed: Weighed, embedder: Embedder) -> Weighed:
    """`weighed` with the logits of the likest sentences, means over the questions; as it is without a head for it."""
    likest = weighed.likest(READ)
    texts = [one.in_context for one in likest]
    logits = [embedder.answers_in(question, texts) for question in asks.questions] if likest else []
    known = [found for found in logits if found is not None]
    if not known:
        return weighed
    answering = dict(zip(likest, map(float, np.mean(known, axis=0)), strict=True))
    return replace(weighed, answering=answering)


def _in_order(asks: _Asks, read: Weighed, embedder: Embedder) -> Weighed:
    """`read` with the likest in the order in which they answer; as it is where nothing tells that."""
    if not read.answering or asks.message or compared(asks.question):
        return read  # it is fitted to questions that stand alone, about one thing
    order = shipped().order(Asked(asks.question, asks.procedural), read.known, embedder)
    held = in_range(asks.question, [one.text for one in order])
    worth = np.array([*order.values()], dtype=np.float32) + _IN_RANGE_ODDS * np.array(held, dtype=np.float32)
    worth += _SAYS_WHAT * np.array([says_what_it_is(asks.question, one.text) for one in order])
    if _ASKS_WHO.search(asks.question):
        worth += _NAMES_WHO * np.array([_PERSON.search(one.text) is not None for one in order])
    worth = _as_denied(asks.question, worth, [*order])
    return replace(read, order=dict(zip(order, map(float, worth), strict=True)))


def _as_denied(question: str, scores: Scores, among: Sequence[Candidate]) -> Scores:
    """The scores with those of rows exchanged that are of one thing and of what is not that, as the question asks.

    "Members: 11 €" has to go before "Non-members: 19 €", which has the same words and one more.
    """
    scores = scores.copy()
    names = {(c.number, c.whole, casefolded(row_name(c.text))): place for place, c in enumerate(among) if c.whole}
    for (number, whole, name), place in names.items():
        asked = without_denial(question, name)
        other = names.get((number, whole, asked[0])) if asked else None
        if asked is None or other is None:
            continue
        first, second = (place, other) if asked[1] else (other, place)
        if scores[first] < scores[second]:
            scores[[first, second]] = scores[[second, first]]
    return scores


def _languages(among: Sequence[Candidate]) -> dict[int, str]:
    """The language of each passage, by its number: one sentence may be too short to tell."""
    prose: dict[int, list[str]] = {candidate.number: [] for candidate in among}
    for candidate in among:
        if not candidate.code:
            prose[candidate.number].append(candidate.text)
    return {number: read_language(" ".join(sentences)).code for number, sentences in prose.items()}


def _first(among: Sequence[Candidate]) -> NDArray[np.bool_]:
    """Which sentences are the first ones of their passages."""
    first = first_places(among)
    return np.array([first.get(c.number) == c.place for c in among])


def _defines(among: Sequence[Candidate], named: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which sentences of `named` sections are the first ones, and leave the name of theirs to the heading."""
    firsts = named & _first(among)
    return np.array([is_first and unsaid_subject(c, "") != "" for c, is_first in zip(among, firsts, strict=True)])
