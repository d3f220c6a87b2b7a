from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.domain import Passage
from engine.retrieval.answerability import (
    ACROSS,
    ALIKE,
    THRESHOLD,
    AnswerabilityReader,
    Signals,
    Weights,
    answerability,
    probability,
    signals,
)
from engine.testing import HashedWordsEmbedder

ADD = Passage("a", "doc.md", "Guide", "addVar", "addVar declares a variable in a program.", 1.0, similarity=0.9)
FAR = Passage("b", "doc.md", "Guide", "Loops", "A loop repeats what is in it.", 0.5, similarity=0.8)
SPANISH = replace(ADD, id="c", heading="", title="", text="El mandato declara una variable dentro del programa.")


def test_the_signals_of_a_search() -> None:
    found = signals("How do I declare a variable in addVar?", [FAR, ADD])
    assert found == Signals(0.9, 1.0, across=False)  # without sentences the nearest passage's cosine


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
    assert found == Signals(0.9, 0.0, across=True)
    alike = signals("¿Cómo quito algo de la lista?", [SPANISH])
    assert alike == Signals(0.9, 0.0, across=False)


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
    ("question", "text", "share"),
    [
        ("Which kilns fire stoneware?", "The kiln's fired. Nothing else.", 1 / 3),
        ("Which kilns fire stoneware?", "KILNS, fire; Stoneware!", 1.0),
        ("¿Qué hornos cuecen gres?", "Un hórno que cuece.", 1 / 3),
        ("Which batteries?", "The battery is a thing of its own.", 1.0),
        ("Where is the thing?", "Where the thing is.", 0.0),
    ],
)
def test_the_words_covered_are_counted_by_their_stems(question: str, text: str, share: float) -> None:
    found = signals(question, [replace(ADD, heading="", title="", text=text)])
    assert found is not None
    assert found.covered == pytest.approx(share)


def test_only_a_passages_own_words_cover() -> None:
    passages = [replace(ADD, text="kilns alone", heading=""), replace(FAR, text="stoneware alone")]
    found = signals("kilns and stoneware", passages)
    assert found is not None
    assert found.covered == 0.5


def test_near_passages_with_the_words_answer_and_far_ones_do_not() -> None:
    near = answerability("How do I declare a variable?", [ADD, FAR])
    far = answerability("Who painted it?", [replace(ADD, similarity=0.76), replace(FAR, similarity=0.75)])
    assert near is not None
    assert far is not None
    assert far < THRESHOLD < 0.9 < near


@pytest.mark.parametrize("weights", [ALIKE, ACROSS])
def test_it_rises_with_each_signal(weights: Weights) -> None:
    base = probability(Signals(0.85, 0.5, across=False), weights)
    assert probability(Signals(0.87, 0.5, across=False), weights) > base
    assert probability(Signals(0.85, 0.7, across=False), weights) > base


def test_across_languages_less_nearness_is_enough() -> None:
    far = Signals(0.84, 0.0, across=True)
    assert probability(far, ACROSS) > probability(far, ALIKE)
    english = replace(ADD, text="The kiln is fired when all of the pots have been put into it.", similarity=0.84)
    assert answerability("¿Cómo declaro algo en un programa?", [english]) == probability(far, ACROSS)
    unsure = replace(english, text="kiln 4")
    assert answerability("¿Cómo declaro algo en un programa?", [unsure]) == probability(far, ALIKE)


def test_what_cannot_be_told() -> None:
    assert answerability("x", []) == 0.0
    assert answerability("x", [replace(ADD, similarity=None)]) is None
    assert answerability("???", [ADD]) is not None
