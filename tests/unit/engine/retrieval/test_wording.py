"""Which words of a question passages have, by form and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.domain import Passage
from engine.retrieval.analysis import QUERY_WORDS
from engine.retrieval.wording import shares_had, words_had
from engine.testing import HashedWordsEmbedder

#: Words by what they mean.
MEANINGS = {"boat": 0, "ship": 0, "barco": 0, "harbour": 1, "port": 1, "cheese": 2}


class Words(HashedWordsEmbedder):
    """Knows some words and what they mean; each other one means something else."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def word_vectors(self, words: Sequence[str]) -> NDArray[np.float32]:
        self.asked = list(words)
        found = np.zeros((len(words), 3 + len(words)), dtype=np.float32)
        for row, word in enumerate(words):
            found[row, MEANINGS.get(word, 3 + row)] = 1.0
        return found


def passage(text: str, title: str = "", heading: str = "") -> Passage:
    return Passage(text, "d.md", title, heading, text)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("A ship lies in the port.", 1.0),
        ("El barco llega.", 0.5),
        ("A boat.", 0.5),
        ("It is cheese.", 0.0),
        ("", 0.0),
    ],
)
def test_a_word_of_like_meaning_is_had(text: str, share: float) -> None:
    found = shares_had("Where is the boat in the harbour?", (passage(text), passage("a ship and a ship")), Words())
    assert found is not None
    assert found.tolist() == pytest.approx([share, 0.5])


def test_title_and_heading_are_read_too() -> None:
    found = shares_had("boat harbour", (passage("cheese", "Ships", "The port"), passage("cheese", "ship")), Words())
    assert found is not None
    assert found.tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    ("question", "passages", "embedder"),
    [
        ("what is it?", (passage("a ship"),), Words()),
        ("boat", (), Words()),
        ("boat", (passage("..."),), Words()),
        ("boat", (passage("a ship"),), HashedWordsEmbedder()),
    ],
    ids=["no words asked", "no passages", "no words said", "no meanings known"],
)
def test_nothing_is_known_without_words(question: str, passages: tuple[Passage, ...], embedder: Any) -> None:
    assert shares_had(question, passages, embedder) is None


def test_of_a_pasted_text_the_first_words_are_looked_for() -> None:
    embedder = Words()
    shares_had(" ".join(f"thing{at}" for at in range(10_000)), (passage("cheese"),), embedder)
    assert len(embedder.asked) == QUERY_WORDS + 1


def test_forms_of_a_word_are_had_wholly_and_meanings_besides() -> None:
    asked = {"boat": "boats", "harbour": "harbour", "milk": "milk"}
    literally, had = words_had(asked, (passage("Boats sail to the port."), passage("A port.")), Words())
    assert literally.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    assert had.tolist() == [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]


def test_without_meanings_only_forms_are_had() -> None:
    for embedder in (None, HashedWordsEmbedder()):
        literally, had = words_had({"boat": "boat"}, (passage("Boats."), passage("A ship.")), embedder)
        assert literally.tolist() == had.tolist() == [[1.0], [0.0]]
