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

    async def that_answer(
        self, query: str, passages: Sequence[Passage], carried: Collection[str] = (), message: str = ""
    ) -> tuple[float | None, Sequence[Passage]]:
        self.asked.append((query, frozenset(carried), message))
        return self.of[query], passages


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


FERRY = [Passage(f"f{n}", "ferry.md", "Ferry", f"Cabins {n}", "A cabin has a shower.") for n in range(2)]
HOTEL = [Passage(f"h{n}", "hotel.md", "Hotel", f"Rooms {n}", "A room has a shower, a bath.") for n in range(6)]


@dataclass
class ByDocument:
    """Reads passages by whether they are of one document."""

    within: float
    everywhere: float

    async def that_answer(
        self, query: str, passages: Sequence[Passage], carried: Collection[str] = (), message: str = ""
    ) -> tuple[float | None, Sequence[Passage]]:
        del query, carried, message
        return self.within if {one.document for one in passages} == {"ferry.md"} else self.everywhere, passages


@pytest.mark.parametrize(
    ("within", "everywhere", "own"),
    [(0.9, 0.9, True), (0.8, 0.9, True), (0.6, 0.9, False), (0.1, 0.1, True), (0.04, 0.03, False)],
)
async def test_the_document_that_a_message_goes_on_from_is_taken_where_it_answers_nearly_as_well(
    within: float, everywhere: float, own: bool
) -> None:
    reader: Any = ByDocument(within, everywhere)
    searches = MessageSearch(ListRetriever([*HOTEL, *FERRY]), reader)
    found = await searches.search("a bath", ("a bath",), k=4, language="en", document="ferry.md")
    assert {one.document for one in found.passages} == ({"ferry.md"} if own else {"hotel.md"})
    assert len(found.passages) == (2 if own else 4)


async def test_it_is_likelier_to_answer_than_what_is_read_says() -> None:
    reader: Any = ByDocument(0.1, 0.02)
    searches = MessageSearch(ListRetriever([*FERRY, *FERRY]), reader)
    found = await searches.search("a bath", ("a bath",), k=4, language="en", document="ferry.md")
    assert found.answerability == pytest.approx(0.269, abs=0.001)
    elsewhere = await searches.search("a bath", ("a bath",), k=4, language="en")
    assert elsewhere.answerability == 0.1


async def test_a_document_that_has_nothing_is_not_looked_at() -> None:
    reader: Any = ByDocument(0.9, 0.2)
    searches = MessageSearch(ListRetriever(HOTEL), reader)
    found = await searches.search("a bath", ("a bath",), k=4, language="en", document="ferry.md")
    assert (found.answerability, len(found.passages)) == (0.2, 4)


@pytest.mark.parametrize(
    ("carried", "bare", "taken"),
    [
        (0.5, 0.9, "what licence"),
        (0.5, 0.59, "what licence ferry"),  # not sure enough
        (0.95, 0.9, "what licence ferry"),  # the words carried into it answer as well
        (0.7, 0.7, "what licence"),
    ],
)
async def test_a_message_that_may_stand_is_asked_alone_too(carried: float, bare: float, taken: str) -> None:
    searched, _ = search(Answered({"what licence ferry": carried, "what licence": bare}))
    found = await searched.search(
        "what licence", ("what licence ferry", "what licence"), k=3, language="en", alone=True
    )
    assert found.correction.query == taken


async def test_nothing_is_asked_alone_unless_it_may_stand() -> None:
    searched, retriever = search(Answered({"what licence ferry": 0.5, "what licence": 0.9}))
    found = await searched.search("what licence", ("what licence ferry", "what licence"), k=3, language="en")
    assert found.correction.query == "what licence ferry"
    assert len(retriever.queries) == 1
