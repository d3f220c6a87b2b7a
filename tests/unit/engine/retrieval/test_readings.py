"""A message that may be meant in several ways."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from engine.domain import Passage
from engine.retrieval.readings import SURE, MessageSearch
from engine.testing import ListRetriever


@dataclass
class Answered:
    """Reads answerabilities from a table, and keeps what it was asked."""

    of: dict[str, float | None]
    asked: list[tuple[str, frozenset[str], str]] = field(default_factory=list)

    async def read(
        self, query: str, passages: Sequence[Passage], carried: Collection[str] = (), message: str = ""
    ) -> float | None:
        self.asked.append((query, frozenset(carried), message))
        return self.of[query]


def search(reader: Answered) -> tuple[MessageSearch, ListRetriever]:
    retriever = ListRetriever([Passage("p", "ferry.md", "Ferry", "Cabins", "A cabin has a shower.")])
    of: Any = reader
    return MessageSearch(retriever, of), retriever


READINGS = ("and showers price", "and showers cabin", "and showers")


@pytest.mark.parametrize(
    ("answered", "taken", "asked"),
    [
        ((0.2, 0.9, 0.9), 0, 1),  # what is answered is not asked otherwise
        ((None, 0.9, 0.9), 0, 1),
        ((0.1, 0.5, 0.8), 2, 3),
        ((0.1, 0.8, 0.5), 1, 3),
        ((0.1, SURE - 0.01, 0.0), 0, 3),
        ((0.1, SURE, 0.0), 1, 3),
    ],
)
async def test_another_reading_is_taken_where_it_alone_is_answered(
    answered: tuple[float | None, ...], taken: int, asked: int
) -> None:
    reader = Answered(dict(zip(READINGS, answered, strict=True)))
    searches, retriever = search(reader)
    found = await searches.search("and showers", READINGS, k=3, language="en")
    assert found.correction.query == READINGS[taken]
    assert found.answerability == answered[taken]
    assert found.correction.searches == 1
    assert retriever.queries == list(READINGS[:asked])


async def test_the_message_is_told_from_what_it_carries() -> None:
    reader = Answered(dict.fromkeys(READINGS, 0.0))
    searches, _ = search(reader)
    await searches.search("and showers", READINGS, k=3, language="en")
    assert reader.asked == [
        ("and showers price", frozenset({"pric"}), "and showers"),
        ("and showers cabin", frozenset({"cabin"}), "and showers"),
        ("and showers", frozenset(), ""),
    ]
