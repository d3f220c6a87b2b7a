from __future__ import annotations

import json

import pytest

from engine.generation.extractive.account_figures.candidates.fact import Fact, Table
from engine.generation.extractive.account_figures.candidates.facts import Reading, facts_of, names_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures


def read(context: object) -> tuple[dict[str, Fact], dict[str, Table]]:
    """The facts by label and the tables by name."""
    facts, tables = facts_of(read_figures(context if isinstance(context, str) else json.dumps(context)))
    return {fact.label: fact for fact in facts}, {table.name: table for table in reversed(tables)}


HALLS = {"halls": [{"hall": "Amber", "guests": 310, "open": True}, {"hall": "Cobalt", "guests": 95, "open": False}]}


class TestTables:
    def test_records_are_rows_with_their_columns(self) -> None:
        _, tables = read(HALLS)
        halls = tables["halls"]
        assert [row.name for row in halls.rows] == ["Amber", "Cobalt"]
        assert [column.label for column in halls.columns] == ["guests", "open"]
        assert halls.key == "hall"

    def test_a_row_has_what_holds_of_it(self) -> None:
        _, tables = read(HALLS)
        assert [row.holds for row in tables["halls"].rows] == [{"open": True}, {"open": False}]

    def test_a_row_has_what_its_cells_say(self) -> None:
        _, tables = read("boat,skipper,berths\nGannet,Osk,4\nPetrel,Ilse,6\n")
        (table,) = tables.values()
        assert [row.told for row in table.rows] == [{"skipper": "Osk"}, {"skipper": "Ilse"}]

    def test_rows_of_one_name_are_told_apart(self) -> None:
        _, tables = read("day,pool,swimmers\nMon,Indoor,40\nMon,Outdoor,7\nTue,Indoor,38\nTue,Outdoor,9\n")
        (table,) = tables.values()
        assert [(row.name, row.told["pool"]) for row in table.rows] == [
            ("Mon", "Indoor"),
            ("Mon", "Outdoor"),
            ("Tue", "Indoor"),
            ("Tue", "Outdoor"),
        ]

    def test_a_cell_may_be_missing(self) -> None:
        _, tables = read({"kilns": [{"id": "K-a", "firings": 4, "peak": 1210}, {"id": "K-b", "firings": 2}]})
        peak = next(column for column in tables["kilns"].columns if column.label == "peak")
        assert [figure is None for figure in peak.figures] == [False, True]

    def test_objects_of_one_form_are_rows(self) -> None:
        facts, tables = read("kennels:\n  Ash:\n    dogs: 12\n    walks: 31\n  Elm:\n    dogs: 8\n    walks: 20\n")
        assert [row.name for row in tables["kennels"].rows] == ["ash", "elm"]
        assert not facts

    def test_objects_of_numbers_are_a_table_the_other_way_round_as_well(self) -> None:
        _, tables = facts_of(
            read_figures(json.dumps({"barges": {"loaded": {"Elbe": 4, "Oder": 9}, "empty": {"Elbe": 2, "Oder": 1}}}))
        )
        told = [([row.name for row in table.rows], [column.label for column in table.columns]) for table in tables]
        assert (["elbe", "oder"], ["loaded", "empty"]) in told
        assert (["loaded", "empty"], ["elbe", "oder"]) in told

    @pytest.mark.parametrize(
        "context",
        [
            {"halls": [{"hall": "Amber", "guests": 310, "chairs": 8}, {"hall": "Cobalt", "guests": 95, "chairs": 9}]},
            {
                "trips": {
                    "january": {"km": 3, "stops": 5},
                    "february": {"km": 4, "stops": 6},
                    "march": {"km": 1, "stops": 2},
                }
            },
            {"desks": {"hall": {"used": 3, "limit": 5}, "attic": {"used": 4, "limit": 6}}},
            {"desks": {"hall": {"oak": 3, "tone": "dark"}, "attic": {"oak": 4, "tone": "pale"}}},
        ],
    )
    def test_named_rows_months_roles_and_texts_are_not(self, context: object) -> None:
        _, tables = facts_of(read_figures(json.dumps(context)))
        assert len([table for table in tables if not table.family]) <= 1

    def test_of_more_than_two_months_each_is_a_row(self) -> None:
        months = {name: {"arrivals": place} for place, name in enumerate(("january", "february", "march"))}
        _, tables = read({"harbour": months})
        assert [row.name for row in tables["harbour"].rows] == ["january", "february", "march"]

    def test_what_is_used_of_limits_is_no_table(self) -> None:
        _, tables = read("usage:\n  scans: 70\n  seats: 3\nlimits:\n  scans: 90\n  seats: 5\n")
        assert "" not in tables

    def test_numbered_keys_are_rows_by_what_they_are_called(self) -> None:
        _, tables = read("truck1=Heron&truck1_loads=14&truck2=Stork&truck2_loads=9")
        assert [(row.name, column.label) for row in tables["truck"].rows for column in tables["truck"].columns] == [
            ("Heron", "loads"),
            ("Stork", "loads"),
        ]

    def test_one_name_with_a_number_is_no_row(self) -> None:
        facts, tables = read({"q50_wait_ms": 4, "wait_ms": 9})
        assert set(facts) == {"q50 wait", "wait"}
        assert not tables

    def test_objects_of_this_and_the_last_period_are_no_rows(self) -> None:
        facts, tables = read(
            {"calls": {"new": 4, "old": 9, "lost": 1}, "last_week_calls": {"new": 3, "old": 8, "lost": 2}}
        )
        assert [row.name for row in tables["calls"].rows] == ["new", "old", "lost"]
        assert facts["last week calls new"].previous

    def test_numbered_keys_without_names_are_rows_by_their_numbers(self) -> None:
        _, tables = read({"press1_sheets": 400, "press2_sheets": 350})
        assert [row.name for row in tables["press"].rows] == ["press 1", "press 2"]


