"""Two more price lists, which were written after what reads them."""

from __future__ import annotations

import re

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import Language
from tests.account_cases import encoder

KAYAKS = """# Bluewater kayak rental

We rent boats on Lake Orle from April to October, daily from 9 am to 7 pm.

## Boats

| Boat | Two hours | Full day | Seats |
|---|---|---|---|
| Single kayak | £18 | £34 | 1 |
| Double kayak | £28 | £52 | 2 |
| Canoe | £32 | £58 | 3 |
| Paddle board | £15 | £29 | 1 |

Boats returned late cost £6 for every half hour. If the weather is bad we give your money back.

## Gear

- Wetsuit: £7
- Dry bag: £3
- Phone case: £2
- Trolley: £5

## Tours

| Tour | Duration | Price per person |
|---|---|---|
| Island loop | 3 hours | £36 |
| Sunset paddle | 100 minutes | £28 |
| Two castles | 5 hours | £55 |

## Season pass

| Pass | Monthly | Yearly |
|---|---|---|
| Weekday | £25 | £180 |
| Every day | £38 | £270 |

The pass is not refunded once it has been used.
"""
IMPRENTA = """# Imprenta Sol

Imprimimos en un día laborable. Abrimos de lunes a viernes de 9 a 18 h.

## Tarjetas de visita

| Cantidad | Mate | Brillo |
|---|---|---|
| 100 unidades | 19 € | 23 € |
| 250 unidades | 31 € | 36 € |
| 500 unidades | 48 € | 55 € |

## Carteles

| Formato | Precio | Plazo |
|---|---|---|
| A3 | 6,50 € | 1 día |
| A2 | 11 € | 2 días |
| A1 | 17,50 € | 36 horas |

Plastificar un cartel cuesta 3 € por metro.

## Extras

- Diseño: 45 €
- Envío: 6 €
- Recogida urgente: 9,50 €

## Carga máxima

- Sobre pequeño: de 1 a 20 hojas
- Sobre mediano: de 21 a 60 hojas
- Sobre grande: más de 60 hojas
"""


def evidence(document: str) -> list[Evidence]:
    title, *sections = re.split(r"^## ", document, flags=re.MULTILINE)
    name = title.strip().splitlines()[0].strip("# ")
    return [
        Evidence(number, Passage(f"{name} {number}", name, name, heading, text))
        for number, (heading, _, text) in enumerate((section.partition("\n") for section in sections), start=1)
    ]


def answer(question: str, document: str, language: Language) -> str:
    *before, asked = question.split(" > ")
    return RowArithmetic(encoder()).answer(asked, evidence(document), language, before)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        (
            "how much for two double kayaks and a paddle board for a full day?",
            "In total £133: 2 × £52 (Double kayak — Full day) + £29 (Paddle board — Full day). [1]",
        ),
        ("how much for two double kayaks and a paddle board for a full day? > and for two hours?", "In total £71: 2 ×"),
        ("is the sunset paddle longer than the island loop?", "Sunset paddle — Duration: 100 minutes, 80 minutes less"),
        (
            "is the sunset paddle longer than the island loop? > and which is cheaper?",
            "Sunset paddle — Price per person",
        ),
        (
            "how much do i save with the yearly weekday pass?",
            "Weekday — Yearly: £180, £120 less than Weekday — Monthly",
        ),
        ("which tour is the shortest?", "The least is Sunset paddle — Duration: 100 minutes. [3]"),
        ("what are a wetsuit, a dry bag and a trolley together?", "In total £15: £7 (Wetsuit) + £3 (Dry bag) + £5"),
        (
            "is a canoe dearer than two single kayaks for a full day?",
            "Canoe — Full day: £58, £10 less than Single kayak",
        ),
        ("how much is a wetsuit? > and trolley with dry bag?", "In total £8: £5 (Trolley) + £3 (Dry bag). [2]"),
    ],
)
def test_boats(question: str, begins: str) -> None:
    assert answer(question, KAYAKS, Language.ENGLISH).startswith(begins)


@pytest.mark.parametrize(
    "question",
    [
        "how much is a wetsuit and a surfboard?",
        "how much for two kayaks for a full day?",  # single or double
        "how much are two canoes?",  # two hours or a day
        "how much is a canoe for three days?",
        "do i get it back if i don't like it?",
        "how much is a canoe if it is late?",
        "how many seats do two canoes have?",
        "how much is the island loop for a dog?",
        "can i take a dry bag or a phone case?",
    ],
)
def test_what_is_open_about_boats(question: str) -> None:
    assert answer(question, KAYAKS, Language.ENGLISH) == ""


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("¿cuánto cuestan un diseño y un envío?", "En total 51 €: 45 € (Diseño) + 6 € (Envío). [3]"),
        ("¿cuánto cuesta un diseño? > ¿y recogida urgente con envío?", "En total 15,50 €: 9,50 € (Recogida urgente)"),
        ("3 carteles A2 y uno A3, ¿cuánto es?", "En total 39,50 €: 3 × 11 € (A2 — Precio) + 6,50 € (A3 — Precio). [2]"),
        ("¿qué cartel tarda menos?", "El mínimo es A3 — Plazo: 1 día. [2]"),
        ("¿tarda más el A1 que el A2?", "A1 — Plazo: 36 horas, 12 horas menos que A2 — Plazo: 2 días. [2]"),
        ("¿cuánto más cuesta el A1 que el A3?", "A1 — Precio: 17,50 €, 11 € más que A3 — Precio: 6,50 €. [2]"),
        ("¿cuál es el extra más barato?", "El mínimo es Envío: 6 €. [3]"),
    ],
)
def test_a_printer(question: str, begins: str) -> None:
    assert answer(question, IMPRENTA, Language.SPANISH).startswith(begins)


@pytest.mark.parametrize(
    "question",
    [
        "¿cuánto cuestan 100 tarjetas?",  # mate o brillo
        "¿cuánto cuesta un cartel?",
        "¿cuánto cuesta un cartel A2 con marco?",
        "¿cuánto cuesta plastificar dos carteles A2?",
        "¿se puede pagar con tarjeta o con envío?",
        "¿cuánto tarda el envío?",
    ],
)
def test_what_is_open_about_a_printer(question: str) -> None:
    assert answer(question, IMPRENTA, Language.SPANISH) == ""
