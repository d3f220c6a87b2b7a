from __future__ import annotations

import pytest

from engine.text.questions.comparisons import compared, figures, measure
from tests.account_cases import encoder


@pytest.mark.parametrize(
    ("question", "sides", "by"),
    [
        ("difference between the Wren and the Kestrel", ("Wren", "Kestrel"), ""),
        ("gravel vs slate", ("gravel", "slate"), ""),
        ("how does gravel compare with slate?", ("gravel", "slate"), ""),
        ("¿En qué se diferencian el compost y el mantillo?", ("compost", "mantillo"), ""),
        ("which barn is warmer, north or south?", ("north", "south"), "warmer"),
        ("which is warmer the north barn or the south barn", ("north barn", "south barn"), "warmer"),
        ("is the canal or the river deeper?", ("canal", "river"), "deeper"),
        ("does the Mule or the Ox have the bigger wheel?", ("Mule", "Ox have the"), "bigger"),
        ("is a canoe slower than a kayak?", ("canoe", "kayak"), "slower"),
        ("who is older Berta or Lewis?", ("Berta", "Lewis"), "older"),
        ("¿Es más lento el tranvía que el metro?", ("tranvía", "metro"), "más lento"),
        ("¿Qué pesa más, la arena o la grava?", ("arena", "grava"), "más"),
        ("¿qué diferencia de precio hay entre la pequeña y la grande?", ("pequeña", "grande"), ""),
        ("which is cheaper, the small or the big one?", ("small", "big one"), "cheaper"),
        ("difference between ReadTable and ReadRow", ("ReadTable", "ReadRow"), ""),  # alike in their beginnings
        ("que diferencia hay entre read_first y read_last", ("read_first", "read_last"), ""),
    ],
)
def test_the_sides_of_a_comparison(question: str, sides: tuple[str, ...], by: str) -> None:
    found = compared(question)
    assert found is not None
    assert (found.sides, found.by) == (sides, by)


@pytest.mark.parametrize(
    "question",
    [
        "which walks are longer than an hour",
        "which walks are longer than the canal walk",
        "can I book a canoe or a kayak for more than 3 hours",
        "tea or coffee?",
        f"compare {' and '.join(f't{n}ent' for n in range(40))}",
        "compare tents and huts" + " like this" * 50,
        "does the fee cover water or paper",
        "compare them",
        "",
    ],
)
def test_what_compares_no_two(question: str) -> None:
    assert compared(question) is None


def test_a_side_is_told_of_by_the_words_that_are_its_own() -> None:
    asked = compared("compare full and guest members")
    assert asked is not None
    texts = ["Full members vote.", "Guest members do not.", "Members get a key.", "The key is brass."]
    assert asked.told(texts) == [(True, False), (False, True), (False, False), (False, False)]


@pytest.mark.parametrize(
    ("comparative", "what"),
    [
        ("faster", "time"),
        ("cheaper", "money"),
        ("más caro", "money"),
        ("heavier", "mass"),
        ("older", "age"),
        ("nicer", ""),
    ],
)
def test_what_is_compared_by(comparative: str, what: str) -> None:
    assert measure(comparative, encoder().embed) == what


def test_the_figures_of_a_text() -> None:
    assert figures("It takes 40 minutes and costs £3.") == {"time", "money"}
    assert figures("The mill of 1874 has 4 stones") == {"age"}
    assert figures("3 horses, 2 meals and a mill") == set()