class TestFamilies:
    @pytest.mark.parametrize(
        ("context", "name", "rows"),
        [
            ({"visits": {"web": 90, "app": 40, "shop": 11}}, "visits", ["web", "app", "shop"]),
            ({"eggs_brown": 30, "eggs_white": 22, "eggs_speckled": 4}, "eggs", ["brown", "white", "speckled"]),
            (
                {"adult_swimmers": 31, "child_swimmers": 54, "senior_swimmers": 12},
                "swimmers",
                ["adult", "child", "senior"],
            ),
        ],
    )
    def test_what_stands_side_by_side_is_a_table(self, context: dict[str, object], name: str, rows: list[str]) -> None:
        _, tables = read(context)
        assert [row.name for row in tables[name].rows] == rows
        assert tables[name].family

    def test_two_values_are_none(self) -> None:
        assert not read({"visits": {"web": 90, "app": 40}})[1]

    def test_what_is_of_one_period_is_no_family(self) -> None:
        assert not read({"opens_this_month": 90, "clicks_this_month": 40, "bounces_this_month": 11})[1]

    def test_other_units_are_none(self) -> None:
        assert not read({"load_kg": 90, "load_km": 40, "load_gb": 12})[1]

    def test_the_value_of_the_period_before_is_none_of_them(self) -> None:
        _, tables = read({"eggs_brown": 30, "eggs_white": 22, "eggs_last_month": 4})
        assert "eggs" not in tables


