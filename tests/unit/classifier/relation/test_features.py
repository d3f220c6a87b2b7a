from __future__ import annotations

import numpy as np
import pytest

from classifier.linear.features import COLUMNS
from classifier.relation.features import MEASURES, Told, dense, grams, tokens

MEAN = np.array([0, 1], np.float32)


def told(text: str, *earlier: str, vector: tuple[float, float] = (1, 0)) -> Told:
    relations, intents = np.array([0, 0, 0, 3, 0], np.float32), np.array([0, 2, 0], np.float32)
    return Told(text, earlier, np.array(vector, np.float32), relations, intents)


def measures(message: Told) -> list[float]:
    return [float(value) for value in dense(message, MEAN)[7 : 7 + MEASURES]]


def test_the_features_are_the_vector_the_relations_the_measures_and_the_intents() -> None:
    found = dense(told("what is it?", vector=(3, 4)), MEAN)
    assert found.shape == (2 + 5 + MEASURES + 3,)
    assert found.dtype == np.float32
    assert found[:2].tolist() == [15, 15]
    assert int(found[2:7].argmax()) == 3
    assert int(found[-3:].argmax()) == 1


def test_a_relation_that_is_as_good_as_out_of_the_question_weighs_no_more_than_an_unlikely_one() -> None:
    far, farther = (Told("x", (), MEAN, np.array([0, low], np.float32), np.zeros(2, np.float32)) for low in (-20, -40))
    assert dense(far, MEAN) == pytest.approx(dense(farther, MEAN), abs=1e-3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Don't THEY, ¿qué?", ["don't", "they", ",", "¿", "que", "?"]),
        ("it’s", ["it's"]),
        ("多久能好？", ["多", "久", "能", "好", "?"]),
        ("用 Python 写", ["用", "python", "写"]),
        ("", []),
    ],
)
def test_words_signs_and_chinese_characters(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_words_that_the_last_question_said_are_counted_by_their_stems() -> None:
    asked = "How do plants make oxygen?"
    covered = measures(told("Which planting needs shade?", asked))
    assert covered[4:6] == [pytest.approx(1 / 4), 1.0]
    assert measures(told("Which colour is the sky?", asked))[4:6] == [0.0, 0.0]
    assert measures(told("Which planting?"))[4:6] == [0.0, 0.0]


def test_a_short_message_and_a_question_mark() -> None:
    assert (measures(told("why so?"))[1], measures(told("why so?"))[7]) == (1.0, 1.0)
    assert (measures(told("tell me what that is for"))[1], measures(told("tell me"))[7]) == (0.0, 0.0)
    assert measures(told("多久？"))[7] == 1.0


def test_how_many_questions_there_were() -> None:
    assert [measures(told("x", *["y"] * count))[8] for count in (0, 2, 5, 9)] == pytest.approx([0.0, 0.4, 1.0, 1.0])
    assert [measures(told("x", *["y"] * count))[6] for count in (0, 2)] == [1.0, 0.0]


def test_words_and_pairs_are_hashed_with_the_borders() -> None:
    found = grams("is it?")
    assert found.columns.size == 5 + 4 + 1  # ^ is it ? $, their pairs, the first word
    assert found.columns.max() < COLUMNS
    assert np.linalg.norm(found.values) == pytest.approx(3.0, abs=1e-3)
    assert set(grams("it").columns) & set(found.columns)
    assert set(found.columns) - set(grams("? it is").columns)  # the order counts


def test_an_empty_message_has_features() -> None:
    assert np.isfinite(dense(told("", ""), MEAN)).all()
