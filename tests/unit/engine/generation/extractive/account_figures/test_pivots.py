"""Numbers of several things by period: pivot tables, objects of objects, and names that end in periods."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.figure import Amount, Figure
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.generation.extractive.account_figures.reading.pivots import (
    counted_by,
    has_periods,
    is_period_name,
    with_pivots,
)
from engine.generation.extractive.account_figures.vocabulary import numbered_periods
from tests.account_cases import encoder

CHARGERS = """# Chargers: kWh sold by quarter, 2026

| Site | Q1 | Q2 | Q3 | Tariff |
|---|---|---|---|---|
| Dock | 410 | 380 | 395 | €0.31 |
| Mill | 120 | 160 | 155 | €0.35 |
| Quay | 290 | 305 | 340 | €0.29 |

Sites online: 3
"""
BOATS = """{"empresa": "Lanchas", "pasajeros": [
 {"ruta": "Faro", "ene": 31, "feb": 28, "mar": 40}, {"ruta": "Cala", "ene": 52, "feb": 47, "mar": 39},
 {"ruta": "Pinar", "ene": 12, "feb": 19, "mar": 22}]}"""
WEEKS = "shop,W31,W32,W33,W34\nNorth,14,18,11,20\nSouth,9,7,12,10\n"
COWS = '{"litros": {"jersey": {"lun": 21, "mar": 25, "mie": 19}, "frisona": {"lun": 31, "mar": 28, "mie": 35}}}'
ZOO = "Visitors Mon: 210\nVisitors Tue: 180\nVisitors Wed: 240\nVisitors Sat: 660\nOpen since: 4 May 2011\n"
REEF = "Dives April: 31\nDives May: 44\nDives June: 52\nBoats: 2\n"
FARE = '{"club": "Remo", "coste_licencias": {"2025": 640.5, "2026": 702}, "socios": 58}'
LEDGER = "Repairs 2024: €310\nRepairs 2025: €275\nRepairs 2026: €402\nVans: 3\n"


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (CHARGERS, "kwh sold at the mill in Q2", "Sold Mill, Q2: 160 kWh."),
        (CHARGERS, "which site sold the most in q3?", "Sold Q3: the most is 395 kWh, Dock."),
        (CHARGERS, "when did the mill sell the least?", "Mill: the least is 120 kWh, Q1."),
        (CHARGERS, "which sites sold more than 200 in Q2?", "Sold Q2: Dock, Quay."),
        (CHARGERS, "tariff of the quay", "Tariff, Quay: €0.29."),
        (CHARGERS, "which site has the highest tariff?", "Tariff: the most is €0.35, Mill."),
        (BOATS, "¿qué ruta llevó más pasajeros en marzo?", "Pasajeros mar: el máximo es 40, Faro."),
        (BOATS, "total de pasajeros de Pinar", "Pasajeros Pinar: 53 en total (12 + 19 + 22)."),
        (BOATS, "¿en qué mes llevó menos Faro?", "Faro: el mínimo es 28, feb."),
        (BOATS, "pasajeros totales de enero", "Pasajeros ene: 95 en total (31 + 52 + 12)."),
        (
            BOATS,
            "¿cuántos pasajeros más llevó Cala que Faro en enero?",
            "Pasajeros ene, Cala / Faro: 21 más (52 frente a 31).",
        ),
        (WEEKS, "North in week 33", "North, W33: 11."),
        (WEEKS, "which shop had the most in week 34", "W34: the most is 20, North."),
        (WEEKS, "qué tienda tuvo menos en la semana 32", "W32: el mínimo es 7, South."),
        (WEEKS, "south total", "South: 38 in total (9 + 7 + 12 + 10)."),
        (COWS, "litros de la frisona el martes", "Litros frisona, mar: 28."),
        (COWS, "total litros de la jersey", "Litros jersey: 65 en total (21 + 25 + 19)."),
    ],
)
def test_numbers_are_told_by_thing_and_by_period(
    figures: AccountFigures, context: str, query: str, answer: str
) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (answer, True)


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (ZOO, "how many visitors on Wednesday?", "Visitors, wed: 240."),
        (ZOO, "which day had the most visitors?", "Visitors: the most is 660, sat."),
        (ZOO, "what share of the visitors was on Saturday?", "Visitors, sat: 51.16% (660 of 1290)."),
        (ZOO, "¿cuántos visitantes hubo el sábado?", "Visitors, sat: 660."),
        (REEF, "dives in May", "Dives, may: 44."),
        (REEF, "how many dives in total?", "Dives: 127 in total (31 + 44 + 52)."),
        (LEDGER, "repairs in 2025", "Repairs, 2025: €275."),
        (LEDGER, "which year had the highest repairs?", "Repairs: the most is €402, 2026."),
    ],
)
def test_names_that_end_in_periods_are_rows(figures: AccountFigures, context: str, query: str, answer: str) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (answer, True)


@pytest.mark.parametrize(
    ("context", "query", "says"),
    [
        (FARE, "¿cuánto costaron las licencias el año pasado?", "640,5"),
        (FARE, "coste de las licencias de este año", "702"),
        (LEDGER, "repairs last year", "€275"),
        (LEDGER, "did repairs cost more than last year?", "Yes: Repairs, 2026 / 2025: €127 more (€402 against €275)."),
        (LEDGER, "¿gastamos más en repairs que el año pasado?", "127"),
    ],
)
def test_this_year_and_the_last_are_those_of_the_calendar(
    figures: AccountFigures, context: str, query: str, says: str
) -> None:
    found = figures.answered(query, context)
    assert says in found.text
    assert found.sure


def test_a_year_that_no_figure_is_of_is_not_told(figures: AccountFigures) -> None:
    found = figures.answered("repairs last year", "Repairs 2021: €310\nRepairs 2022: €275\nRepairs 2023: €402\n")
    assert not found.sure


@pytest.mark.parametrize(
    ("name", "named"),
    [
        ("Jan", True),
        ("marzo", True),
        ("March 2026", True),
        ("2026-03", True),
        ("Week 3", True),
        ("semana 12", True),
        ("W36", True),
        ("wed", True),
        ("Q2", True),
        ("2T", True),
        ("2025", True),
        ("price", False),
        ("Room 3", False),
        ("A36", False),
        ("week", False),
        ("20255", False),
        ("", False),
    ],
)
def test_names_of_periods(name: str, named: bool) -> None:
    assert is_period_name(name) is named


def test_a_table_of_periods_has_three_of_them() -> None:
    assert has_periods(["Site", "Q1", "Q2", "Q3"])
    assert not has_periods(["Site", "Q1", "Q2", "price"])


@pytest.mark.parametrize(
    ("heading", "counted"),
    [
        ("Rooms: bookings (groups) by week, 2026", "bookings"),
        ("Visitors per month", "visitors"),
        ("Ventas por tienda 2026", "ventas"),
        ("Chargers: kWh sold by quarter", "kWh sold"),
        ("Billetes vendidos — línea 4", "billetes vendidos"),
        ("By week", "by week"),
    ],
)
def test_what_the_numbers_of_a_table_are_by_its_heading(heading: str, counted: str) -> None:
    assert counted_by(heading) == counted


@pytest.mark.parametrize(
    ("text", "periods"),
    [
        ("sales in week 3", {("week", 3)}),
        ("la semana 12 y la semana 13", {("week", 12), ("week", 13)}),
        ("W36", {("week", 36)}),
        ("quarter 2", {("quarter", 2)}),
        ("room 12", set()),
        ("3 weeks", set()),
    ],
)
def test_periods_by_their_numbers(text: str, periods: set[tuple[str, int]]) -> None:
    assert numbered_periods(text) == periods


def cell(row: str, column: str, value: object = 1) -> Figure:
    amount = Amount(value) if isinstance(value, int) else value  # type: ignore[arg-type]
    return Figure(("sold", column), amount, row, listed=("sold",), row_key="shop")  # type: ignore[arg-type]


class TestWithPivots:
    def test_the_periods_become_rows_and_the_things_columns(self) -> None:
        found = with_pivots([cell(shop, month) for shop in ("A", "B") for month in ("jan", "feb", "mar")])
        assert [(f.row, f.path[-1]) for f in found] == [
            ("jan", "A"), ("jan", "B"), ("feb", "A"), ("feb", "B"), ("mar", "A"), ("mar", "B"),
        ]  # fmt: skip
        assert {(f.listed, f.across) for f in found} == {(("sold",), "shop")}

    def test_what_stands_beside_the_periods_stays_as_it_is(self) -> None:
        beside = cell("A", "price")
        found = with_pivots([*(cell("A", month) for month in ("jan", "feb", "mar")), beside])
        assert found[-1] is beside

    def test_two_periods_are_no_pivot_table(self) -> None:
        given = [cell("A", "jan"), cell("A", "feb")]
        assert with_pivots(given) == given

    def test_texts_are_no_pivot_table(self) -> None:
        given = [cell("A", "jan", "open"), cell("A", "feb", "shut"), cell("A", "mar", "open")]
        assert with_pivots(given) == given

    def test_an_empty_cell_stays_empty(self) -> None:
        found = with_pivots([cell("A", "jan", None), cell("A", "feb"), cell("A", "mar")])
        assert [f.value for f in found] == [None, Amount(1), Amount(1)]  # type: ignore[arg-type]


class TestReading:
    def test_the_same_table_is_there_by_period_and_by_thing(self) -> None:
        tables = Reading(read_figures(BOATS)).tables
        by_period, by_thing = next(t for t in tables if t.across), next(t for t in tables if t.periods)
        assert [row.name for row in by_period.rows] == ["ene", "feb", "mar"]
        assert [row.name for row in by_thing.rows] == ["Faro", "Cala", "Pinar"]
        assert by_thing.periods is by_period
        assert by_thing.key == "ruta"

    def test_by_thing_there_is_a_column_of_all_periods_together(self) -> None:
        by_thing = next(t for t in Reading(read_figures(BOATS)).tables if t.periods)
        sums = next(column for column in by_thing.columns if column.leaf == by_thing.of_all)
        assert [figure.value for figure in sums.figures if figure] == [Amount(99), Amount(138), Amount(53)]  # type: ignore[arg-type]

    def test_measures_beside_a_column_of_months_are_not_things_of_one_kind(self) -> None:
        tables = Reading(read_figures("month,visits,errors\njan,10,1\nfeb,12,2\nmar,9,0\n")).tables
        assert not any(table.periods for table in tables)


def test_a_table_of_very_many_things_keeps_them_as_rows() -> None:
    given = [cell(f"S{at}", month) for at in range(61) for month in ("jan", "feb", "mar")]
    assert with_pivots(given) == given


@pytest.mark.parametrize(
    "context",
    [
        '[{"jan": 1, "feb": 2, "mar": 3}, {"jan": 4, "feb": 5, "mar": 6}]',
        '[{"2026-01": 0, "2026-02": true, "2026-03": 2}, {"2026-01": 1, "2026-02": [], "2026-03": 3}]',
        '[{"Q1": 0, "29 February": 1, "Q4": 3}, {"Q1": 2, "Q3": "n/a", "Q4": 4}, {"Q2": 3, "Q3": 4, "Q4": 5}]',
        '{"sold": {"a": {"2026-01": 0, "2026-02": 1,3"2026-0 ": 2}, "b": {"2021.2.3,46-01": 1, "2026-02": 2}}}',
        "a,jan,feb,mar\n,1,2,3\n,4,5,6\n",
    ],
)
def test_tables_whose_rows_have_no_names_end_no_answer(figures: AccountFigures, context: str) -> None:
    for query in ("which sold the most in week 3", "total in feb", "and S3?"):
        assert figures.answered(query, context).text
