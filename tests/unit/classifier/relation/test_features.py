from __future__ import annotations

import numpy as np
import pytest

from classifier.linear.features import COLUMNS
from classifier.relation.features import MEASURES, Told, dense, grams, tokens


def told(text: str, *vector: float) -> Told:
    return Told(text, np.array(vector or (1, 0), np.float32), np.array([0, 2, 0], np.float32))


def measures(message: Told, *earlier: Told) -> list[float]:
    return [float(value) for value in dense(message, earlier)[2 : 2 + MEASURES]]


def test_the_features_are_the_vector_the_measures_and_the_intents() -> None:
    found = dense(told("what is it?", 3, 4), [])
    assert found.shape == (2 + MEASURES + 3,)
    assert found.dtype == np.float32
    assert found[:2].tolist() == [15, 20]
    assert int(found[-3:].argmax()) == 1


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
    asked = told("How do plants make oxygen?")
    covered = measures(told("Which planting needs shade?"), asked)
    assert covered[4:6] == [pytest.approx(1 / 4), 1.0]
    assert measures(told("Which colour is the sky?"), asked)[4:6] == [0.0, 0.0]
    assert measures(told("Which planting?"))[4:6] == [0.0, 0.0]


def test_a_short_message_and_a_question_mark() -> None:
    assert (measures(told("why so?"))[1], measures(told("why so?"))[7]) == (1.0, 1.0)
    assert (measures(told("tell me what that is for"))[1], measures(told("tell me"))[7]) == (0.0, 0.0)
    assert measures(told("多久？"))[7] == 1.0


def test_the_nearest_of_the_earlier_questions_and_the_last_one() -> None:
    message = told("x", 1, 0)
    near, far = told("a", 2, 0), told("b", 0, 3)
    last, nearest, none, count = measures(message, near, far)[8:]
    assert last == pytest.approx(0, abs=1e-4)
    assert nearest == pytest.approx(2, abs=1e-4)
    assert (none, round(count, 3)) == (0.0, 0.4)
    assert measures(message)[8:] == [0.0, 0.0, 1.0, 0.0]
    assert measures(message, *[near] * 9)[11] == 1.0


def test_words_and_pairs_are_hashed_with_the_borders() -> None:
    found = grams("is it?")
    assert found.columns.size == 5 + 4 + 1  # ^ is it ? $, their pairs, the first word
    assert found.columns.max() < COLUMNS
    assert np.linalg.norm(found.values) == pytest.approx(3.0, abs=1e-3)
    assert set(grams("it").columns) & set(found.columns)
    assert set(found.columns) - set(grams("? it is").columns)  # the order counts


def test_an_empty_message_has_features() -> None:
    assert np.isfinite(dense(told(""), [told("")])).all()
