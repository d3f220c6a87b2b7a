from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.linear.language import LanguageReading
from engine.domain import Passage
from engine.retrieval.answerability import (
    THRESHOLD,
    AnswerabilityReader,
    Signals,
    answerability,
    best_sentences,
    carried_stems,
    probability,
    signals,
    that_answer,
)
from engine.retrieval.answerability_weights import ACROSS, ALIKE, FOLLOWED, Weights
from engine.testing import HashedWordsEmbedder
from engine.text.language import read_language
from tests.account_cases import encoder

ADD = Passage("a", "doc.md", "Guide", "addVar", "addVar declares a variable in a program.", 1.0, similarity=0.9)
FAR = Passage("b", "doc.md", "Guide", "Loops", "A loop repeats what is in it.", 0.5, similarity=0.8)
SPANISH = replace(ADD, id="c", heading="", title="", text="El mandato declara una variable dentro del programa.")


def of_words(had: int, words: int) -> Any:
    """What is made of `words` words of which so many stand in one passage."""
    return of_shares((1.0, 1), had, words)


def of_shares(share: tuple[float, int], had: int, words: int) -> Any:
    """The same where each word had is had so well, and stands literally in so many passages."""
    counts = 1 - 0.7 * share[1] / 5
    return pytest.approx((share[0] * counts * had + 0.35) / (counts * had + words - had + 0.5), abs=1e-6)


def test_the_signals_of_a_search() -> None:
    found = signals("How do I declare a variable in addVar?", [FAR, ADD])
    assert found is not None
    assert found.covered == of_words(3, 3)
    assert (found.sentence, found.across) == (0.9, False)  # without sentences the nearest passage's cosine


def test_the_nearest_passages_best_sentence_is_what_is_held_against_the_question() -> None:
    near = replace(ADD, text="Nothing of the kind. addVar declares a variable. Neither this.")
    embedder = HashedWordsEmbedder()
    found = signals("addVar declares a variable", [FAR, near], embedder)
    alone = signals("addVar declares a variable", [FAR, replace(near, text="Nothing of the kind.")], embedder)
    assert found is not None
    assert alone is not None
    assert found.sentence > 0.9 > alone.sentence
    bare = signals("addVar", [replace(ADD, text="")], embedder)  # nothing may be quoted of it
    assert bare is not None
    assert bare.sentence == 0.9


def test_questions_across_languages_are_told() -> None:
    found = signals("How do I remove a thing from the list of things?", [SPANISH])
    assert found is not None
    assert found.across
    assert found.covered == of_words(0, 1)
    alike = signals("¿Cómo quito algo de la lista?", [SPANISH])
    assert alike is not None
    assert (alike.across, alike.covered) == (False, of_words(0, 2))


def test_the_language_is_that_of_the_passages_together() -> None:
    table = replace(ADD, title="", heading="", text="id 4 | n 7")
    text = "The kiln is fired when all of the pots have been put into it."
    found = signals("¿Cómo declaro algo en un programa?", [table, replace(FAR, text=text, similarity=0.5)])
    assert found is not None
    assert found.across


async def test_it_is_read_away_from_the_event_loop() -> None:
    threads = []

    class Noted(HashedWordsEmbedder):
        def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
            threads.append(threading.current_thread())
            return super().embed(texts)

    question = "addVar declares a variable"
    assert await AnswerabilityReader(Noted()).read(question, [ADD]) == answerability(question, [ADD], Noted())
    assert threads[0] is not threading.main_thread()


@pytest.mark.parametrize(
    ("question", "text", "had", "words"),
    [
        ("Which kilns fire stoneware?", "The kiln's fired. Nothing else.", 2, 3),
        ("Which kilns fire stoneware?", "KILNS, fire; Stoneware!", 3, 3),
        ("¿Qué hornos cuecen gres?", "Un hórno que cuece.", 2, 3),
        ("Which batteries?", "The battery is a thing of its own.", 1, 1),
        ("Where is the thing?", "Where the thing is.", 0, 0),
    ],
)
def test_the_words_covered_are_counted_by_their_stems(question: str, text: str, had: int, words: int) -> None:
    found = signals(question, [replace(ADD, heading="", title="", text=text)])
    assert found is not None
    assert found.covered == of_words(had, words)


def test_only_a_passages_own_words_cover() -> None:
    passages = [replace(ADD, text="kilns alone", heading=""), replace(FAR, text="stoneware alone")]
    found = signals("kilns and stoneware", passages)
    assert found is not None
    assert found.covered == pytest.approx((0.86 + 0.35) / (2 * 0.86 + 0.5))


