from __future__ import annotations

import pytest

from engine.domain import Passage
from engine.errors import ConfigurationError, DependencyUnavailable
from engine.planning.tools.calculator.tool import Calculator
from engine.planning.tools.port import (
    BAD_ARGUMENTS,
    MAX_QUERY_CHARS,
    MAX_RESULT_CHARS,
    KnowledgeBase,
    Offer,
    Tools,
    limited,
    query_in,
    tool_passage,
)
from engine.testing import ListRetriever

PASSAGES = [Passage(f"p{n}", "guide.md", "Guide", "Loops", f"startLoop number {n}") for n in range(12)]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"query": ""},
        {"query": "  \n"},
        {"query": None},
        {"query": 7},
        {"query": ["x"]},
        {"query": "x" * (MAX_QUERY_CHARS + 1)},
        {"query": "x", "more": 1},
        {"text": "x"},
    ],
)
def test_arguments_that_do_not_fit_have_no_query(arguments: dict[str, object]) -> None:
    assert query_in(arguments) == ""


def test_a_query_is_taken_as_it_is() -> None:
    assert query_in({"query": " x "}) == " x "


def test_a_short_text_is_not_cut() -> None:
    assert limited("x" * MAX_RESULT_CHARS) == "x" * MAX_RESULT_CHARS


def test_a_long_text_is_cut_with_a_note_and_never_longer_than_the_limit() -> None:
    cut = limited("x" * 10_000_000)
    assert len(cut) == MAX_RESULT_CHARS
    assert cut.endswith("x\n[cut: 10000000 characters came]")


def test_a_tools_text_is_a_passage_with_an_id_of_its_content() -> None:
    one, same, other = (tool_passage("weather", "d", text) for text in ("sun", "sun", "rain"))
    assert one == same
    assert one.id != other.id
    assert one.id != tool_passage("finance", "d", "sun").id
    assert (one.document, one.title, one.heading, one.text) == ("tool:weather", "weather", "d", "sun")
    assert tool_passage("weather", "d", "\ud800").id


def test_the_set_offers_what_is_in_it() -> None:
    tools = Tools([Calculator(), KnowledgeBase(ListRetriever())])
    assert [offer.name for offer in tools.offers] == ["calculator", "kb"]
    assert isinstance(tools.offers[0], Offer)
    assert "kb" in tools
    assert "weather" not in tools
    assert tools.get("weather") is None
    assert tools.get("kb") is not None


def test_two_tools_of_one_name_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="a name is given twice among calculator, calculator"):
        Tools([Calculator(), Calculator()])


async def test_closing_the_set_closes_every_tool() -> None:
    await Tools([Calculator(), KnowledgeBase(ListRetriever())]).close()


async def test_the_documents_give_their_passages() -> None:
    retriever = ListRetriever(PASSAGES)
    result = await KnowledgeBase(retriever, passages=3).call({"query": "startLoop"})
    assert [passage.id for passage in result.passages] == ["p0", "p1", "p2"]
    assert (result.text, result.error) == ("", "")
    assert retriever.queries == ["startLoop"]


async def test_the_documents_may_have_nothing() -> None:
    result = await KnowledgeBase(ListRetriever()).call({"query": "startLoop"})
    assert (result.passages, result.error) == ((), "nothing was found")


async def test_an_index_that_fails_is_a_result_that_says_so() -> None:
    broken = ListRetriever(error=DependencyUnavailable("index", "canary"))
    result = await KnowledgeBase(broken).call({"query": "x"})
    assert result.error == "the index cannot be searched now"


async def test_passages_are_of_limited_length() -> None:
    long = Passage("p", "d", "t", "h", "word " * 10_000)
    result = await KnowledgeBase(ListRetriever([long])).call({"query": "word"})
    assert len(result.passages[0].text) == MAX_RESULT_CHARS


async def test_bad_arguments_do_not_reach_the_retriever() -> None:
    retriever = ListRetriever(PASSAGES)
    assert await KnowledgeBase(retriever).call({"query": ""}) == BAD_ARGUMENTS
    assert retriever.queries == []
