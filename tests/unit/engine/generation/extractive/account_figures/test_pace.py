"""What a number comes to by the end of its period, and a day, by how far the period is gone."""

from __future__ import annotations

import json
from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.candidates.fact import data_day, present_day
from engine.generation.extractive.account_figures.candidates.facts import Reading
from engine.generation.extractive.account_figures.figure import Day
from engine.generation.extractive.account_figures.pace import BY_END, EACH_DAY, Stretch, stretch_of, without_pace
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from tests.account_cases import encoder

TODAY = date(2026, 11, 20)
DOUBT = ("I am not sure", "No estoy seguro")


def account(**members: object) -> str:
    """An account with some jobs used of a limit, and what else it says."""
    return json.dumps({"jobs": {"used": 300, "limit": 900}, **members})


def reading(context: str) -> Reading:
    return Reading(read_figures(context), context, today=TODAY)


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("query", "bare", "asks"),
    [
        ("How many jobs at this rate?", "How many jobs?", BY_END),
        ("At the current pace, how many jobs is that?", "how many jobs is that?", BY_END),
        ("how many jobs if things go on like this", "how many jobs", BY_END),
        ("how many jobs will there be by the end of the month?", "how many jobs will there be?", BY_END),
        ("¿Cuántos trabajos serán a fin de mes?", "¿Cuántos trabajos serán?", BY_END),
        ("si seguimos así, ¿cuántos trabajos?", "¿cuántos trabajos?", BY_END),
        ("a este paso cuántos trabajos", "cuántos trabajos", BY_END),
        ("How many jobs do we run a day?", "How many jobs do we run?", EACH_DAY),
        ("¿cuántos trabajos al día?", "¿cuántos trabajos?", EACH_DAY),
    ],
)
def test_the_words_for_a_pace_are_taken_out(query: str, bare: str, asks: str) -> None:
    assert without_pace(query) == (bare, asks)


def test_a_text_that_is_longer_folded_is_cut_where_it_is_folded() -> None:
    assert without_pace("so… how many jobs at this rate?") == ("so... how many jobs?", BY_END)


@pytest.mark.parametrize(
    "query",
    [
        "How many jobs did we have at the end of the month?",
        "What is the error rate?",
        "¿Cuántos pasos tiene el plan?",
        "Which day was the busiest?",
        "Is there a daily limit?",
    ],
)
def test_other_questions_stay_as_they_are(query: str) -> None:
    assert without_pace(query) == (query, "")


@pytest.mark.parametrize(
    "members",
    [
        {"cycle": {"day_no": 12, "n_days": 30}},
        {"cycle": {"day": 12, "of": 30}},
        {"days_elapsed": 12, "days_in_month": 30},
        {"diasTranscurridos": 12, "diasMes": 30},
        {"ciclo": {"dia": 12, "dias": 30}},
        {"as_of": "2026-11-12"},
        {"fecha_informe": "2026-11-12"},
        {"snapshot": "2026-11-12 (day 12 of 30)"},
        {"as_of": "2026-03-24", "period": {"from": "2026-03-13", "to": "2026-04-11"}},
        {"as_of": "2026-02-12", "total_days": 30},
    ],
)
def test_how_far_a_period_is_gone_is_read_from_the_data(members: dict[str, object]) -> None:
    assert stretch_of(reading(account(**members)).facts, TODAY) == Stretch(12, 30, told=True)


def test_without_a_word_of_days_it_is_the_month_of_today() -> None:
    assert stretch_of(reading(account()).facts, TODAY) == Stretch(20, 30, told=False)


@pytest.mark.parametrize(
    "members",
    [
        {"cycle": {"from": "2026-06-01", "to": "2026-06-30"}},
        {"cycle": {"day_no": 12}},
        {"cycle": {"day": 12}},
        {"cycle": {"day_no": 31, "n_days": 30}},
    ],
)
def test_a_period_that_is_over_or_of_unknown_length_is_none(members: dict[str, object]) -> None:
    assert stretch_of(reading(account(**members)).facts, TODAY) is None


def test_a_number_is_said_as_it_will_be_with_its_limit(figures: AccountFigures) -> None:
    within = figures.answered("How many jobs will we have used at this rate?", account(as_of="2026-11-12"))
    assert within.sure
    assert "750 by the end of the period at this pace (300 in 12 of 30 days), 150 below the limit of 900" in within.text
    over = figures.answer("¿Nos pasamos del límite de trabajos si seguimos así?", account(days_elapsed=6, n_days=30))
    assert "1500 al final del periodo a este ritmo (300 en 6 de 30 días), 600 por encima del límite de 900" in over