class TestFact:
    @pytest.mark.parametrize(
        ("key", "role", "previous"),
        [
            ("scans_used", "used", False),
            ("scans_limit", "limit", False),
            ("scans_last_month", "", True),
            ("escaneos_mes_anterior", "", True),
            ("scans", "", False),
            ("total_scans", "total", False),
        ],
    )
    def test_role_and_period_are_told_by_its_name(self, key: str, role: str, previous: bool) -> None:
        (fact,) = read({key: 4})[0].values()
        assert (fact.role, fact.previous) == (role, previous)

    @pytest.mark.parametrize(
        ("other", "previous"),
        [
            ("voyage before", [False, True]),
            ("previous voyage", [False, True]),
            ("voyage limit", [True, False]),
            ("previous cargo", [True, True]),
            ("voyage three weeks ago", [False, True]),
        ],
    )
    def test_the_last_of_two_is_the_present_one(self, other: str, previous: list[bool]) -> None:
        facts, _ = facts_of(read_figures(f"Last voyage: 12 knots\n{other.capitalize()}: 9 knots"))
        assert [fact.previous for fact in facts] == previous

    def test_its_thing_has_no_role_and_no_period(self) -> None:
        used, before = read({"scans_used": 4, "scans_last_month": 9})[0].values()
        assert used.thing == before.thing

    def test_its_unit_is_that_of_its_numbers(self) -> None:
        assert read({"disk_gb": 4})[0]["disk"].unit == "gb"
        assert read({"plan": "Basic"})[0]["plan"].unit == ""

    def test_a_sentence_says_the_period(self) -> None:
        facts, _ = facts_of(read_figures("Last month you scanned 40 pages. This month you scanned 55 pages."))
        assert [fact.previous for fact in facts] == [True, False]


def test_names_are_those_of_facts_tables_rows_and_texts() -> None:
    facts, tables = facts_of(read_figures(json.dumps({"plan": "Gold", **HALLS})))
    assert {"plan", "Gold", "halls", "hall", "guests", "Amber", "Cobalt"} <= set(names_of(facts, tables))


@pytest.mark.parametrize(
    ("query", "years"),
    [
        ("how many in 2019", ["2019"]),
        ("how many in 2019?", ["2019"]),
        ("cuántos en 2019", ["2019"]),
        ("ventas de 2018", ["2018"]),
        ("ventas del 2018", ["2018"]),
        ("since 2001, how many", ["2001"]),
        ("what about March of 2022", ["2022"]),
        ("how many in 2026", []),
        ("how many in 2027", []),
        ("is there room for 2000 guests", []),
        ("can I send 2019 letters", []),
        ("order 2019", []),
        ("model of 20190", []),
        ("how many", []),
        ("from 2015", []),
        ("durante 2015", ["2015"]),
        ("during 2015.", ["2015"]),
        ("en el 2015", []),
    ],
)
def test_years_that_no_context_names_are_strange(query: str, years: list[str]) -> None:
    assert Reading([], "the figures of 2026").strange_years(query, 2027) == years


@pytest.mark.parametrize(
    ("word", "role"),
    [
        ("used", "used"),
        ("usados", "used"),
        ("consumed", "used"),
        ("gastado", "used"),
        ("limit", "limit"),
        ("quota", "limit"),
        ("allowance", "limit"),
        ("tope", "limit"),
        ("goal", "limit"),
        ("meta", "limit"),
        ("budget", "limit"),
        ("left", "left"),
        ("remaining", "left"),
        ("available", "left"),
        ("restantes", "left"),
        ("libres", "left"),
        ("total", "total"),
        ("lamps", ""),
        ("oil", ""),
    ],
)
def test_words_of_names_tell_their_role(word: str, role: str) -> None:
    (fact,) = read({f"wicks {word}": 4})[0].values()
    assert fact.role == role


@pytest.mark.parametrize(
    ("name", "previous"),
    [
        ("wicks last month", True),
        ("wicks previous", True),
        ("wicks prev week", True),
        ("wicks yesterday", True),
        ("wicks mes pasado", True),
        ("wicks semana anterior", True),
        ("wicks ayer", True),
        ("wicks this month", False),
        ("wicks today", False),
        ("wicks", False),
        ("wicks hoy", False),
        ("wicks mes", False),
    ],
)
def test_names_tell_the_period_before(name: str, previous: bool) -> None:
    (fact,) = read({name: 4})[0].values()
    assert fact.previous is previous
