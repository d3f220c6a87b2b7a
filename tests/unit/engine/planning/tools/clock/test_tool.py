from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.tools.clock.tool import Clock, told

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=ZoneInfo("Europe/Madrid"))


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what time is it", "Here: 20:00, Saturday, November 21, 2026 (UTC+01:00)"),
        ("what time is it in Tokyo?", "Tokyo: 04:00, Sunday, November 22, 2026 (UTC+09:00)"),
        ("¿Qué hora es en Nueva York?", "Nueva York: 14:00, sábado, 21 de noviembre de 2026 (UTC-05:00)"),
        ("東京現在幾點？", "東京: 04:00, Sunday, November 22, 2026 (UTC+09:00)"),
        ("香港現在幾點", "香港: 03:00, Sunday, November 22, 2026 (UTC+08:00)"),
        ("time in UTC+5:30", "UTC+5:30: 00:30, Sunday, November 22, 2026 (UTC+05:30)"),
        ("time in Asia/Kathmandu", "Asia/Kathmandu: 00:45, Sunday, November 22, 2026 (UTC+05:45)"),
    ],
)
def test_the_time_somewhere(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what day is today", "Today is Saturday, November 21, 2026 (2026-11-21)."),
        ("qué día es hoy", "Hoy es sábado, 21 de noviembre de 2026 (2026-11-21)."),
        ("今天星期幾", "Today is Saturday, November 21, 2026 (2026-11-21)."),
        ("what is tomorrow's date", "November 22, 2026 (2026-11-22) is a Sunday."),
        ("what day of the week was 2024-02-29", "February 29, 2024 (2024-02-29) was a Thursday."),
        ("2026年12月25日是星期幾", "December 25, 2026 (2026-12-25) is a Friday."),
    ],
)
def test_the_weekday_of_a_date(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        (
            "how many days until 2026-12-25",
            "34 days (4 weeks and 6 days): from November 21, 2026 (today) to December 25, 2026.",
        ),
        (
            "how many days until Christmas",
            "34 days (4 weeks and 6 days): from November 21, 2026 (today) to December 25, 2026.",
        ),
        (
            "cuántos días faltan para Navidad",
            "34 días (4 semanas y 6 días): del 21 de noviembre de 2026 (hoy) al 25 de diciembre de 2026.",
        ),
        (
            "距離2026年12月25日還有幾天？",
            "34 days (4 weeks and 6 days): from November 21, 2026 (today) to December 25, 2026.",
        ),
        (
            "how many days until 25 December",
            "34 days (4 weeks and 6 days): from November 21, 2026 (today) to December 25, 2026.",
        ),
        ("how many days between 2026-01-01 and 2026-01-08", "7 days: from January 1, 2026 to January 8, 2026."),
        ("how many days until tomorrow", "1 day: from November 21, 2026 (today) to November 22, 2026."),
        ("days since 1 January 2000", "9821 days (1403 weeks): from January 1, 2000 to November 21, 2026 (today)."),
        (
            "days since 25 December",
            "331 days (47 weeks and 2 days): from December 25, 2025 to November 21, 2026 (today).",
        ),
    ],
)
def test_days_between(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what is the date in 45 days", "In 45 days it will be Tuesday, January 5, 2027 (2027-01-05)."),
        ("in two weeks", "In 2 weeks it will be Saturday, December 5, 2026 (2026-12-05)."),
        ("45天後是幾號", "In 45 days it will be Tuesday, January 5, 2027 (2027-01-05)."),
        ("3個月之前", "3 months ago was Friday, August 21, 2026 (2026-08-21)."),
        ("fecha dentro de 3 meses", "Dentro de 3 meses será domingo, 21 de febrero de 2027 (2027-02-21)."),
        ("qué fecha fue hace 10 días", "Hace 10 días fue miércoles, 11 de noviembre de 2026 (2026-11-11)."),
        ("10 days ago", "10 days ago was Wednesday, November 11, 2026 (2026-11-11)."),
        ("3 weeks before 25 December 2026", "3 weeks before December 25, 2026: Friday, December 4, 2026 (2026-12-04)."),
        ("1 month after 2026-01-31", "1 month after January 31, 2026: Saturday, February 28, 2026 (2026-02-28)."),
        ("1 year after 2024-02-29", "1 year after February 29, 2024: Friday, February 28, 2025 (2025-02-28)."),
    ],
)
def test_a_date_so_far_away(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


def test_the_difference_between_two_places() -> None:
    lines = told("time difference between London and Sydney", NOW).splitlines()
    assert lines[0] == "Sydney is 11 hours ahead of London."
    assert told("香港和倫敦的時差", NOW).startswith("倫敦 is 8 hours behind 香港")
    assert told("time difference between Paris and Madrid", NOW).startswith("Paris and Madrid have the same time.")
    half = told("¿Qué diferencia horaria hay entre Londres y Nueva Delhi?", NOW)
    assert half.startswith("Nueva Delhi va 5 horas y 30 minutos por delante de Londres.")


def test_a_time_of_day_elsewhere() -> None:
    lines = told("when it is 15:00 in Madrid what time is it in Los Angeles?", NOW).splitlines()
    assert lines == [
        "Madrid: 15:00, Saturday, November 21, 2026 (UTC+01:00)",
        "Los Angeles: 06:00, Saturday, November 21, 2026 (UTC-08:00)",
    ]
    assert told("5pm in New York", NOW).splitlines()[1].startswith("Here: 23:00, Saturday")
    assert told("12 am in New York", NOW).splitlines()[0].startswith("New York: 00:00, Saturday")


def test_summer_time_is_kept() -> None:
    assert told("time in New York", NOW.replace(month=7)).endswith("(UTC-04:00)")


@pytest.mark.parametrize("query", ["2026-02-30", "in 999999 years", "what time is it in Atlantis", "hora en Gotham"])
async def test_what_no_calendar_or_map_has_is_an_error(query: str) -> None:
    result = await Clock(lambda: NOW).call({"query": query})
    assert (result.text, result.error) == ("", "the place or the date is not known")


async def test_the_clock_is_asked_each_time() -> None:
    times = iter([NOW, NOW.replace(hour=21)])
    clock = Clock(lambda: next(times))
    first, second = await clock.call({"query": "time"}), await clock.call({"query": "time"})
    assert "20:00" in first.text
    assert "21:00" in second.text


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=60))
async def test_no_text_breaks_it(text: str) -> None:
    result = await Clock(lambda: NOW).call({"query": text})
    assert result.text or result.error
