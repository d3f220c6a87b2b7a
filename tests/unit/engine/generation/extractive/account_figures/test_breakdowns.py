"""Running text that counts by kinds, months or weekdays, goals with what is reached, and differences of two names."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.asking.wording import respelt
from engine.generation.extractive.account_figures.figure import Amount, day_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

CHOIR = (
    "The choir has this season 96 singers: 30 sopranos, 28 altos, 18 tenors and 20 basses. Last season there were 88. "
    "The hall has 120 seats. 7 singers have unpaid fees."
)
VAN = "La furgoneta lleva 60 cajas (25 de naranjas, 20 de limones y 15 de peras). 4 cajas tienen golpes."
ROUTE = "Litres of milk sold were 310 in June, 295 in July and 402 in August; the tank holds 900 litres."
KIOSK = "El quiosco vendió 40 revistas el lunes, 35 el martes y 52 el miércoles."
POST = "En junio hubo 200 cartas: 150 entregadas, 38 en camino y 12 perdidas. En mayo fueron 180 cartas."
SAVED = '{"saved_eur": 640.5, "target": {"name": "boat", "amount_eur": 2000}, "fee_eur": 3}'
DRIVES = "Maps: 120.5 GB\nMusic: 80 GB\nPlan: Home\nQuota: 500 GB"
YEARS = "Tours in 2024: 31\nTours in 2025: 43\nGuides: 4"
BOATS = "Gasóleo enero: 310 l\nGasóleo febrero: 280 l\nGasóleo marzo: 402 l\nGasóleo abril: 190 l"
LESSONS = "Esta semana nadó 3,5 horas y la anterior 2 horas."
PERMIT = "Vigencia: 01/07/2030 - 30/06/2031\nColor: verde"
BUS = '{"passengers": {"mon": 40, "tue": 38, "wed": 52, "thu": 61, "fri": 47}, "drivers": 4}'
WORDS = "We translated 6,000 words: 3,100 into Italian, 1,800 into Danish and 1,100 into Greek."
DESK = "Ha reservado 26 horas de sala de juntas de las 40 incluidas. La cuota es de 90 €."
POOL = "Nadaste el lunes 3 horas, el martes 2 horas y el jueves 4 horas. Tienes 2 toallas."
DOGS = "Walks: Wednesday 3, Thursday 4, Friday 5. There are 2 dogs."
RIDES = "En noviembre hiciste 31 viajes y en octubre 44 viajes. La cuota es de 12 €."
ACCOUNTS = """{"funds": [{"name": "Fondo Norte", "saldo": 510.2, "moneda": "EUR"},
 {"name": "Fondo Sur", "saldo": 1200.0, "moneda": "EUR"}, {"name": "Fondo Mixto", "saldo": 80.0, "moneda": "EUR"}],
 "spend": {"march": 410.0, "february": 520.0}}"""


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    ("context", "query", "says"),
    [
        (CHOIR, "How many singers are there?", "96."),
        (CHOIR, "How many tenors?", "18."),
        (CHOIR, "How many singers have unpaid fees?", "7."),
        (VAN, "¿Cuántas cajas de limones hay?", "20."),
        (ROUTE, "How many litres of milk in July?", "295"),
        (ROUTE, "In which month did we sell the most milk?", "August"),
        (KIOSK, "¿Qué día se vendieron menos revistas?", "martes"),
        (KIOSK, "¿Cuántas revistas se vendieron en total?", "127"),
        (POST, "¿Cuántas cartas hubo en junio?", "200"),
        (SAVED, "How far am I from my target?", "1359.50 EUR left"),
        (SAVED, "¿Qué porcentaje de mi objetivo llevo?", "32,03"),
        (DRIVES, "How much more do maps take than music?", "40.5 GB more"),
        (YEARS, "How many more tours in 2025 than in 2024?", "12 more"),
        (YEARS, "How many fewer tours in 2024 than in 2025?", "12 less"),
        (BOATS, "¿En qué mes gasté más gasóleo?", "marzo"),
        (BOATS, "¿En qué mes gasté menos gasóleo?", "abril"),
        (LESSONS, "¿He nadado más que la semana pasada?", "Sí: "),
        (PERMIT, "¿Cuándo caduca?", "30 de junio de 2031"),
        (PERMIT, "¿Desde cuándo vale?", "1 de julio de 2030"),
        ("Valid: 1 May 2030 to 2 June 2031\nZone: B", "When does it expire?", "June 2, 2031"),
        (POOL, "¿Qué día nadé menos horas?", "martes"),
        (POOL, "¿Cuántas horas en total?", "9"),
        (DOGS, "How many walks on Friday?", "5"),
        (RIDES, "¿Cuántos viajes hice este mes?", "31"),
        (BUS, "How many passengers were there on Thursday?", "61"),
        (BUS, "How many passengers on Tuesday?", "38"),
        (WORDS, "How many more words into Italian than Danish?", "1300 more"),
        (DESK, "¿Cuántas horas de sala me quedan?", "14"),
        (DRIVES, "How much less space does music take than maps?", "40.5 GB"),
        (ACCOUNTS, "diferencia entre el fondo sur y el norte", "689,80 EUR más"),
        (ACCOUNTS, "Did I spend more in March than in February?", "No: "),
        (ACCOUNTS, "Did I spend more in February than in March?", "Yes: "),
    ],
)
def test_what_is_told_in_parts_is_answered(figures: AccountFigures, context: str, query: str, says: str) -> None:
    assert says in figures.answer(query, context)


def test_a_limit_is_not_called_by_what_is_used_of_it(figures: AccountFigures) -> None:
    context = '{"catas": {"incluidas": 6, "asistidas": 4}, "puntos": 12}'
    assert figures.answer("¿Cuántas catas tengo incluidas?", context).startswith("Catas: 6")


def test_what_was_spent_is_no_price(figures: AccountFigures) -> None:
    context = """{"boats": [{"name": "Gull", "fuel_l": 251}, {"name": "Tern", "fuel_l": 190}],
     "fuel_budget": {"limit_gbp": 2000, "spent_gbp": 1566}}"""
    assert "1566" not in figures.answer("How much fuel did Gull use?", context)


@pytest.mark.parametrize(
    "form", ["Mon|Tue|Wed", "Mon.|Tue.|Wed.", "lunes|martes|miércoles", "Monday|Tuesday|Wednesday"]
)
def test_a_weekday_is_a_row_in_full_or_in_short(figures: AccountFigures, form: str) -> None:
    rows = "\n".join(f"| {day} | {count} |" for day, count in zip(form.split("|"), (41, 52, 63), strict=True))
    table = f"| Day | Letters |\n|---|---|\n{rows}"
    assert "52" in figures.answer("How many letters on Tuesday?", table)
    assert "63" in figures.answer("How many letters on Wednesday?", table)


def test_the_kinds_are_rows_of_what_is_counted() -> None:
    rows = [(f.row, int(f.value.value)) for f in read_figures(CHOIR) if f.row and isinstance(f.value, Amount)]
    assert rows == [("sopranos", 30), ("altos", 28), ("tenors", 18), ("basses", 20)]


def test_a_season_before_is_of_the_same_thing() -> None:
    before = next(f for f in read_figures(CHOIR) if isinstance(f.value, Amount) and f.value.value == 88)
    assert {"last", "season", "singers"} <= set(before.name.split())


@pytest.mark.parametrize(
    "text",
    [
        "Times: 9 to 12 and 14 to 18.",
        "You have 40 GB: 10 used, 30 free.",
        "The bill is 80 euros: pay 20 now and 10 in May.",
        f"There are 5 items: {', '.join(['1 part'] * 600)}.",
    ],
)
def test_what_is_no_whole_with_its_kinds_has_no_rows(text: str) -> None:
    assert not any(f.row for f in read_figures(text))


def test_a_price_for_a_unit_is_not_in_that_unit() -> None:
    price, used = read_figures('{"contract": {"price_kwh": 0.2, "winter_kwh": 300}}')
    assert isinstance(price.value, Amount)
    assert price.value.unit == ""
    assert isinstance(used.value, Amount)
    assert used.value.unit == "kWh"


def test_a_month_on_a_card_is_a_day_of_that_month() -> None:
    found = day_of("03/2029")
    assert found is not None
    assert (found.day, found.month) == (date(2029, 3, 1), True)


def test_a_word_of_the_context_is_no_slip_of_another() -> None:
    assert respelt("restaurante") == "restante"
    assert respelt("restaurante", ["spend restaurante"]) == "restaurante"
