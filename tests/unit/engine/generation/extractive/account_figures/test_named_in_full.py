"""Codes, limits without an end, values that a question names two of, and months that a sentence shares."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

FLEET = """| Boat | Plate | Miles | Diesel |
|---|---|---|---|
| Gull | 5512 GHT | 310 | 90 |
| Tern | 8120 KPQ | 150 | 60 |
| Skua | 3307 BXZ | 95 | 20 |"""
LINE = '{"calls_used": 120, "calls_included": "unlimited", "data_used_gb": 7, "data_included_gb": 20}'
MOBILE = "minutos_usados=88 | minutos_incluidos=ilimitados | gigas_usados=3 GB | gigas_incluidos=10 GB"
WAGES = '{"wages_eur": 3000, "taxes": {"income_tax_eur": 600, "social_security_eur": 200}, "rent_eur": 900}'
PAID = """{"months": [{"month": "2026-08", "paid_eur": 40}, {"month": "2026-09", "paid_eur": 55},
 {"month": "2026-10", "paid_eur": 60}]}"""
BILLS = (
    "Your rent for June is €900.00 and your water bill is €42.00. Electricity came to €61.50. "
    "In May your rent was €880.00."
)


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: date(2026, 11, 27))


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (FLEET, "Which boat has the plate 8120 KPQ?", "Boat: Tern."),
        (FLEET, "¿Qué barco tiene la matrícula 3307 BXZ?", "Boat: Skua."),
        (FLEET, "What is the plate of Skua?", "Plate, Skua: 3307 BXZ."),
        (FLEET, "average miles per boat?", "Miles: 185 on average (555 over 3)."),
        (LINE, "How many calls do I have left?", "Calls included: unlimited."),
        (LINE, "How much data is left?", "Data: 13 GB left (20 GB − 7 GB)."),
        (MOBILE, "¿Cuántos minutos me quedan?", "Minutos incluidos: ilimitados."),
        (MOBILE, "¿Cuántos minutos he usado?", "Minutos: 88."),
        (WAGES, "what share of wages is rent?", "Rent: 30% (900 EUR of 3000 EUR (wages))."),
        (PAID, "How much did I pay between August and September?", "Months paid: 95 EUR in total (40 EUR + 55 EUR)."),
        (PAID, "¿Cuánto pagué entre agosto y octubre?", "Months paid: 155 EUR en total (40 EUR + 55 EUR + 60 EUR)."),
        (PAID, "What's the difference between August and September?", "Paid, 2026-08 / 2026-09: 15 EUR less"),
        (BILLS, "What was my water bill in June?", "Water bill: €42."),
    ],
)
def test_what_is_named_in_full_is_found(figures: AccountFigures, context: str, query: str, answer: str) -> None:
    assert figures.answer(query, context).startswith(answer)


def test_shares_of_what_stands_elsewhere_are_of_the_named_two(figures: AccountFigures) -> None:
    answer = figures.answer("What percentage of wages is income tax?", WAGES)
    assert answer.endswith("Taxes income tax: 20% (600 EUR of 3000 EUR (wages)).")


def test_a_month_is_compared_with_the_one_before_it(figures: AccountFigures) -> None:
    answer = figures.answer("and how much more is it in June?", BILLS, before=["What was my rent in May?"])
    assert "€20 more" in answer


def test_plates_are_texts_and_weights_are_amounts() -> None:
    told = {f.row: f.value for f in read_figures(FLEET) if f.path[-1] == "plate"}
    assert told == {"Gull": "5512 GHT", "Tern": "8120 KPQ", "Skua": "3307 BXZ"}
    sizes = read_figures("Box;Size\nA;3 GB\nB;20 MB\n")
    assert not any(isinstance(figure.value, str) for figure in sizes)


def test_limits_of_other_units_are_no_limits(figures: AccountFigures) -> None:
    answer = figures.answer("¿Cuántas llamadas me quedan?", "llamadas_usadas=90 | datos_incluidos=30 GB")
    assert "−" not in answer
    assert "-60" not in answer


BAKERY = """{"daily": [{"date": "2026-11-17", "loaves": 195, "lost": 7, "price_eur": 2.5},
 {"date": "2026-11-18", "loaves": 240, "lost": 1, "price_eur": 2.5}]}"""
PUPIL = "Pupil: Nora Vidal\nSwims limit: 12\nSwims used: 5\nSaldo: 31,50 €\nPrice per swim: 4,50 €\nGrant: -"


@pytest.mark.parametrize(
    ("context", "query", "says"),
    [
        (BAKERY, "How many loaves did we ship on 18 November?", "Loaves, November 18, 2026: 240."),
        (PUPIL, "¿Cuántos swims le quedan a Nora?", "quedan 7 (12 − 5)."),
    ],
)
def test_a_verb_of_doing_and_whose_the_account_is_veto_nothing(
    figures: AccountFigures, context: str, query: str, says: str
) -> None:
    assert figures.answer(query, context).endswith(says)


def test_another_person_is_not_the_one_of_the_account(figures: AccountFigures) -> None:
    assert not figures.answered("How many swims does Bruno have left?", PUPIL).sure


def test_what_the_data_has_without_a_value_is_likely_meant(figures: AccountFigures) -> None:
    found = figures.answered("How much is the grant?", PUPIL)
    assert found.likely
    assert found.text == "The data of this request has no value for grant."


ADS = """{"account": "Lumen", "monthly_budget_eur": 900,
 "months": [{"month": "2026-10", "spend_eur": 800}, {"month": "2026-11", "spend_eur": 700}],
 "channels": {"Meta": {"spend_eur": 500}, "Bing": {"spend_eur": 200}}}"""
PLAN = '{"plan": {"name": "Plus", "price": {"monthly": 25, "currency": "USD"}}}'


def test_a_name_that_is_a_word_for_a_limit_is_no_limit(figures: AccountFigures) -> None:
    answer = figures.answer("Which percentage of the spend in November was for Meta?", ADS)
    assert "900" not in answer
    assert ": 700" not in answer  # no share


@pytest.mark.parametrize("query", ["How much does the plan cost a year?", "¿Cuánto cuesta el plan al año?"])
def test_a_price_is_for_the_stretch_that_is_asked_for(figures: AccountFigures, query: str) -> None:
    assert figures.answer(query, PLAN).endswith("Plan price monthly: 300 USD (12 × 25 USD).")


def test_a_follow_up_has_no_verb_of_the_question_before(figures: AccountFigures) -> None:
    answer = figures.answer("and on the 17th?", BAKERY, before=["How many loaves did we ship on 18 November?"])
    assert answer.endswith("Loaves, November 17, 2026: 195.")