def test_money_keeps_its_cents(figures: AccountFigures) -> None:
    context = json.dumps({"spend_eur": 10.5, "as_of": "2026-11-09"})
    assert "€ by the end" in (text := figures.answer("What will the spend be at this pace?", context)) or "EUR" in text
    assert "35" in text


def test_what_rests_on_the_calendar_alone_is_said_with_doubt(figures: AccountFigures) -> None:
    answer = figures.answered("How many jobs will we have used at this rate?", account())
    assert answer.text.startswith(DOUBT)
    assert "450 by the end" in answer.text
    assert (answer.sure, answer.likely) == (False, True)


def test_a_limit_or_a_share_has_no_pace(figures: AccountFigures) -> None:
    context = json.dumps({"error_rate_pct": 3, "as_of": "2026-11-12"})
    assert "at this pace" not in figures.answer("What is the error rate at this pace?", context)


def test_so_many_a_day_is_divided_by_the_days_that_are_gone(figures: AccountFigures) -> None:
    answer = figures.answered("How many jobs do we use a day?", account(as_of="2026-11-12"))
    assert answer.text.endswith("25 a day on average (300 in 12 days).")
    assert "25 al día de media (300 en 12 días)" in figures.answer(
        "¿Cuántos trabajos usamos al día?", account(as_of="2026-11-12")
    )


def test_a_mean_of_days_is_told_where_there_are_days(figures: AccountFigures) -> None:
    days = [{"date": f"2026-11-0{n}", "jobs": 10 * n} for n in range(1, 6)]
    context = json.dumps({"days": days, "as_of": "2026-11-12", "credits": {"used": 96, "limit": 200}})
    assert figures.answer("How many jobs a day on average?", context).startswith("Jobs: 30 on average (150 over 5")


def test_the_calendar_alone_divides_nothing(figures: AccountFigures) -> None:
    assert "a day on average" not in figures.answer("How many jobs do we use a day?", account())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("as_of", True),
        ("snapshotDate", True),
        ("Fecha del informe", True),
        ("fecha_corte", True),
        ("today", True),
        ("date", False),
        ("due_date", False),
        ("fecha de pago", False),
        ("renewal", False),
    ],
)
def test_the_day_of_the_data_is_known_by_its_name(name: str, told: bool) -> None:
    facts = reading(json.dumps({name: "2026-03-02", "jobs": 4})).facts
    assert data_day(facts) == (date(2026, 3, 2) if told else None)


def test_days_are_counted_from_data_of_another_time_and_else_from_today() -> None:
    old, fresh = (reading(account(as_of=day)).facts for day in ("2026-03-02", "2026-11-18"))
    assert present_day(old, TODAY) == date(2026, 3, 2)
    assert present_day(fresh, TODAY) == TODAY
    assert present_day(reading(account()).facts, TODAY) == TODAY


def test_how_far_a_day_is_follows_the_day_of_the_data(figures: AccountFigures) -> None:
    context = account(as_of="2026-03-02", renewal_date="2026-03-12")
    assert "in 10 days" in figures.answer("How many days until the renewal?", context)
    assert figures.answer("¿Cuántos días faltan para la renovación?", context).startswith("Renewal date: dentro de 10")


def test_a_day_that_is_today_is_said_so(figures: AccountFigures) -> None:
    context = account(renewal_date="2026-11-20")
    assert figures.answer("How many days until the renewal?", context) == "Renewal date: today (November 20, 2026)."


@pytest.mark.parametrize(
    ("day", "today", "near"),
    [
        (Day(date(2000, 3, 20), whole=False), date(2026, 3, 9), date(2026, 3, 20)),
        (Day(date(2000, 1, 5), whole=False), date(2026, 12, 20), date(2027, 1, 5)),
        (Day(date(2000, 12, 20), whole=False), date(2027, 1, 5), date(2026, 12, 20)),
        (Day(date(2000, 2, 29), whole=False), date(2027, 6, 1), date(2028, 2, 29)),
        (Day(date(2000, 2, 29), whole=False), date(2026, 6, 1), date(2000, 2, 29)),
        (Day(date(2020, 5, 5)), date(2026, 6, 1), date(2020, 5, 5)),
    ],
)
def test_a_day_without_a_year_is_the_nearest_one(day: Day, today: date, near: date) -> None:
    assert day.near(today) == near
