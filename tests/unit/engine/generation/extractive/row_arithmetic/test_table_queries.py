"""Questions over tables as queries: which rows, by which column, and what is left to quoting; with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.generation.extractive.row_arithmetic.rows import Row, rows_of_evidence
from engine.generation.extractive.row_arithmetic.table_conditions import (
    Words,
    columns_named,
    flagged,
    flags_of,
    in_month,
    is_of,
    kind_of_column,
    values_of,
)
from engine.generation.extractive.row_arithmetic.table_query import TableReader
from engine.generation.extractive.row_arithmetic.wording import tokens
from engine.text.language import Language, language_of
from tests.account_cases import encoder

LOANS = """| Item | Kind | Weight (kg) | Per day (£) | Deposit (£) | Charger | First lent | Opens |
|---|---|---|---|---|---|---|---|
| Sled Arrow | winter | 4.5 | 6.00 | 20 | no | 2024-01-12 | 07:30 |
| Canoe Otter | water | 24 | 18.50 | 80 | no | 2023-05-02 | 09:00 |
| Drill Bolt | workshop | 3.2 | 5.00 | 35 | yes | 2024-03-19 | 08:15 |
| Tent Lark | camping | 6.8 | 9.25 | 40 | no | 2022-06-30 | 09:00 |
| Projector Ray | indoor | 2.9 | 12.00 | 60 | yes | 2024-03-02 | 10:45 |
| Raft Heron | water | 31 | 22.00 | 100 | no | 2021-07-15 | 09:00 |"""
BOTES = """| Bote | Puerto | Eslora (m) | Literas | Cuota (€/día) | Motor | Salidas |
|---|---|---|---|---|---|---|
| Alba | Norte | 7,5 | 4 | 90 | sí | 3 |
| Brisa | Sur | 6 | 2 | 65 | no | 0 |
| Coral | Norte | 9,2 | 6 | 140 | sí | 5 |
| Delta | Isla | 5,4 | 2 | 48 | no | ninguna |"""


def evidence(*tables: tuple[str, str]) -> list[Evidence]:
    return [
        Evidence(number, Passage(str(number), "loans.md", "Lending shed", heading, text))
        for number, (heading, text) in enumerate(tables, start=1)
    ]


SHED, HARBOUR = evidence(("Things to borrow", LOANS)), evidence(("Botes de alquiler", BOTES))


def told(question: str, of: list[Evidence]) -> str:
    return RowArithmetic(encoder()).answer(question, of, language_of(question))


def names(answer: str) -> list[str]:
    lines = [line for line in answer.splitlines() if line.startswith("- ")]
    return [line.removeprefix("- ").partition(" — ")[0].partition(" [")[0] for line in lines]


def rows(of: list[Evidence]) -> list[Row]:
    return rows_of_evidence(of)


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("items under 10 pounds per day", ["Sled Arrow", "Drill Bolt", "Tent Lark"]),
        ("which water items can I borrow", ["Canoe Otter", "Raft Heron"]),
        ("which items have a charger", ["Drill Bolt", "Projector Ray"]),
        ("which items don't have a charger", ["Sled Arrow", "Canoe Otter", "Tent Lark", "Raft Heron"]),
        ("items heavier than 20 kg", ["Canoe Otter", "Raft Heron"]),
        ("items lent in march", ["Drill Bolt", "Projector Ray"]),
        ("which items open before 08:30", ["Sled Arrow", "Drill Bolt"]),
    ],
)
def test_rows_that_conditions_hold_for_are_listed(question: str, held: list[str]) -> None:
    assert names(told(question, SHED)) == held


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("botes con motor", ["Alba", "Coral"]),
        ("qué botes no tienen motor", ["Brisa", "Delta"]),
        ("qué botes tienen más de 3 literas", ["Alba", "Coral"]),
        ("which boats in Norte", ["Alba", "Coral"]),
        ("qué botes no tienen salidas", ["Brisa", "Delta"]),
    ],
)
def test_words_of_the_other_language_and_what_is_denied_are_read(question: str, held: list[str]) -> None:
    assert names(told(question, HARBOUR)) == held


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("what's the heaviest item", "The most is Raft Heron — Weight (kg): 31."),
        ("cheapest item per day", "The least is Drill Bolt — Per day (£): 5.00."),
        ("how many items are for water", "2 in all:"),
        ("average deposit of the water items", "On average 90 £"),
    ],
)
def test_the_most_numbers_and_means_are_told(question: str, begins: str) -> None:
    assert told(question, SHED).startswith(begins)


@pytest.mark.parametrize(
    "question",
    [
        "which courier brings the canoe",
        "how much is the caravan per day",
        "items for toddlers under 10 pounds",
        "what is a canoe",
        "which of them is red",
    ],
)
def test_what_the_table_does_not_have_is_left_to_quoting(question: str) -> None:
    assert not names(told(question, SHED))


def test_two_tables_that_say_as_much_are_left_to_quoting() -> None:
    two = [*SHED, Evidence(2, Passage("2", "other.md", "Lending shed", "Things to borrow", LOANS))]

    assert told("what's the heaviest item", two) == ""


def test_a_reading_says_what_it_has_and_what_it_lacks() -> None:
    read = TableReader(encoder()).read("cheapest item that you lend", "lowest", rows(SHED), Language.ENGLISH)

    assert read is not None
    assert (read.operation, read.own, read.conditions, read.named) == ("lowest", True, (), ())
    assert read.left <= 1


def test_days_times_and_figures_of_a_column_are_numbers() -> None:
    every = rows(SHED)

    assert len(values_of("Opens", every)) == len(values_of("First lent", every)) == len(every)
    assert values_of("Opens", every)[0] == 7 * 60 + 30
    assert values_of("Kind", every) == {}
    assert (kind_of_column("Per day (£)", every), kind_of_column("Opens", every)) == ("money", "clock")
    assert is_of("Weight (kg)", "mass", every)
    assert not is_of("Weight (kg)", "money", every)


def test_columns_are_named_by_their_words_or_by_one_that_no_other_has() -> None:
    columns = rows(SHED)[0].columns

    assert list(columns_named(Words(tokens("the deposit of the tent")), columns)) == ["Deposit (£)"]
    assert list(columns_named(Words(tokens("what is it per day")), columns)) == ["Per day (£)"]
    assert columns_named(Words(tokens("what colour is it")), columns) == {}


def test_flags_say_yes_or_no_and_may_be_denied() -> None:
    every = rows(SHED)
    words = Words(tokens("without a charger"))
    (condition,) = flagged(columns_named(words, every[0].columns), words, every, flags_of(every))

    assert flags_of(every) == {"Charger": frozenset({2, 4})}
    assert condition.rows == {0, 1, 3, 5}


def test_a_month_is_of_the_column_that_has_days() -> None:
    words = Words(tokens("lent in june"))
    (condition,) = in_month(words, (), rows(SHED))

    assert (condition.columns, condition.rows) == (("First lent",), frozenset({3}))
    assert [one.text for _, one in words.left()] == ["lent"]


TALKS = """| Talk | Day | Tickets | Extra night (€) | Speaker |
|---|---|---|---|---|
| Tides | 7 April 2026 | 40 | 12.50 | Nora Quist |
| Lichens | 11 April 2026 | 25 | n/a | Ivo Brandt |
| Bells | 2 May 2026 | 60 | 18.00 | Nora Quist |
| Glass | 19 May 2026 | 30 | n/a | Ada Lund |"""


def test_a_month_is_that_of_all_its_days() -> None:
    talks = evidence(("Spring talks", TALKS))
    assert names(told("which talks are in april?", talks)) == ["Tides", "Lichens"]
    assert told("how many talks are there in May", talks).startswith("2 in all:")


def test_the_most_of_a_column_that_is_named_is_told_where_some_rows_have_none() -> None:
    talks = evidence(("Spring talks", TALKS))
    assert "Bells" in told("which talk has the most expensive extra night?", talks)
    assert "Tides" in told("which talk has the cheapest extra night?", talks)
    assert "Bells" in told("which talk has the most tickets?", talks)