def test_only_the_passages_that_are_quoted_from_cover() -> None:
    others = [replace(FAR, id=str(place), text="nothing of it") for place in range(5)]
    fifth, sixth = (signals("stoneware", [*others[:n], replace(FAR, text="stoneware")]) for n in (4, 5))
    assert fifth is not None
    assert sixth is not None
    assert fifth.covered == of_words(1, 1)
    assert sixth.covered == of_words(0, 1)


def test_words_of_the_conversation_count_less_than_the_messages_own() -> None:
    kilns = replace(ADD, text="A kiln fires stoneware.", heading="", title="")
    question = "is there a warranty? kilns stoneware"
    carried = carried_stems(question, "is there a warranty?")
    assert carried == {"kiln", "stonewar"}
    asked_on, asked_whole = signals(question, [kilns], carried=carried), signals(question, [kilns])
    assert asked_on is not None
    assert asked_whole is not None
    assert asked_on.covered == pytest.approx((0.7 * 0.86 + 0.35) / (0.7 * 0.86 + 1 + 0.5))
    assert asked_whole.covered == of_words(2, 3)
    assert probability(asked_on, ALIKE) < probability(asked_whole, ALIKE)
    assert asked_on.own == of_words(0, 1)
    assert asked_whole.own == asked_whole.covered
    assert (asked_on.weights, asked_whole.weights) == (FOLLOWED, ALIKE)
    assert replace(asked_on, across=True).weights == ACROSS


def test_a_follow_up_is_answered_by_its_own_words_more_than_by_those_of_the_conversation() -> None:
    nothing_of_its_own = Signals(0.87, 0.45, 0.0, across=False, own=0.23, followed=True)
    its_own = replace(nothing_of_its_own, own=0.6)
    assert probability(its_own, FOLLOWED) > 1.5 * probability(nothing_of_its_own, FOLLOWED)
    assert probability(its_own, ALIKE) == probability(nothing_of_its_own, ALIKE)


class Knowing(HashedWordsEmbedder):
    """Knows that a price is much like a cost, and what else it is asked for as like nothing."""

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.eye(len(words), 64, dtype=np.float32)
        for row, word in enumerate(words):
            if word in ("price", "cost"):
                vectors[row] = 0
                vectors[row, 62:] = (0.6, 0.8) if word == "price" else (0.0, 1.0)
        return vectors


def test_a_word_of_like_meaning_covers_as_far_as_it_is_alike() -> None:
    costs, nothing = replace(ADD, text="The cost of it."), replace(ADD, text="It is declared.")
    alike, unlike, unknown = (
        signals("Which price?", [passage], embedder)
        for passage, embedder in ((costs, Knowing()), (nothing, Knowing()), (costs, HashedWordsEmbedder()))
    )
    assert alike is not None
    assert unlike is not None
    assert unknown is not None
    assert alike.covered == of_shares(((0.8 - 0.3) / 0.7, 0), 1, 1)
    assert unlike.covered == unknown.covered == of_words(0, 1)


