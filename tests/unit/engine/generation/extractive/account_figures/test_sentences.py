from __future__ import annotations

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.measures import measures_of
from engine.generation.extractive.account_figures.reading.sentences import sentence_figures
from engine.text.language import language_of
from tests.account_cases import encoder


def figures(text: str) -> dict[str, str]:
    """The figures of a text by their paths, as they are shown."""
    language = language_of(text)
    return {
        " ".join(f.path): f.value.shown(language)  # type: ignore[union-attr]
        for f in sentence_figures(text, language)
    }


def roles(text: str) -> dict[str, list[str]]:
    """The roles of each measure of a text."""
    measures = measures_of(sentence_figures(text, language_of(text)))
    return {measure.label: sorted(entry.role for entry in measure.entries) for measure in measures}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("You have used 30 of your 80 stamps.", "stamps"),
        ("He has sent 30 letters of the 80 included.", "letters"),
        ("Se han gastado 30 sellos de los 80 incluidos este mes.", "sellos"),
        ("Parcel slots: 30 of 80 used.", "parcel slots"),
        ("Usage · crates 30/80 used", "crates"),
        ("Today they have used 30 of their 80 crates.", "crates"),
        ("Ana ha usado 30 de sus 80 cajas.", "cajas"),
        ("You share the loft with 30 of up to 80 tenants.", "tenants"),
        ("Has movido 30 cajas (tu plan incluye 80).", "cajas"),
        ("The paint budget is €80 and €30 has been spent so far.", "paint"),
        ("The shop has 80 crates included and it has used 30.", "crates"),
        ("Tu taller tiene 80 cajas contratadas y ha usado 30.", "cajas"),
    ],
)
def test_used_and_limit_are_told_in_one_sentence(text: str, label: str) -> None:
    assert roles(text) == {label: ["limit", "used"]}


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("2 of your 5 boats are idle.", "boats idle", "boats"),
        ("Of the 5 boats, 2 are idle.", "boats idle", "boats"),
        ("You have 5 boats, 2 of them are idle.", "boats idle", "boats"),
        ("You had 5 launches this week, 2 of them failed.", "launches failed", "launches"),
        ("2 de sus 5 barcos están parados.", "barcos parados", "barcos"),
        ("De los 5 barcos, 2 están parados.", "barcos parados", "barcos"),
        ("The port holds 5 boats, 2 of which are in the dock.", "boats dock", "boats"),
        ("Tienes 5 barcos, 2 de ellos están parados.", "barcos parados", "barcos"),
    ],
)
def test_a_part_in_a_state_is_neither_used_nor_a_limit(text: str, part: str, whole: str) -> None:
    found = figures(text)
    assert found[part] == "2"
    assert found[whole] == "5"


@pytest.mark.parametrize(
    ("text", "path", "shown"),
    [
        ("You pay $20 per crate with 8 crates.", "price per crate", "$20"),
        ("Pagas 15 € por caja.", "price per caja", "15 €"),
        ("Te quedan 30 sellos.", "sellos quedan", "30"),
        ("There are 30 stamps left.", "stamps left", "30"),
        ("The bill of October was €40.", "october bill", "€40"),
        ("They baked 30 loaves in May and 41 loaves in June.", "june loaves", "41"),
        ("Crates take 30 GB, trays 41 GB.", "trays", "41 GB"),
        ("The shed has 30 crates that will be moved.", "crates", "30"),
        ("El recibo de octubre fue de 40 €.", "octubre recibo", "40 €"),
    ],
)
def test_what_a_number_counts_and_of_when(text: str, path: str, shown: str) -> None:
    assert figures(text)[path] == shown


def test_the_month_of_a_date_is_not_the_month_of_a_figure() -> None:
    assert "stamps" in figures("You have 30 stamps until 2 October 2026.")


def test_a_name_may_hold_a_number() -> None:
    (plan,) = sentence_figures("Tu plan es Libre 30.", language_of("Tu plan es"))
    assert (plan.path, plan.value) == (("plan",), "Libre 30")


@pytest.mark.parametrize(
    ("text", "question", "said"),
    [
        ("This week's bill was £30, last week's was £24.", "is my bill higher than last week?", "£6"),
        ("Esta semana ha impreso 30 hojas y la semana pasada 24 hojas.", "¿he impreso más que la semana pasada?", "6"),
    ],
)
def test_figures_of_two_periods_are_held_against_each_other(text: str, question: str, said: str) -> None:
    answer = AccountFigures(encoder()).answer(question, text)
    assert answer.startswith(("Yes", "Sí"))
    assert said in answer


@pytest.mark.parametrize("text", ["Ana tiene la tarifa Norte.", "Ana tiene una tarifa Norte."])
def test_what_somebody_has_is_a_name(text: str) -> None:
    (figure,) = sentence_figures(text, language_of(text))
    assert (figure.path, figure.value) == (("tarifa", "name"), "Norte")


def test_one_period_of_a_whole_text_is_no_part_of_a_name() -> None:
    assert roles("You have used 30 of your 80 stamps this month.") == {"stamps": ["limit", "used"]}
