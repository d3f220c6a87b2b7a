"""Misspelt names of a query, put right by the passages that were found."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from engine.domain import Passage
from engine.retrieval.spelling import Correction, SpeltSearch, corrected
from engine.testing import ListRetriever


def passage(heading: str, text: str) -> Passage:
    return Passage(heading or "p", "manual.md", "Manual", heading, text)


PASSAGES = (
    passage("Baking > bakeBread", "bakeBread heats the oven, and oven_timer rings when the bread is done."),
    passage("Baking > kneading", "Before kneadDough the flour is weighed. Use weighFlour for that."),
)


@pytest.mark.parametrize(
    ("query", "written", "name"),
    [
        ("what does bakBread do?", "bakBread", "bakeBread"),
        ("when does ovn_timer ring", "ovn_timer", "oven_timer"),
        ("¿qué hace kneadDoug?", "kneadDoug", "kneadDough"),
        ("wieghflour", "wieghflour", "weighFlour"),
        ("explain kneeding", "kneeding", "kneading"),
        ("bakeBreads", "bakeBreads", "bakeBread"),
    ],
)
def test_a_misspelt_name_is_put_right(query: str, written: str, name: str) -> None:
    assert corrected(query, PASSAGES) == Correction(query.replace(written, name), ((written, name),), 2, changed=True)


def test_each_name_is_put_right_wherever_it_stands() -> None:
    found = corrected("bakBread or weihFlour, and bakBread again", PASSAGES)
    assert found is not None
    assert found.query == "bakeBread or weighFlour, and bakeBread again"
    assert found.names == (("bakBread", "bakeBread"), ("weihFlour", "weighFlour"))


@pytest.mark.parametrize(
    "query",
    [
        "what does bakeBread do?",
        "BAKEBREAD",
        "is the flour weighed before?",
        "who invented the telephone in Britain",
        "baker",
        "what about kneadings",  # another form of a heading that is a word
        "ovn",
        "cakeBread",
        "",
    ],
)
def test_what_is_no_misspelt_name_stays(query: str) -> None:
    assert corrected(query, PASSAGES) is None


def test_a_word_between_two_names_is_taken_for_neither() -> None:
    near = (passage("", "startRowA and startRowB are commands."),)
    assert corrected("what is startRowC", near) is None


def test_names_of_passages_that_were_found_late_or_stand_far_down_are_not_read() -> None:
    late = [passage("", "nothing here")] * 8 + [passage("", "bakeBread")]
    assert corrected("bakBread", late) is None
    assert corrected("bakBread", [passage("", "x " * 2_000 + "bakeBread")]) is None


def test_one_long_word_takes_no_long_time() -> None:
    assert corrected("bakBread", [passage("", "aB" * 500_000)]) is None
    assert corrected("", []) is None


class SharedWords:
    """Says of passages that they answer by the share of the query's words that the first one has."""

    async def read(self, query: str, passages: Sequence[Passage]) -> float | None:
        if not passages:
            return None
        words = query.casefold().split()
        return sum(word in passages[0].text.casefold() for word in words) / len(words)


class Slips:
    """Takes back the slips that it is told of, and remembers which words the passages had."""

    def __init__(self, **meant: str) -> None:
        self.meant = meant
        self.known: dict[str, bool] = {}

    def __call__(self, text: str, language: str, knows: Callable[[str], bool]) -> str:
        assert language == "en"
        self.known = {word: knows(word) for word in self.meant}
        return " ".join(self.meant.get(word, word) if not knows(word) else word for word in text.split())


BREAD = passage("", "the bread is done when the oven rings")
DOUGH = passage("", "the duogh rests")


async def test_slips_are_taken_back_where_that_answers_better() -> None:
    retriever, slips = ListRetriever([DOUGH, BREAD]), Slips(braed="bread", duogh="dough")
    found, correction = await SpeltSearch(retriever, SharedWords(), slips).search("the braed", k=1, language="en")
    assert retriever.queries == ["the braed", "the bread"]
    assert correction == Correction("the bread", searches=2, changed=True)
    assert list(found) == [BREAD]
    assert slips.known == {"braed": False, "duogh": True}  # what was found writes it so


@pytest.mark.parametrize(
    ("query", "meant", "searched"),
    [
        ("the duogh", {"duogh": "dough"}, 1),  # a word of the passages
        ("the oven", {"braed": "bread"}, 1),
        ("the oven rings", {"rings": "rinks", "oven": "often"}, 1),
        ("braed", {"braed": "xyz"}, 2),  # nothing more is found
    ],
)
async def test_what_answers_no_better_stays_as_it_was_written(query: str, meant: dict[str, str], searched: int) -> None:
    retriever = ListRetriever([DOUGH, BREAD])
    search = SpeltSearch(retriever, SharedWords(), Slips(**meant))
    _, correction = await search.search(query, k=2, language="en")
    assert correction == Correction(query, searches=searched)
    assert len(retriever.queries) == searched


async def test_names_go_before_slips_and_code_stands_for_itself() -> None:
    passages = [passage("Baking > bakeBread", "bakeBread heats the oven")]
    retriever = ListRetriever(passages)
    search = SpeltSearch(retriever, SharedWords(), Slips(bakBread="bad bread"))
    _, correction = await search.search("oven bakBread", k=2, language="en")
    assert correction.query == "oven bakeBread"
    _, beside_code = await search.search("oven bakBread", k=2, language="en", code_shown=True)
    assert beside_code == Correction("oven bakBread")
    _, without = await SpeltSearch(retriever, SharedWords()).search("heats the ovn", k=2, language="en")
    assert without == Correction("heats the ovn")
