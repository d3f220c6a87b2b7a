"""The row that a code is of, and the share and the sum of two values that a question says by their names."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.questions import Operations, Question
from engine.generation.extractive.account_figures.candidates.fact import Fact, Table
from engine.generation.extractive.account_figures.candidates.facts import facts_of, names_of
from engine.generation.extractive.account_figures.candidates.named import of_two_named, row_of_cell
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.ranking.matching import Matcher
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

TODAY = date(2026, 11, 27)
READERS = "| Reader | Card | Books |\n|---|---|---|\n| Ada | R2-17 | 4 |\n| Bea | R2-18 | 9 |\n| Ciro | R3-01 | 2 |"
BERTHS = "| Boat | Berth |\n|---|---|\n| Gull | P-4 |\n| Tern | P-4 |\n| Skua | P-7 |"
RADIO = '{"income_eur": 5000, "gifts_eur": 1200, "listeners": 340, "talk_percent": 40}'
CHOIR = "Ingresos: 4.000 €\nVestuario: 600 €\nViajes: 1.000 €\nCantantes: 32\nSala: 200 €\n"


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


def read(query: str, context: str) -> tuple[Question, Matcher, list[Fact], list[Table]]:
    operations = Operations(encoder())
    question = operations.read(query, TODAY)
    facts, tables = facts_of(read_figures(context))
    matcher = Matcher(query, question.language, operations.heads, encoder())
    matcher.learn(names_of(facts, tables))
    return question, matcher, list(facts), list(tables)


def row_named(query: str, context: str) -> str | None:
    question, matcher, _, tables = read(query, context)
    found = row_of_cell(question, matcher, tables[0])
    return None if found is None else found.rows[0].name


@pytest.mark.parametrize(
    ("query", "row"),
    [
        ("Who has the card R2-18?", "Bea"),
        ("¿Quién tiene la tarjeta R3-01?", "Ciro"),
        ("Which reader has the card r2 17?", "Ada"),
        ("Who has the card R9-99?", None),
        ("Who has a card?", None),
        ("How many books does R2-18 have?", None),
        ("Which books has the card R2-18?", None),  # a column that it names
        ("Who is the reader Bea with R2-18?", None),  # its row is named
        ("Who had the card R2-18 on 3 March?", None),
        ("Who has R2-17 and R3-01?", None),
    ],
)
def test_the_row_of_a_code_is_what_a_question_asks_for(query: str, row: str | None) -> None:
    assert row_named(query, READERS) == row


def test_a_code_of_two_rows_is_of_neither() -> None:
    assert row_named("Which boat is in berth P-7?", BERTHS) == "Skua"
    assert row_named("Which boat is in berth P-4?", BERTHS) is None


def pairs(query: str, context: str, **chances: float) -> dict[tuple[str, str, str], Amount]:
    """The ways to answer of two values, by the operation and the names of these."""
    question, matcher, facts, _ = read(query, context)
    found = of_two_named(replace(question, chances=chances), matcher, facts)
    return {
        (one.operation, one.facts[0].label, one.facts[1].label): one.value
        for one in found
        if isinstance(one.value, Amount)
    }


def test_a_share_is_of_the_larger_one_and_a_sum_of_both() -> None:
    shares = pairs("What share of income is gifts?", RADIO, percent=0.8)
    assert {key: value.value for key, value in shares.items()} == {("share", "gifts", "income"): 24}
    sums = pairs("gifts and income together", RADIO, sum=0.8)
    assert {operation for operation, _, _ in sums} == {"together"}
    assert {(value.value, value.unit) for value in sums.values()} == {(Fraction(6200), "EUR")}


@pytest.mark.parametrize(
    ("query", "chances"),
    [
        ("What share of income is gifts?", {"percent": 0.29, "sum": 0.29}),
        ("What share of income is gifts?", {"value": 1.0}),
        ("What share of income is it?", {"percent": 0.9}),
        ("What share of income is listeners?", {"percent": 0.9, "sum": 0.9}),
        ("income and talk together", {"sum": 0.9}),
        ("What share is it?", {"percent": 0.9}),
    ],
)
def test_one_value_or_two_units_or_no_share_that_is_asked_for_is_no_pair(query: str, chances: dict[str, float]) -> None:
    assert pairs(query, RADIO, **chances) == {}


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (READERS, "¿Quién tiene la tarjeta R3-01?", "Reader: Ciro."),
        (READERS, "Which card has Ada?", "Card, Ada: R2-17."),
        (BERTHS, "Which boat is in berth P-4?", "Berth: Gull: P-4; Tern: P-4."),
        (BERTHS, "¿Qué barco está en el amarre P-7?", "Boat: Skua."),
        (RADIO, "What share of income is gifts?", "Gifts: 24% (1200 EUR of 5000 EUR (income))."),
        (CHOIR, "¿Qué porcentaje de los ingresos son los viajes?", "Viajes: 25 % (1000 € de 4000 € (ingresos))."),
        (CHOIR, "¿Qué porcentaje de viajes es sala?", "Sala: 20 % (200 € de 1000 € (viajes))."),
        (CHOIR, "¿Cuánto suman la sala y los viajes?", "1200 € en conjunto: 200 € (sala) + 1000 € (viajes)."),
    ],
)
def test_what_is_named_is_answered(figures: AccountFigures, context: str, query: str, answer: str) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (answer, True)


@pytest.mark.parametrize(
    ("context", "query"),
    [
        (READERS, "Who has the card R9-99?"),
        (RADIO, "What percentage of income are sponsors?"),
        (CHOIR, "¿Qué porcentaje de los ingresos son los cantantes?"),
    ],
)
def test_what_is_not_there_has_no_answer(figures: AccountFigures, context: str, query: str) -> None:
    found = figures.answered(query, context)
    assert not found.sure
    assert "%" not in found.text