class Answering(HashedWordsEmbedder):
    """Takes a sentence for an answer by its length, and notes what it was asked to read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[tuple[str, list[str]]] = []

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
    ) -> NDArray[np.float32]:
        self.read.append((question, list(sentences)))
        return np.array([len(one) for one in sentences], dtype=np.float32)


def test_the_likest_sentence_of_the_three_nearest_passages_is_read_with_the_question() -> None:
    texts = ("Red wine. A blue boat.", "That blue boat of theirs.", "Blue nets. Salt is dear.", "a blue boat")
    found = [
        Passage(str(place), "d.md", "", "", text, similarity=0.9 - place / 100) for place, text in enumerate(texts)
    ]
    reading = Answering()
    known = signals("a blue boat", found[::-1], reading)
    assert known is not None
    assert reading.read == [("a blue boat", ["A blue boat."])]
    assert known.answer == len("A blue boat.")
    best, likest = best_sentences("a blue boat", found, reading, 3)
    assert likest == ["A blue boat.", "That blue boat of theirs.", "Blue nets."]
    assert best == known.sentence


def test_whether_a_sentence_answers_is_asked_of_the_message_without_the_conversations_words() -> None:
    reading = Answering()
    signals("does it leak? blue boat", [replace(ADD, text="A blue boat. It never leaks.")], reading)
    signals("does it leak? blue boat", [replace(ADD, text="A blue boat.")], reading, {"blue", "boat"}, "does it leak?")
    assert [question for question, _ in reading.read] == ["does it leak? blue boat", "does it leak?"]


def test_without_the_head_or_without_sentences_the_usual_answer_is_assumed() -> None:
    reading = Answering()
    introduction = replace(ADD, text="This is how a variable is declared:")
    usual = [
        signals("How do I declare a variable?", [passage], embedder)
        for passage, embedder in ((ADD, None), (ADD, HashedWordsEmbedder()), (introduction, reading))
    ]
    assert not reading.read
    assert {None if one is None else one.answer for one in usual} == {Signals(0, 0, 0, across=False).answer}


def test_a_passage_without_words_of_content_covers_nothing() -> None:
    empty = replace(ADD, title="", heading="", text="and so on")
    found = signals("Which price?", [empty, replace(FAR, text="the cost")], Knowing())
    assert found is not None
    assert found.covered == of_shares(((0.8 - 0.3) / 0.7, 0), 1, 1)


def test_near_passages_with_the_words_answer_and_far_ones_do_not() -> None:
    near = answerability("How do I declare a variable?", [ADD, FAR])
    far = answerability("Who painted it?", [replace(ADD, similarity=0.76), replace(FAR, similarity=0.75)])
    assert near is not None
    assert far is not None
    assert far < THRESHOLD < 0.7 < near


@pytest.mark.parametrize("weights", [ALIKE, ACROSS, FOLLOWED])
def test_it_rises_with_each_signal_and_falls_with_a_missing_term(weights: Weights) -> None:
    known = Signals(sentence=0.85, covered=0.5, missing=0.5, across=False)
    base = probability(known, weights)
    assert probability(replace(known, sentence=0.87), weights) > base
    assert probability(replace(known, covered=0.7), weights) > base
    assert probability(replace(known, answer=known.answer + 1), weights) > base
    assert probability(replace(known, missing=0.6), weights) < base


def test_across_languages_less_nearness_is_enough() -> None:
    english = replace(ADD, text="The kiln is fired when all of the pots have been put into it.", similarity=0.84)
    question = "¿Cómo declaro algo en un programa?"
    far = signals(question, [english])
    assert far is not None
    assert probability(far, ACROSS) > probability(far, ALIKE)
    assert answerability(question, [english]) == pytest.approx(probability(far, ACROSS))
    unsure = replace(english, text="kiln 4")
    alike = signals(question, [unsure])
    assert alike is not None
    assert answerability(question, [unsure]) == pytest.approx(probability(alike, ALIKE))


class AnsweredInEnglish(HashedWordsEmbedder):
    """Holds sentences about kilns for answers and no others."""

    def answers_in(
        self, question: str, sentences: Sequence[str], states: Mapping[str, NDArray[np.float32]] | None = None
    ) -> NDArray[np.float32]:
        return np.asarray([4.0 if "kiln" in one else -8.0 for one in sentences], np.float32)


def test_what_answers_in_another_language_is_seen_beside_what_does_not_in_the_questions() -> None:
    question, embedder = "¿Cómo declaro algo en un programa?", AnsweredInEnglish()
    english = replace(ADD, text="The kiln is fired when all of the pots have been put into it.", similarity=0.84)
    spanish = replace(
        FAR, document="t.md", text="No se declara nada en el programa del taller que está abierto.", similarity=0.9
    )
    alone, together, without = (
        answerability(question, found, embedder) for found in ([english], [*[spanish] * 4, english], [spanish])
    )
    assert alone is not None
    assert without is not None
    assert without < THRESHOLD
    # What is refused below THRESHOLD is so below .6 where it is looked at beside others.
    assert together == pytest.approx(alone / (alone + (1 - alone) * (0.6 / 0.4) * (1 - THRESHOLD) / THRESHOLD))


def test_a_word_that_many_passages_have_counts_less() -> None:
    kiln, pots = replace(ADD, title="", heading="", text="The kiln."), replace(FAR, heading="", title="", text="Pots.")
    rare, shared = (signals("kiln glazes", [kiln, *others]) for others in ([pots] * 3, [kiln] * 3))
    assert rare is not None
    assert shared is not None
    assert (rare.covered, shared.covered) == (of_words(1, 2), of_shares((1.0, 4), 1, 2))


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("¿Cómo declaro una variable del programa?", 0),  # the words of its language may be translated
        ("¿Cómo declaro una variable con addVar?", 0),
        ("¿Cómo declaro una variable con addParam?", 1),
        ("¿Cómo declaro una variable por FTP?", 1),
        ("How do I declare a variable over ftp/2?", 1),
        ("¿Cómo hago un rollback de la variable del programa?", 1),
    ],
)
def test_a_term_that_no_passage_has_is_missing(question: str, missing: float) -> None:
    found = signals(question, [ADD, FAR])
    assert found is not None
    assert found.missing == missing


def test_the_language_of_words_that_passages_have_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noting(text: str) -> LanguageReading:
        asked.append(text)
        return read_language(text)

    monkeypatch.setattr("engine.retrieval.answerability.read_language", noting)
    found = signals("How is a variable declared in a turbine?", [ADD, FAR])
    assert found is not None
    assert "variable" not in asked
    assert "turbine" in asked


def test_a_term_of_the_conversation_is_not_missing() -> None:
    found = signals("¿y la variable? FTP", [ADD], carried={"ftp"})
    assert found is not None
    assert found.missing == 0


def test_what_cannot_be_told() -> None:
    assert answerability("x", []) == 0.0
    assert answerability("x", [replace(ADD, similarity=None)]) is None
    assert answerability("???", [ADD]) is not None


@pytest.mark.parametrize(
    "before",
    ["Good morning, I came here from Fortran. ", "Buenas, me acaban de contratar en Teruel. ", "I grow tulips! "],
)
def test_what_is_said_before_a_question_does_not_count_against_it(before: str) -> None:
    question = "How do I declare a variable in addVar?"
    alone, introduced = (answerability(text, [ADD, FAR]) for text in (question, before + question))
    assert alone is not None
    assert introduced is not None
    assert introduced >= alone > THRESHOLD
    elsewhere = answerability(f"{before}Who won the cup of 1998?", [ADD, FAR])
    assert elsewhere is not None
    assert elsewhere < alone


SHEDS = tuple(
    Passage(name, f"{name}.md", name, name, text, similarity=0.79)
    for name, text in (
        ("Larch", "The walls are of board. It holds four bicycles. Putting it up costs 90 euros."),
        ("Cedar", "The walls are of stone. It holds nine bicycles. Putting it up costs 240 euros."),
        ("Opening", "The yard opens at eight. Cats sleep in the office."),
    )
)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("What is the difference between the Larch and the Cedar?", True),  # each has its own passage
        ("What is the difference between the Larch and the Spruce?", False),
        ("which is cheaper, the Larch or the Cedar?", True),  # no word for it, and figures of both
        ("which is heavier, the Larch or the Cedar?", False),
        ("which is cheaper, the Larch or the Spruce?", False),
    ],
)
def test_a_comparison_is_answered_where_each_side_is_told_of(question: str, answers: bool) -> None:
    found = answerability(question, SHEDS, encoder())
    assert found is not None
    assert (found >= THRESHOLD) is answers
    alone = answerability(question, SHEDS)
    assert alone is not None
    assert alone < THRESHOLD  # and not because the passages are near


class TestPassagesInTwoLanguages:
    """Judged by the encoder that ships: only a passage in the other language says it, or one in each."""

    ASKED = "How many minutes does the cable car to the castle take?"
    OTHER = "El teleférico al castillo tarda doce minutos y sale cada media hora desde la plaza del mercado."
    OWN = "The museum of clocks is closed on Mondays. Children under six pay nothing, and dogs have to stay outside."
    SAYS = "The cable car to the castle takes twelve minutes and leaves every half hour from the market square."

    def found(self, own: str) -> list[Passage]:
        texts = {"museo.md": own, "teleferico.md": self.OTHER}
        asked = encoder().embed_queries([self.ASKED])[0]
        return [
            Passage(name, name, "", "", text, similarity=float(encoder().embed([text])[0] @ asked))
            for name, text in texts.items()
        ]

    def test_those_that_alone_answer_are_told_apart(self) -> None:
        probable, of = that_answer(self.ASKED, self.found(self.OWN), encoder())
        assert probable is not None
        assert probable >= THRESHOLD
        assert [one.document for one in of] == ["teleferico.md"]

    def test_where_the_others_answer_too_all_are_kept(self) -> None:
        _, of = that_answer(self.ASKED, self.found(self.SAYS), encoder())
        assert len(of) == 2
