from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.text.dates import dates_in

TODAY = date(2026, 11, 21)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-12-25", date(2026, 12, 25)),
        ("2026/3/1", date(2026, 3, 1)),
        ("25 December 2026", date(2026, 12, 25)),
        ("25th of December, 2026", date(2026, 12, 25)),
        ("December 25, 2026", date(2026, 12, 25)),
        ("Dec 25th 2027", date(2027, 12, 25)),
        ("25 de diciembre de 2026", date(2026, 12, 25)),
        ("1 de enero del 2027", date(2027, 1, 1)),
        ("2026年12月25日", date(2026, 12, 25)),
        ("12月25日", date(2026, 12, 25)),
        ("3月1號", date(2027, 3, 1)),
        ("25/12/2026", date(2026, 12, 25)),
        ("12/25/2026", date(2026, 12, 25)),
        ("25 December", date(2026, 12, 25)),
        ("March 1", date(2027, 3, 1)),
        ("November 21", date(2026, 11, 21)),
        ("29 February", date(2028, 2, 29)),
        ("Christmas", date(2026, 12, 25)),
        ("Navidad", date(2026, 12, 25)),
        ("聖誕節", date(2026, 12, 25)),
        ("New Year", date(2027, 1, 1)),
        ("año nuevo", date(2027, 1, 1)),
        ("元旦", date(2027, 1, 1)),
        ("today", date(2026, 11, 21)),
        ("hoy", date(2026, 11, 21)),
        ("今天", date(2026, 11, 21)),
        ("tomorrow", date(2026, 11, 22)),
        ("mañana", date(2026, 11, 22)),
        ("明天", date(2026, 11, 22)),
        ("the day after tomorrow", date(2026, 11, 23)),
        ("pasado mañana", date(2026, 11, 23)),
        ("後天", date(2026, 11, 23)),
        ("yesterday", date(2026, 11, 20)),
        ("ayer", date(2026, 11, 20)),
        ("前天", date(2026, 11, 19)),
    ],
)
def test_a_date_is_read(text: str, day: date) -> None:
    assert dates_in(text, TODAY) == [day]


def test_dates_stand_in_the_order_of_the_text() -> None:
    text = "between tomorrow, 2026-01-02 and 5 March 2020"
    assert dates_in(text, TODAY) == [date(2026, 11, 22), date(2026, 1, 2), date(2020, 3, 5)]


def test_a_date_without_a_year_may_be_the_last_one() -> None:
    assert dates_in("since 25 December", TODAY, ahead=False) == [date(2025, 12, 25)]
    assert dates_in("since 1 March", TODAY, ahead=False) == [date(2026, 3, 1)]


@pytest.mark.parametrize("text", ["2026-02-30", "31 April 2026", "2026-13-13", "30 February", "32/12/2026"])
def test_a_date_that_no_calendar_has_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"day|month|year"):
        dates_in(text, TODAY)


@pytest.mark.parametrize("text", ["", "what time is it", "version 3.11", "10 apples", "marching on"])
def test_other_texts_name_no_date(text: str) -> None:
    assert dates_in(text, TODAY) == []


@settings(deadline=None)
@given(st.dates(date(1900, 1, 1), date(2200, 1, 1)))
def test_every_iso_date_is_read(day: date) -> None:
    assert dates_in(f"on {day.isoformat()}?", TODAY) == [day]
