from __future__ import annotations

from dataclasses import replace

import pytest

from engine.domain import Passage
from engine.retrieval.answerability import THRESHOLD, Weights, answerability, signals

ADD = Passage("a", "doc.md", "Guide", "addVar", "addVar declares a variable in a program.", 1.0, similarity=0.9)
FAR = Passage("b", "doc.md", "Guide", "Loops", "A loop repeats what is in it.", 0.5, similarity=0.8)
SPANISH = replace(ADD, id="c", heading="", title="", text="El mandato declara una variable dentro del programa.")


def test_the_signals_of_a_search() -> None:
    found = signals("How do I declare a variable in addVar?", [FAR, ADD])
    assert found is not None
    assert found.cosine == 0.9
    assert found.gap == pytest.approx(0.1)
    assert found.covered == 1.0


def test_words_count_little_where_the_languages_differ() -> None:
    found = signals("How do I remove a thing from the list of things?", [SPANISH])
    assert found is not None
    assert (found.covered, found.gap) == (0.4, 0.0)
    alike = signals("¿Cómo quito algo de la lista?", [SPANISH])
    assert alike is not None
    assert alike.covered == 0.0


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


def test_it_rises_with_each_signal() -> None:
    question = "How do I declare a variable?"
    base = answerability(question, [replace(ADD, similarity=0.85), replace(FAR, similarity=0.84)])
    nearer = answerability(question, [replace(ADD, similarity=0.87), replace(FAR, similarity=0.86)])
    clearer = answerability(question, [replace(ADD, similarity=0.85), replace(FAR, similarity=0.80)])
    fewer = answerability(
        "What is the meaning of pears?", [replace(ADD, similarity=0.85), replace(FAR, similarity=0.84)]
    )
    assert base is not None
    assert fewer is not None
    assert fewer < base
    for more in (nearer, clearer):
        assert more is not None
        assert more > base


def test_what_cannot_be_told() -> None:
    assert answerability("x", []) == 0.0
    assert answerability("x", [replace(ADD, similarity=None)]) is None
    assert answerability("???", [ADD]) is not None


def test_other_weights_are_for_other_encoders() -> None:
    assert answerability("x", [ADD], Weights(0, 0, 0, 0)) == 0.5
