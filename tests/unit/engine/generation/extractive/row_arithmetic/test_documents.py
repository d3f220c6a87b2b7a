"""Questions about whole documents, all of whose sections are at hand: what is put together, and what is left to quoting."""

from __future__ import annotations

import re

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import Language
from tests.account_cases import encoder

PRINTERS = """# Inkwell print shop

## Posters

| Poster | Matt | Glossy |
|---|---|---|
| A3 | £4.20 | £5 |
| A2 | £7.50 | £9 |
| A1 | £12 | £14.50 |

Posters are ready in two days. Orders of 20 or more get 15% off.

## Business cards

| Pack | Cards | Price | Ready in |
|---|---|---|---|
| Starter | 100 | £18 | 3 days |
| Standard | 250 | £29 | 4 days |
| Studio | 500 | £45 | 36 hours |

## Extras

- Laminating: £1.50
- Frame: £16
- Cutting: £0.80
- Delivery in town: £5
- Delivery abroad: from £12

## Storage of files

| Plan | Monthly | Yearly |
|---|---|---|
| Basic archive | £3 | £30 |
| Large archive | £8 | £84 |

Files are kept for a month for nothing. A plan can be cancelled at any time.
"""
BALNEARIO = """# Balneario Fuente Clara

## Circuito termal

| Entrada | Laborables | Festivos |
|---|---|---|
| Adulto | 18 € | 24 € |
| Jubilado | 14 € | 19 € |
| Niño hasta 12 años | 9 € | 12 € |

## Masajes

| Masaje | Duración | Precio |
|---|---|---|
| Espalda | 25 minutos | 32 € |
| Relajante completo | 50 minutos | 58 € |
| Piedras calientes | 1 hora | 72,50 € |
| Deportivo | 45 minutos | 49 € |

## Alquiler

Albornoz: 4 €
Chanclas: 2,50 €
Gorro: 1,20 €
Taquilla grande: 3 €

## Alojamiento

- Habitación individual: 64 €
- Habitación doble: 88 €
- Cama supletoria: 20 €
- Media pensión: 22 €, por persona
- Parking: 10 €

## Abonos

| Abono | Precio al mes | Precio al año |
|---|---|---|
| Mañanas | 39 € | 390 € |
| Completo | 55 € | 599 € |
"""


def evidence(document: str) -> list[Evidence]:
    title, *sections = re.split(r"^## ", document, flags=re.MULTILINE)
    name = title.strip("# \n")
    return [
        Evidence(number, Passage(f"{name} {number}", name, name, heading, text))
        for number, (heading, _, text) in enumerate((section.partition("\n") for section in sections), start=1)
    ]


def answer(question: str, document: str, language: Language) -> str:
    *before, last = question.split(" > ")
    return RowArithmetic(encoder()).answer(last, evidence(document), language, before)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("how much are 3 glossy a2 posters?", "In total £27: 3 × £9 (A2 — Glossy). [1]"),
        ("two A1 matt and one A3 matt, how much altogether?", "In total £28.20: 2 × £12 (A1 — Matt) + £4.20"),
        ("how much is a frame with laminating?", "In total £17.50: £16 (Frame) + £1.50 (Laminating). [3]"),
        ("what do four frames cost", "In total £64: 4 × £16 (Frame). [3]"),
        ("is the studio pack ready faster than the starter pack?", "Studio — Ready in: 36 hours, 36 hours less than"),
        ("which is cheaper, starter or standard?", "Starter — Price: £18, £11 less than Standard — Price: £29. [2]"),
        ("how much more is the studio pack than two starter packs?", "Studio — Price: £45, £9 more than Starter"),
        ("what's the difference between glossy and matt A1?", "A1 — Glossy: £14.50, £2.50 more than A1 — Matt"),
        ("how many cards more are in studio than standard?", "Studio — Cards: 500, 250 more than Standard"),
        ("how much do i save with the yearly basic archive?", "Basic archive — Yearly: £30, £6 less than Basic"),
        ("is a large archive cheaper yearly than monthly?", "Large archive — Yearly: £84, £12 less than Large"),
        ("how much is cutting plus delivery in town?", "In total £5.80: £0.80 (Cutting) + £5 (Delivery in town). [3]"),
        ("is laminating cheaper than a frame?", "Laminating: £1.50, £14.50 less than Frame: £16. [3]"),
        ("is laminating cheaper than a frame? > by how much more?", "Laminating: £1.50, £14.50 less"),
        ("what is the cheapest pack?", "The least is Starter — Price: £18. [2]"),
        ("which pack is ready the quickest?", "The least is Studio — Ready in: 36 hours. [2]"),
        ("how much is a frame? > and laminating? > both together?", "In total £17.50: £16 (Frame)"),
        ("how much is a frame? > and laminating? > which is more expensive?", "Frame: £16, £14.50 more"),
        ("how much are 3 matt a2 posters? > and glossy?", "In total £27: 3 × £9 (A2 — Glossy). [1]"),
    ],
)
def test_an_english_price_list(question: str, begins: str) -> None:
    assert answer(question, PRINTERS, Language.ENGLISH).startswith(begins)


