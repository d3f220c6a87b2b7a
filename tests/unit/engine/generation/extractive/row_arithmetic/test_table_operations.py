"""What is asked to be done with rows, with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.row_arithmetic.table_operations import (
    asks_for_the_most,
    counted,
    is_most,
    listed,
    operation_of,
    rows_asked,
    superlative,
)
from engine.text.language import language_of
from tests.account_cases import encoder


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("which kayak is the longest", "highest"),
        ("the cheapest tent you have", "lowest"),
        ("cuál es el saco más ligero", "lowest"),
        ("how many bunks are free on Mondays", "count"),
        ("número de literas en el segundo piso", "count"),
        ("average height of the towers", "average"),
        ("how much longer is the blue line than the red one", "compare"),
        ("cuánto suman el remo y el chaleco", "sum"),
        ("qué valen el remo y el chaleco juntos", "sum"),
        ("what do the paddle and the vest come to together", "sum"),
        ("remo más chaleco, qué diferencia hay entre ellos", "compare"),
        ("which is shorter, the red sled or the blue one", "list"),
        ("sacos más caros de 40 euros", "list"),
        ("which lamps cost less than 8 euros", "list"),
        ("lamps from Italy", "list"),
        ("sacos que pesen menos de 2 kg", "list"),
    ],
)
def test_the_operation_is_read(question: str, asked: str) -> None:
    assert operation_of(question, language_of(question), Operations(encoder())) == asked


@pytest.mark.parametrize("question", ["why is the harbour closed?", "how do I fold the tent?", "hello"])
def test_what_is_of_no_rows_is_none(question: str) -> None:
    assert operation_of(question, language_of(question), Operations(encoder())) == ""


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which is the heaviest sled", "heaviest"),
        ("most expensive sled per day", "most expensive"),
        ("el trineo más pesado", "más pesado"),
        ("qué línea pasa más a menudo", "más a"),
        ("which is open the rest of the week", ""),
        ("trineos con menos de 4 plazas", ""),
        ("hay trineos más largos", ""),
        ("qué trineos son más largos de 120 cm", ""),
        ("which sleds are more expensive than 9 euros", ""),
        ("which sled is the longest of the 12", "longest"),
    ],
)
def test_superlative_words_are_told_from_comparisons(question: str, told: str) -> None:
    assert superlative(question) == told


@pytest.mark.parametrize(
    ("told", "timed", "asked"),
    [
        ("heaviest", False, True),
        ("más barata", False, False),
        ("fastest", True, False),
        ("slowest", True, True),
        ("más a menudo", True, False),
        ("menos rápido", True, True),
    ],
)
def test_what_is_fastest_takes_the_least_time(told: str, timed: bool, asked: bool) -> None:
    assert is_most(told, timed=timed, operations=Operations(encoder())) is asked


def test_the_oldest_is_of_the_first_year() -> None:
    read = {
        years: asks_for_the_most(
            "which is the oldest mill", "highest", Operations(encoder()), encoder(), timed=False, years=years
        )
        for years in (True, False)
    }

    assert read == {True: False, False: True}


def test_what_is_counted_stands_behind_how_many() -> None:
    found = [counted(one) for one in ("how many mills are there", "cuántas de las torres son altas", "which mills")]

    assert [one and one.text for one in found] == ["mills", "torres", None]


@pytest.mark.parametrize(
    ("question", "of"),
    [
        ("which kayaks are there?", "kayaks"),
        ("what are the limits of the harbour", "limits"),
        ("list all the berths", "berths"),
        ("dame todas las boyas", "boyas"),
        ("¿qué tipos hay?", "tipos"),
        ("what can a kayak do", "can"),
        ("how many berths are there", ""),
        ("berths", ""),
    ],
)
def test_the_word_behind_which(question: str, of: str) -> None:
    found = listed(question)
    assert (found.text if found else "") == of


@pytest.mark.parametrize(
    ("question", "of"),
    [
        ("how many berths are there in all?", "berths"),
        ("list all the berths", "berths"),
        ("¿cuántas boyas hay?", "boyas"),
        ("what types are there?", ""),  # says nothing that could be searched for
        ("why are there so many berths?", ""),
        ("how long is the pier?", ""),
        (f"list all the berths {'and more ' * 60}", ""),
    ],
)
def test_what_is_to_be_listed_or_counted(question: str, of: str) -> None:
    assert rows_asked(question) == of
