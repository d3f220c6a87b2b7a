from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.domain import Passage
from engine.retrieval.embedding.answer_head import QUESTION_TOKENS, SENTENCE_TOKENS
from engine.testing import HashedWordsEmbedder
from scripts.fitting.answer_examples import Material, given_away, is_fitted_to, judged
from scripts.fitting.answerability_examples import SENTENCES, Asked, Example


def example(
    kind: str = "written-in-en",
    question: str = "Who?",
    sentences: Sequence[str] = ("Ana does.",),
    *,
    answered: bool = True,
    gold: str = "",
    passage: str = "",
    found: Sequence[str] = ("p",),
) -> Example:
    asked = Asked(kind, "g", question, question, answered, passage=passage, gold=gold)
    return Example(asked, [Passage(one, "d", "", "", "") for one in found], tuple(sentences))


def states_of(text: str, query: bool) -> NDArray[np.float32]:
    """A row a word: its length, and whether it is asked."""
    return np.array([[len(word), float(query)] for word in text.split()], np.float32)


def test_what_was_found_too_far_behind_is_no_example_of_an_answer() -> None:
    assert is_fitted_to(example(passage="p", found=["a", "b", "p", "c"]))
    assert not is_fitted_to(example(passage="p", found=["a", "b", "c", "p"]))
    assert is_fitted_to(example(found=["a", "b", "c"]))


@pytest.mark.parametrize("kind", ["follow-up-en-in-es", "brief-en-in-en", "general-es"])
def test_of_further_forms_of_a_question_some_are_fitted_to(kind: str) -> None:
    fitted = [is_fitted_to(example(kind, f"Who is number {number}?")) for number in range(400)]
    assert 0.15 < np.mean(fitted) < 0.35
    assert fitted == [is_fitted_to(example(kind, f"Who is number {number}?")) for number in range(400)]
    assert all(is_fitted_to(example("first-en-in-es", f"Who is number {number}?")) for number in range(50))


def test_the_area_is_told_by_kind_against_what_is_answered_of_the_same() -> None:
    made = [
        example("written-in-en"),
        example("written-in-en"),
        example("written-in-en", answered=False),
        example("written-in-en-cut", answered=False),
        example("general-en", answered=False),  # nothing of it is answered
        example("package-first-es"),
        example("package-first-es", answered=False),
    ]
    lines = list(judged(made, np.array([3, 1, 2, 0, 5, 1, 2], np.float32)))
    assert [line.split() for line in lines] == [
        ["package-first-es", "2", "area", "0.000"],
        ["written-in-en", "3", "area", "0.500"],
        ["written-in-en-cut", "3", "area", "1.000"],
    ]


def test_examples_become_arrays_with_masks() -> None:
    made = [
        example(
            question="Who goes there", sentences=["Ana goes.", "So does the old man."], gold="So does the old man."
        ),
        example("written-in-en-cut", "Why", ["Ana goes."], answered=False),
        example("first-en-in-en", "Why", ["Ana goes."]),
    ]
    material = Material.of(made, states_of, np.array([0.5, 0.0, 0.0], np.float32))
    assert len(material.states) == 4  # each text once
    batch = material.batch(np.array([0, 1, 2]))
    assert batch.read.question.shape == (3, QUESTION_TOKENS, 2)
    assert batch.read.sentences.shape == (3, SENTENCES, SENTENCE_TOKENS, 2)
    assert batch.read.asked.sum(axis=1).tolist() == [3, 1, 1]
    assert batch.read.said.sum(axis=2).tolist() == [[2, 5, 0, 0], [2, 0, 0, 0], [2, 0, 0, 0]]
    assert batch.read.question[0, :4].tolist() == [[3, 1], [4, 1], [5, 1], [0, 0]]
    assert batch.read.sentences[0, 1, 0].tolist() == [2, 0]
    assert batch.answered.tolist() == [1, 0, 1]
    assert batch.gold.tolist() == [1, -1, -1]
    assert batch.known.tolist() == [0.5, 0, 0]
    assert batch.weight[0] > batch.weight[1] > batch.weight[2] > 0
    assert material.batch(np.array([1])).answered.tolist() == [0]


def test_long_texts_are_cut() -> None:
    made = [example(question="who " * 99, sentences=["word " * 99])]
    batch = Material.of(made, states_of, np.zeros(1, np.float32)).batch(np.array([0]))
    assert batch.read.asked.sum() == QUESTION_TOKENS
    assert batch.read.said.sum() == SENTENCE_TOKENS


def test_the_states_have_a_mean_and_a_spread() -> None:
    material = Material.of([example(question="Who", sentences=["Ana"])], states_of, np.zeros(1, np.float32))
    mean, spread = material.spread()
    assert mean.tolist() == [3, 1]  # of every seventh text, which is the question
    assert spread.tolist() == [0, 0]


def test_what_the_question_alone_gives_away_is_told_by_the_other_parts() -> None:
    words = ["kiln", "boat", "wine", "bread", "stone", "river"]
    made = [
        example("written-in-en", f"{'how much is' if answered else 'who made'} the {word}", answered=answered)
        for word in words
        for answered in (True, False)
    ]
    made += [example("written-in-en-cut", "how much is it", answered=False), example("first-en-in-en", "who made it")]
    folds = np.array([place // 2 % 3 for place in range(len(made))])
    known = given_away(made, folds, HashedWordsEmbedder())
    told = np.array([one.asked.answered for one in made[:12]])
    assert (known[:12][told] > 0).all()
    assert (known[:12][~told] < 0).all()
    assert known[12:].tolist() == [0, 0]  # asked with and without an answer
