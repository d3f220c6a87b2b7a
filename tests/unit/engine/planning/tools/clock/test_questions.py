from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.planning.tools.clock.questions import _FORMS, _OF_A_PLACE, clock_answer

NOW = datetime(2027, 3, 10, 9, 30, tzinfo=ZoneInfo("Europe/Madrid"))


@pytest.mark.parametrize("form", [(name, form) for name, forms in _FORMS.items() for form in forms if "Z" in form])
def test_every_form_with_a_place_has_a_word_by_which_places_are_looked_for(form: tuple[str, str]) -> None:
    """Places are not looked for where no such word stands: a form without one would never be found."""
    assert _OF_A_PLACE.search(form[1]), form


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("How long is it until 20 March?", "10 days"),
        ("days remaining until April 1, 2027", "22 days (3 weeks and 1 day)"),
        ("from 1 May 2027 to 4 May 2027 how many days are there", "3 days"),
        ("How many hours until tomorrow?", "(24 hours)"),
        ("how many months until 10 September 2027?", "(6 months)"),
        ("How many years since 10 March 2007", "(20 years)"),
        ("what was the day 40 days ago", "January 29, 2027"),
        ("which weekday was 29 February 2024", "Thursday"),
        ("which date is 6 weeks after 1 April 2027", "May 13, 2027"),
        ("next Monday, what date is it?", "March 15, 2027"),
        ("what date was last Sunday", "March 7, 2027"),
        ("what time will it be in 90 minutes?", "11:00"),
        ("how old is somebody who was born on 11 March 1987?", "39 years and 11 months: from March 11, 1987"),
        ("How old will I be if I was born on 10 March 2007", "20 years: from March 10, 2007"),
        ("born on 10 February 2026, how old is the cat", "1 year and 1 month"),
        ("current time in Lima", "03:30"),
        ("is 1900 a leap year", "No: 1900 is not a leap year."),
        ("how many days does April have", "April 2027 has 30 days."),
    ],
)
def test_english(text: str, says: str) -> None:
    assert says in clock_answer(text, NOW)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("¿Cuánto tiempo queda hasta el 20 de marzo?", "10 días"),
        ("cuantos dias van desde el 1 hasta el 4 de mayo de 2027", ""),
        ("¿Cuántos días van desde el 1 de mayo hasta el 4 de mayo?", "3 días"),
        ("¿Hace cuántos días fue el 1 de marzo?", "9 días"),
        ("dentro de 2 semanas, ¿qué fecha será?", "24 de marzo de 2027"),
        ("¿Qué día fue hace 40 días?", "29 de enero de 2027"),
        ("¿Qué día de la semana será el 24 de diciembre de 2027?", "viernes"),
        ("¿Qué hora será dentro de 90 minutos?", "11:00"),
        ("¿Qué hora es ahora mismo en Lima?", "03:30"),
        ("¿Qué edad tiene una persona nacida el 9 de marzo de 1997?", "30 años: del 9 de marzo de 1997"),
        ("Si nací el 10 de abril de 2000, ¿cuántos años tengo?", "26 años y 11 meses"),
        ("¿2032 es bisiesto?", "Sí: 2032 es bisiesto."),
        ("¿Cuántos días tiene abril?", "Abril de 2027 tiene 30 días."),
        ("¿Cuándo cae Nochevieja?", "31 de diciembre de 2027"),
        ("2 meses después del 31 de diciembre de 2027", "29 de febrero de 2028"),
    ],
)
def test_spanish(text: str, says: str) -> None:
    answer = clock_answer(text, NOW)
    assert says in answer
    assert bool(answer) == bool(says)


@pytest.mark.parametrize(
    "text",
    [
        "how many days until the release?",
        "what day of the week does the cron job run?",
        "in 5 minutes I will call the endpoint",
        "¿Cuántos días de garantía hay?",
        "¿Qué día se publica la versión?",
        "what is a date?",
        "how old is a customer born on a holiday?",
        "time",
        "today",
    ],
)
def test_what_holds_anything_else_is_no_question_for_the_clock(text: str) -> None:
    assert clock_answer(text, NOW) == ""


def test_a_date_that_no_calendar_has_is_an_error() -> None:
    with pytest.raises(ValueError, match="day"):
        clock_answer("how many days until 31 June 2027", NOW)


@settings(max_examples=80, deadline=None)
@given(st.text(alphabet="0123456789 daysuntilhowmny/-¿?ñéwektob", max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    try:
        clock_answer(text, NOW)
    except (ValueError, OverflowError):
        return
