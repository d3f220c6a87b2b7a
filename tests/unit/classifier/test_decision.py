import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.decision import (
    INTENT_QUERY_CHARS,
    Decision,
    IntentEntry,
    Layer,
    Opinion,
    Query,
    QueryType,
    words_alike,
)
from engine.testing import HashedWordsEmbedder


@pytest.mark.parametrize(
    ("kind", "searches"),
    [
        (QueryType.RETRIEVAL, True),
        (QueryType.CODE_GENERATION, True),
        (QueryType.CONVERSATIONAL, False),
        (QueryType.PLATFORM, False),
    ],
)
def test_only_two_types_search(kind: QueryType, searches: bool) -> None:
    assert kind.searches is searches


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (IntentEntry(QueryType.RETRIEVAL, "What is addVar in AVAP?"), '[RETRIEVAL] "What is addVar in AVAP?"'),
        (IntentEntry(QueryType.PLATFORM, "two\nlines  and spaces"), '[PLATFORM] "two lines and spaces"'),
        (IntentEntry(QueryType.CONVERSATIONAL, ""), '[CONVERSATIONAL] ""'),
    ],
)
def test_an_intent_line_shows_type_and_query(entry: IntentEntry, line: str) -> None:
    assert entry.line() == line


def test_an_intent_line_is_cut() -> None:
    entry = IntentEntry(QueryType.CODE_GENERATION, "x" * 500)
    assert entry.line() == f'[CODE_GENERATION] "{"x" * INTENT_QUERY_CHARS}"'


def test_an_opinion_abstains_by_having_no_type() -> None:
    opinion = Opinion(Layer.PREFIX, None, 0.0, "no_prefix")
    assert (opinion.type, opinion.best, opinion.artifact_id) == (None, None, "")


@pytest.mark.parametrize(
    "value",
    [Query("a"), Opinion(Layer.LLM, None, 0.0, "x"), Decision(QueryType.RETRIEVAL, Layer.DEFAULT, 0.0, "x")],
)
def test_values_are_frozen(value: Query | Opinion | Decision) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, dataclasses.fields(value)[0].name, None)


class KnowingWords:
    """Every word is at .65 to every other, and at 1 to itself."""

    id, dimensions = "words", 8

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.ones((len(texts), 8), dtype=np.float32)

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.eye(8, dtype=np.float32)[[ord(word[0]) % 7 for word in words]] * np.float32(0.35**0.5)
        vectors[:, 7] = 0.65**0.5
        return vectors


def test_words_are_alike_from_where_they_have_something_to_do_with_each_other() -> None:
    alike = words_alike(KnowingWords(), ["a", "b"], ["a", "c", "d"])
    assert alike is not None
    assert alike.shape == (2, 3)
    assert alike[0, 0] == pytest.approx(1)
    assert alike[1] == pytest.approx([0.5, 0.5, 0.5])


def test_words_are_alike_to_nobody_who_knows_none() -> None:
    assert words_alike(HashedWordsEmbedder(), ["a"], ["b"]) is None
    assert words_alike(KnowingWords(), [], ["b"]) is None
    assert words_alike(KnowingWords(), ["a"], []) is None
