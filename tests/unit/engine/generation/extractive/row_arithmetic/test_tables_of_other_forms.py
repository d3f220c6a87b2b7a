"""Tables whose columns are the things, figures that are no money, and lists in running documents."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import Language
from tests.account_cases import encoder

COVER = """| Benefit | Essential | Plus | Premier |
|---|---|---|---|
| Baggage | £750 | £1,500 | £2,500 |
| Excess per claim | £150 | £90 | £0 |
| Price, 7 days in Europe | £14 | £23 | £38 |
| Price, 14 days in Europe | £21 | £33 | £52 |
| Travel delay | not covered | £30 | £50 |"""
PROGRAMMES = """| Programme | Temperature | Duration | Water | Energy |
|---|---|---|---|---|
| Eco | 50 °C | 3 h 15 min | 9.5 l | 0.75 kWh |
| Intensive | 70 °C | 2 h 20 min | 14 l | 1.35 kWh |
| Quick | 45 °C | 30 min | 10 l | 0.70 kWh |"""
TOOLS = """We lend tools for a week.

Drill: 6 pounds, with two batteries
Sander: 5 pounds
Ladder, 4 m: 8 pounds
Tile cutter: 9 pounds"""
PLANES = """| Tarifa | Datos | Cuota |
|---|---|---|
| Mini | 5 GB | 8,90 € |
| Media | 20 GB | 14,90 € |
| Máxima | 100 GB | 24 € |"""


def answer(question: str, text: str, language: Language = Language.ENGLISH, *, heading: str = "Section") -> str:
    *before, last = question.split(" > ")
    evidence = [Evidence(1, Passage("p1", "one.md", "Handbook", heading, text))]
    return RowArithmetic(encoder()).answer(last, evidence, language, before)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        (
            "compare baggage on essential and premier",
            "Baggage — Essential: £750, £1750 less than Baggage — Premier: £2,500",
        ),
        (
            "is baggage on premier more than on essential?",
            "Baggage — Premier: £2,500, £1750 more than Baggage — Essential",
        ),
        ("what is the difference in baggage between plus and essential?", "Baggage — Plus: £1,500, £750 more than"),
        ("is the excess lower on plus than on essential?", "Excess per claim — Plus: £90, £60 less than Excess"),
        ("is travel delay higher on essential than on plus?", ""),  # one of them is not covered
        ("how much are two times 7 days in europe on plus?", ""),
    ],
)
def test_things_that_are_columns_are_compared_within_a_row(question: str, begins: str) -> None:
    said = answer(question, COVER)
    assert said.startswith(begins)
    assert bool(said) is bool(begins)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("how much energy do 5 eco use", "In total 3.75 kWh: 5 × 0.75 kWh (Eco — Energy). [1]"),
        ("does eco use more water than intensive?", "Eco — Water: 9.5 l, 4.5 l less than Intensive — Water: 14 l."),
        ("how much water do eco and quick use together?", "In total 19.5 l: 9.5 l (Eco — Water) + 10 l"),
        ("how much is the temperature of eco and quick together?", ""),  # degrees have no sum
        ("how much do eco and quick cost?", ""),  # no money in it
        ("how much energy do eco and rinse use?", ""),
    ],
)
def test_figures_of_other_units(question: str, begins: str) -> None:
    said = answer(question, PROGRAMMES, heading="Programmes")
    assert said.startswith(begins)
    assert bool(said) is bool(begins)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("is the sander cheaper than the tile cutter?", "Sander: 5 pounds, 4 pounds less than Tile cutter: 9 pounds."),
        ("how much are a sander and a ladder?", "In total 13 pounds: 5 pounds (Sander) + 8 pounds (Ladder, 4 m). [1]"),
        ("how much are a sander and a ladder for a day?", "In total 13 pounds"),
        ("how much are a drill and a sander?", ""),  # the drill comes with something
        ("how much are a sander and a hammer?", ""),
    ],
)
def test_lines_of_plain_text(question: str, begins: str) -> None:
    said = answer(question, TOOLS, heading="Tools")
    assert said.startswith(begins)
    assert bool(said) is bool(begins)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        (
            "¿cuánto más cuesta la máxima que la mini?",
            "Máxima — Cuota: 24 €, 15,10 € más que Mini — Cuota: 8,90 €. [1]",
        ),
        ("¿tiene más datos la media que la mini?", "Media — Datos: 20 GB, 15 GB más que Mini — Datos: 5 GB. [1]"),
        ("¿cuánto cuestan dos tarifas mini y una media?", "En total 32,70 €: 2 × 8,90 € (Mini — Cuota) + 14,90 €"),
        ("¿es más cara la media? > ¿y la máxima?", ""),
    ],
)
def test_a_table_of_tariffs(question: str, begins: str) -> None:
    said = answer(question, PLANES, Language.SPANISH, heading="Tarifas")
    assert said.startswith(begins)
    assert bool(said) is bool(begins)
