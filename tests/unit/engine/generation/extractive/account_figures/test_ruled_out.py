"""Candidates that a question cannot be asking for, whatever their words."""

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.figure import Amount
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

PARCELS = {
    "parcels": {"limit": 600, "sent": 410},
    "destinations": [
        {"city": "Lima", "parcels": 150},
        {"city": "Quito", "parcels": 180},
        {"city": "Bogota", "parcels": 80},
    ],
}
CLINIC = "Glasses sold: 44\nGlasses in repair: 6\nE-glasses returned: n/a\nNext order: 3 May 2027\n"
POOL = {"charges": {"water_eur": 61.2, "heat_eur": 88.4}, "filter_allowance": {"limit_m3": 30, "used_m3": 12}}
SCHOOL = {"club": "Ajedrez", "tableros": {"total": 40, "prestados": 12}, "cuota_socios_eur": 25, "limite_socios": 90}


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("what share of the parcels went to Lima?", "36.59% (150 of 410)"),
        ("what percentage of the parcels was sent to Quito?", "43.9% (180 of 410)"),
        ("¿qué parte de los parcels fue a Bogota?", "19,51 % (80 de 410)"),
    ],
)
def test_a_share_of_rows_is_of_all_rows(figures: AccountFigures, query: str, says: str) -> None:
    assert says in figures.answer(query, json.dumps(PARCELS))


def test_a_share_of_the_limit_is_told_where_that_is_said(figures: AccountFigures) -> None:
    assert "25%" in figures.answer("what percentage of the parcel limit did Lima use?", json.dumps(PARCELS))


@pytest.mark.parametrize("query", ["how many glasses were sold?", "glasses sold"])
def test_one_that_is_there_is_told_rather_than_one_that_is_not(figures: AccountFigures, query: str) -> None:
    assert figures.answer(query, CLINIC) == "Glasses sold: 44."


def test_the_lack_of_what_is_asked_for_by_its_name_is_told(figures: AccountFigures) -> None:
    found = figures.answer("how many e-glasses were returned?", CLINIC)
    assert "44" not in found
    assert "no value" in found


def test_what_is_used_is_no_money(figures: AccountFigures) -> None:
    assert "61" not in figures.answer("how much water was used?", json.dumps(POOL)).replace("not sure", "")


@pytest.mark.parametrize(("query", "says"), [("¿cuánto pago de cuota?", "25"), ("¿cuál es el límite de socios?", "90")])
def test_a_fee_is_no_limit(figures: AccountFigures, query: str, says: str) -> None:
    assert says in figures.answer(query, json.dumps(SCHOOL))


KILNS = {
    "site": "Clay Lane",
    "kilns": [
        {"name": "North", "type": "gas kiln", "status": "open", "firings": 41},
        {"name": "South", "type": "electric", "status": "closed", "firings": 0},
        {"name": "Annex", "type": "electric", "status": "open", "firings": 17},
    ],
    "wait_days": 9,
    "wait_days_limit": 6,
}


@pytest.mark.parametrize(
    ("query", "says", "never"),
    [
        ("which kilns are open?", "North, Annex", "South"),
        ("how many kilns are open?", "2", "1 "),
        ("which kilns are closed?", "South", "North"),
    ],
)
def test_the_name_of_a_list_names_no_row_of_it(figures: AccountFigures, query: str, says: str, never: str) -> None:
    found = figures.answered(query, json.dumps(KILNS))
    assert found.sure
    assert says in found.text
    assert never not in found.text


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("are the wait days over the limit?", "Yes"),
        ("are the wait days within the limit?", "No"),
        ("¿están los wait days dentro del límite?", "No"),
    ],
)
def test_whether_a_limit_is_kept_is_not_whether_it_is_passed(figures: AccountFigures, query: str, begins: str) -> None:
    assert figures.answer(query, json.dumps(KILNS)).startswith(f"{begins}: ")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("There were 9,280 guests, against 8,150 in 2024.", [9280, 8150]),
        ("Se sirvieron 64 eventos en 2025, y 51 de 2024.", [64, 51]),
    ],
)
def test_a_year_at_the_end_of_a_sentence_is_no_amount(text: str, values: list[int]) -> None:
    told = [one.value.value for one in read_figures(text) if isinstance(one.value, Amount)]
    assert told == values


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("kilos of wool received", "Wool received: 840 kg."),
        ("litros de lanolina vendida", "Lanolina vendida: 62 l."),
        ("hours of shearing", "Shearing: 31 h."),
    ],
)
def test_the_name_of_a_unit_is_said_by_what_is_in_it(figures: AccountFigures, query: str, answer: str) -> None:
    context = "Farm: High Fell\nWool received: 840 kg\nLanolina vendida: 62 l\nShearing: 31 h\nFleeces: 212\n"
    assert figures.answer(query, context) == answer
