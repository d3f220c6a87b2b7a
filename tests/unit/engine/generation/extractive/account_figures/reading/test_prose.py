from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.figure import Amount, value_of
from engine.generation.extractive.account_figures.reading.contexts import read_figures
from engine.text.language import Language
from tests.account_cases import encoder

GALLERY = (
    "Harbour Gallery, week of 3-9 June 2031. You counted 310 visitors this week, compared with 280 the week before; 45 "
    "of them were new visitors. The average wait was 52 minutes (previous week: 47 minutes). There were 9 guided "
    "tours and 4 walk-ins. Paintings: 12 shown in May and 15 in June. Each extra audio guide costs $4.20 a month. The "
    "June donations were not recorded."
)
MUSEO = (
    "El aforo de mayo fue del 61,5 %, frente al 58,2 % de abril. Las visitas guiadas fueron 14. "
    "El gasto en carteles de mayo todavía no está disponible."
)


def told(context: str) -> dict[str, object]:
    """The values by the words of their names."""
    return {" ".join(figure.path): getattr(figure.value, "value", figure.value) for figure in read_figures(context)}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("this week visitors", 310),
        ("previous week visitors", 280),
        ("visitors new", 45),
        ("previous week average wait", 47),
        ("guided tours", 9),
        ("walk ins", 4),
        ("May paintings", 12),
        ("June paintings", 15),
        ("june donations", None),
    ],
)
def test_numbers_are_named_by_what_they_measure(name: str, value: int | None) -> None:
    figures = told(GALLERY)
    named = [known for known in figures if set(name.split()) <= set(known.split())]
    assert [figures[known] for known in named] == [value], list(figures)


def test_what_is_measured_names_the_measure() -> None:
    assert told(GALLERY)["average wait"] == 52


def test_the_first_day_of_a_stretch_is_no_number() -> None:
    assert 3 not in told(GALLERY).values()


def test_what_is_held_against_another_month_is_of_the_same_thing() -> None:
    assert told(MUSEO)["abril aforo"] == pytest.approx(58.2)
    assert told(MUSEO)["mayo gasto carteles"] is None


def test_the_price_of_one_thing_says_of_what() -> None:
    assert any("audio guide" in " ".join(f.path) and "month" in f.path for f in read_figures(GALLERY))
    assert [f.path for f in read_figures("You pay $3 per word. It costs $9 a month.")] == [
        ("price per", "word"),
        ("price per", "month"),
    ]


@pytest.mark.parametrize(
    ("text", "unit"),
    [("A$1,250.50", "A$"), ("NT$300", "NT$"), ("₹500", "₹"), ("R$ 20", "R$"), ("1 250 kr", "kr"), ("12 zł", "zł")],
)
def test_currencies_of_other_countries_are_money(text: str, unit: str) -> None:
    amount = value_of(text, Language.ENGLISH)
    assert isinstance(amount, Amount)
    assert (amount.unit, amount.is_money) == (unit, True)


def test_the_end_of_a_word_is_no_currency() -> None:
    assert not any(
        isinstance(f.value, Amount) and f.value.is_money for f in read_figures("Se abrieron 5 casos y hubo un cierre.")
    )


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("how many walk-ins were there?", "4"),
        ("how many visitors were there the previous week?", "280"),
        ("what was the average wait?", "52"),
    ],
)
def test_what_prose_says_is_answered(query: str, says: str) -> None:
    answer = AccountFigures(encoder()).answered(query, GALLERY)
    assert answer.sure or answer.likely, answer.text
    assert says in answer.text


SCHOOL = "curso,tutora,alumnado,plazas\n1º ESO A,Nuria Sanz,21,25\n2º ESO B,Ana Ruiz,24,25\n3º ESO A,Eva Gil,19,30\n"


@pytest.mark.parametrize("query", ["¿quién es la tutora de 2º ESO B?", "tutora de 2 eso b", "tutora de 2º eso b"])
def test_a_row_with_an_ordinal_is_named_without_its_sign_too(query: str) -> None:
    answer = AccountFigures(encoder()).answered(query, SCHOOL)
    assert answer.sure
    assert "Ana Ruiz" in answer.text
    assert "Nuria" not in answer.text