@pytest.mark.parametrize(
    "question",
    [
        "how much are 25 matt A2 posters?",  # a share is off from 20 on
        "how much is a frame and delivery abroad?",  # from
        "how much is delivery and a frame?",  # in town or abroad
        "how much are two A2 posters?",  # matt or glossy
        "how much is a poster?",
        "do you print on canvas or on wood?",
        "how much for 3 canvas prints and a frame?",
        "how much is a frame for an A2 poster?",
        "is matt better than glossy?",
        "how long does it take to print two A2 posters?",
        "can i get a frame and laminating by friday?",
        "is there a plan cheaper than the basic archive?",
        "how much does the starter pack cost in euros?",
        "how much is a frame? > and how do i pay?",
        "how much is a frame? > and the biggest one?",
        "thanks",
    ],
)
def test_what_an_english_price_list_leaves_open(question: str) -> None:
    assert answer(question, PRINTERS, Language.ENGLISH) == ""


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("dos adultos y un niño en festivos, ¿cuánto es?", "En total 60 €: 2 × 24 € (Adulto — Festivos) + 12 €"),
        ("dos adultos y un niño en festivos, ¿cuánto es? > ¿y en laborables?", "En total 45 €: 2 × 18 €"),
        ("¿cuánto cuestan tres jubilados en laborables?", "En total 42 €: 3 × 14 € (Jubilado — Laborables). [1]"),
        ("albornoz y chanclas cuanto son", "En total 6,50 €: 4 € (Albornoz) + 2,50 € (Chanclas). [3]"),
        ("cuánto suman 2 albornoces y una taquilla grande", "En total 11 €: 2 × 4 € (Albornoz) + 3 €"),
        ("¿qué masaje es más barato, el de espalda o el deportivo?", "Espalda — Precio: 32 €, 17 € menos que"),
        (
            "¿dura más el relajante que el de piedras calientes?",
            "Relajante completo — Duración: 50 minutos, 10 minutos",
        ),
        ("¿es más caro el masaje deportivo que el de espalda?", "Deportivo — Precio: 49 €, 17 € más que Espalda"),
        ("habitación doble con cama supletoria, ¿cuánto sería?", "En total 108 €: 88 € (Habitación doble) + 20 €"),
        ("¿sale más barata la doble que dos individuales?", "Habitación doble: 88 €, 40 € menos que Habitación"),
        ("¿cuánto ahorro con el abono completo al año?", "Completo — Precio al año: 599 €, 61 € menos que Completo"),
        ("diferencia de precio entre el abono de mañanas y el completo al mes", "Mañanas — Precio al mes: 39 €, 16 €"),
        ("cuánto cuesta el gorro > y las chanclas? > las dos cosas juntas cuánto es?", "En total 3,70 €: 1,20 €"),
        ("un masaje de espalda y uno deportivo, ¿cuánto en total?", "En total 81 €: 32 € (Espalda — Precio) + 49 €"),
    ],
)
def test_a_spanish_price_list(question: str, begins: str) -> None:
    assert answer(question, BALNEARIO, Language.SPANISH).startswith(begins)


@pytest.mark.parametrize(
    "question",
    [
        "dos adultos y un niño, ¿cuánto es?",  # laborables o festivos
        "¿cuánto cuesta la habitación doble con media pensión?",  # por persona
        "¿cuánto cuesta la habitación con parking?",  # cuál
        "¿cuánto cuesta un adulto y un perro en festivos?",
        "¿hay masajes más largos?",
        "¿puedo llevar albornoz o chanclas?",
        "¿cuánto cuestan los masajes?",
        "¿cuánto dura el circuito?",
        "tres noches en habitación doble, ¿cuánto es?",  # no es por noche, que se diga
        "¿cuánto cuesta el albornoz cada uno?",
        "cuánto cuesta el gorro > ¿y dónde se compra?",
        "gracias",
    ],
)
def test_what_a_spanish_price_list_leaves_open(question: str) -> None:
    assert answer(question, BALNEARIO, Language.SPANISH) == ""
