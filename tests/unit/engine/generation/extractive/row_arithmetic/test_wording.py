"""Questions taken apart by the rows of a document."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.rows import Row, rows_of_evidence
from engine.generation.extractive.row_arithmetic.wording import Asked, Token, read, tokens

ENTRY = """| Ticket | Peak | Off-peak |
|---|---|---|
| Adult | £13 | £10 |
| Child (6 to 15) | £8 | £6 |
| Dormitory of 4 | £29 | £22 |
| Dormitory of 8 | £24 | £18 |
| Solo | £1 | £2 |"""
HIRE = "- Wet suit: £3.50\n- Plus pack: £9\n- Libro y test: 12 €\n- Bono de 10 clases: 80 €\n- Clase suelta: 9 €"


def rows() -> list[Row]:
    return rows_of_evidence(
        [
            Evidence(1, Passage("p1", "pool.md", "Pool", "Entry", ENTRY)),
            Evidence(2, Passage("p2", "pool.md", "Pool", "Hire", HIRE)),
        ]
    )


def named(asked: Asked) -> list[list[tuple[str, int]]]:
    return [[(one.row.name, one.count) for one in side] for side in asked.sides]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("how much for two adults and a child?", [[("Adult", 2), ("Child (6 to 15)", 1)]]),
        ("3 children", [[("Child (6 to 15)", 3)]]),
        ("is an adult dearer than a child?", [[("Adult", 1)], [("Child (6 to 15)", 1)]]),
        ("a bed in the dormitory of 8", [[("Dormitory of 8", 1)]]),
        ("two beds in a dormitory", [[]]),  # which of the two is not said
        ("how much is solo?", [[("Solo", 1)]]),
        ("cuánto cuesta el libro, o una clase suelta", [[("Libro y test", 1)], [("Clase suelta", 1)]]),
        ("cuánto es el bono de 10 clases", [[("Bono de 10 clases", 1)]]),
        ("a plus pack and a wet suit", [[("Plus pack", 1), ("Wet suit", 1)]]),
        ("is it open today?", [[]]),
    ],
)
def test_rows_are_named_by_their_words_with_how_many_of_them(question: str, sides: list[list[tuple[str, int]]]) -> None:
    assert named(read(question, rows())) == sides


@pytest.mark.parametrize(
    ("question", "own", "outside"),
    [
        ("two adults and a child at peak", ["", "Peak"], ()),
        ("an adult off peak", ["Off-peak"], ()),
        ("and off-peak?", [], ("Off-peak",)),
        ("an adult peak and a child off-peak", ["Peak", "Off-peak"], ()),
    ],
)
def test_columns_are_named_by_their_whole_names(question: str, own: list[str], outside: tuple[str, ...]) -> None:
    asked = read(question, rows())
    assert [one.column for side in asked.sides for one in side] == own
    assert asked.columns == outside


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("how much for two adults and a child?", ()),
        ("how much are two adult tickets?", ()),
        ("how much to hire a wet suit", ()),
        ("how much is hiring a wet suit?", ()),
        ("how much for an adult and a dog?", ("dog",)),
        ("how much for an adult for 3 hours?", ("3", "hours")),
        ("cuánto cuesta un niño", ("nino",)),
    ],
)
def test_what_nothing_accounts_for_is_left(question: str, left: tuple[str, ...]) -> None:
    assert read(question, rows()).left == left


@pytest.mark.parametrize(
    ("question", "comparing"),
    [
        ("which is cheaper, an adult or a child?", "cheaper"),
        ("qué es más barato, el libro o la clase?", "más barato"),
        ("¿y cuál dura más?", "dura más"),
        ("is an adult more expensive than a child", "more expensive"),
        ("how much more is an adult than a child", "more"),
        ("how much do I save?", "save"),
        ("how much are both together?", ""),
        ("and over the summer?", "summer"),  # compares nothing, as it names no two rows
    ],
)
def test_words_that_compare(question: str, comparing: str) -> None:
    assert read(question, rows()).comparing == comparing


def test_several_without_a_number_do_not_say_how_many() -> None:
    for question, exact in (("adults", False), ("two adults", True), ("the adults", True), ("adult", True)):
        assert [one.exact for one in read(question, rows()).sides[0]] == [exact]
    assert read("how much is a rope each?", rows()).each


@pytest.mark.parametrize(
    ("one", "other", "like"),
    [
        ("adults", "adult", True),
        ("children", "child", True),
        ("prácticas", "práctica", True),
        ("monthly", "month", True),
        ("two", "2", True),
        ("4", "8", False),
        ("car", "card", False),
        ("A2", "A1", False),
        ("basic", "basque", False),
    ],
)
def test_forms_of_one_word(one: str, other: str, *, like: bool) -> None:
    (first,), (second,) = tokens(one), tokens(other)
    assert first.like(second) is like
    assert second.like(first) is like
    assert first.within([Token("pool"), second]) is like
