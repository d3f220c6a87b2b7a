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
        ("what time is it", "Here: Saturday, 2026-11-21 20:00, UTC+01:00"),
        ("what time is it in Tokyo?", "Tokyo: Sunday, 2026-11-22 04:00, UTC+09:00"),
        ("¿Qué hora es en Nueva York?", "Nueva York: Saturday, 2026-11-21 14:00, UTC-05:00"),
        ("東京現在幾點？", "東京: Sunday, 2026-11-22 04:00, UTC+09:00"),
        ("香港現在幾點", "香港: Sunday, 2026-11-22 03:00, UTC+08:00"),
        ("time in UTC+5:30", "UTC+5:30: Sunday, 2026-11-22 00:30, UTC+05:30"),
        ("time in Asia/Kathmandu", "Asia/Kathmandu: Sunday, 2026-11-22 00:45, UTC+05:45"),
    ],
)
def test_the_time_somewhere(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what day is today", "2026-11-21 is a Saturday"),
        ("qué día es hoy", "2026-11-21 is a Saturday"),
        ("今天星期幾", "2026-11-21 is a Saturday"),
        ("what is tomorrow's date", "2026-11-22 is a Sunday"),
        ("what day of the week was 2024-02-29", "2024-02-29 is a Thursday"),
        ("2026年12月25日是星期幾", "2026-12-25 is a Friday"),
    ],
)
def test_the_weekday_of_a_date(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("how many days until 2026-12-25", "From 2026-11-21 (today) to 2026-12-25: 34 days (4 weeks and 6 days)"),
        ("how many days until Christmas", "From 2026-11-21 (today) to 2026-12-25: 34 days (4 weeks and 6 days)"),
        ("cuántos días faltan para Navidad", "From 2026-11-21 (today) to 2026-12-25: 34 days (4 weeks and 6 days)"),
        ("距離2026年12月25日還有幾天？", "From 2026-11-21 (today) to 2026-12-25: 34 days (4 weeks and 6 days)"),
        ("how many days until 25 December", "From 2026-11-21 (today) to 2026-12-25: 34 days (4 weeks and 6 days)"),
        ("how many days between 2026-01-01 and 2026-01-08", "From 2026-01-01 to 2026-01-08: 7 days"),
        ("how many days until tomorrow", "From 2026-11-21 (today) to 2026-11-22: 1 day"),
        ("days since 1 January 2000", "From 2000-01-01 to 2026-11-21 (today): 9821 days (1403 weeks and 0 days)"),
        ("days since 25 December", "From 2025-12-25 to 2026-11-21 (today): 331 days (47 weeks and 2 days)"),
    ],
)
def test_days_between(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("what is the date in 45 days", "45 days after 2026-11-21: 2027-01-05, a Tuesday"),
        ("in two weeks", "2 weeks after 2026-11-21: 2026-12-05, a Saturday"),
        ("45天後是幾號", "45 天 after 2026-11-21: 2027-01-05, a Tuesday"),
        ("3個月之前", "3 個月 before 2026-11-21: 2026-08-21, a Friday"),
        ("fecha dentro de 3 meses", "3 meses after 2026-11-21: 2027-02-21, a Sunday"),
        ("qué fecha fue hace 10 días", "10 días before 2026-11-21: 2026-11-11, a Wednesday"),
        ("10 days ago", "10 days before 2026-11-21: 2026-11-11, a Wednesday"),
        ("3 weeks before 25 December 2026", "3 weeks before 2026-12-25: 2026-12-04, a Friday"),
        ("1 month after 2026-01-31", "1 month after 2026-01-31: 2026-02-28, a Saturday"),
        ("1 year after 2024-02-29", "1 year after 2024-02-29: 2025-02-28, a Friday"),
    ],
)
def test_a_date_so_far_away(query: str, answer: str) -> None:
    assert told(query, NOW) == answer


def test_the_difference_between_two_places() -> None:
    lines = told("time difference between London and Sydney", NOW).splitlines()
    assert lines[0] == "Sydney is 11:00 hours ahead of London"
    assert told("香港和倫敦的時差", NOW).startswith("倫敦 is 8:00 hours behind 香港")
    assert told("time difference between Paris and Madrid", NOW).startswith("the same time")


def test_a_time_of_day_elsewhere() -> None:
    lines = told("when it is 15:00 in Madrid what time is it in Los Angeles?", NOW).splitlines()
    assert lines == [
        "Madrid: Saturday, 2026-11-21 15:00, UTC+01:00",
        "Los Angeles: Saturday, 2026-11-21 06:00, UTC-08:00",
    ]
    assert told("5pm in New York", NOW).splitlines()[1] == "Here: Saturday, 2026-11-21 23:00, UTC+01:00"
    assert told("12 am in New York", NOW).splitlines()[0] == "New York: Saturday, 2026-11-21 00:00, UTC-05:00"


def test_summer_time_is_kept() -> None:
    july = NOW.replace(month=7)
    assert told("time in New York", july).endswith("UTC-04:00")


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
