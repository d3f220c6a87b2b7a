"""Rows whose cells say several things, one of which a question names, with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic, asks_over_table
from engine.text.language import language_of
from tests.account_cases import encoder

TEAS = """| Tea | Origin | Kind | Flavour | Price per 100 g (EUR) | Steeping (min) | Grower |
|---|---|---|---|---|---|---|
| Sencha Kabuse | Japan (Uji) | green | grassy and sweet | 14.50 | 2 | Hoshino & Daughters |
| Matcha Okura | Japan (Nishio) | green | grassy | 32.00 | 1 | Hoshino & Daughters |
| Darjeeling Moon | India (West Bengal) | black | floral, fruity | 11.20 | 4 | Lopchu Estate |
| Dong Ding | Taiwan | semi-dark | floral and buttery | 16.75 | 3 | Chen Family |
| Pu Erh Cake | China, Yunnan | dark | earthy, without fruity notes | 21.30 | 4 | Menghai Works |
| Keemun | China, Anhui | black | malty and floral | 9.60 | 4 | Menghai Works |"""
PISOS = """| Vivienda | Barrio | Orientación | Alquiler mensual (€) | Superficie m2 | Agencia |
|---|---|---|---|---|---|
| Ático Luna | Ruzafa (centro) | sur | 1250 | 80 | Llaves del Turia |
| Bajo Olivo | Benimaclet | norte y este | 720 | 65 | Casa Nova |
| Dúplex Faro | Ruzafa (estación) | este | 1480 | 110 | Casa Nova |
| Estudio Mar | Cabañal, playa | sur y oeste | 640 | 38 | Llaves del Turia |"""
EVIDENCE = [
    Evidence(1, Passage("teas", "teas.csv", "teas.csv", "", TEAS)),
    Evidence(2, Passage("pisos", "pisos.csv", "pisos.csv", "", PISOS)),
]


def answer(question: str, last: str = "", evidence: list[Evidence] = EVIDENCE) -> str:
    return RowArithmetic(encoder()).answer(question, evidence, language_of(question), last=last)


def names(told: str) -> list[str]:
    return [line.removeprefix("- ").split(" — ")[0] for line in told.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("teas from Japan?", ["Sencha Kabuse", "Matcha Okura"]),
        ("black teas", ["Darjeeling Moon", "Keemun"]),
        ("which teas are grown in India?", ["Darjeeling Moon"]),
        ("list the teas that are floral", ["Darjeeling Moon", "Dong Ding", "Keemun"]),
        ("which teas are malty and floral?", ["Keemun"]),
        ("which teas are malty or grassy?", ["Sencha Kabuse", "Matcha Okura", "Keemun"]),
        ("which teas are only grassy?", ["Matcha Okura"]),
        ("which teas are fruity?", ["Darjeeling Moon"]),  # what a cell denies does not count
        ("which teas are dark?", ["Pu Erh Cake"]),  # nor what stands behind a hyphen
        ("viviendas en Ruzafa", ["Ático Luna", "Dúplex Faro"]),
        ("¿qué viviendas están orientadas al este?", ["Bajo Olivo", "Dúplex Faro"]),
        ("which teas are from Kenya?", []),
        ("which teas are not from Japan?", ["Darjeeling Moon", "Dong Ding", "Pu Erh Cake", "Keemun"]),
    ],
)
def test_a_cell_holds_for_each_thing_that_it_says(question: str, held: list[str]) -> None:
    assert asks_over_table(question)
    assert names(answer(question)) == held


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("how many teas does Menghai Works grow?", "2 in all:"),
        ("how many of the teas are floral?", "3 in all:"),
        ("¿cuántas de las viviendas están orientadas al sur?", "2 en total:"),
        ("¿cuántas viviendas tiene Casa Nova?", "2 en total:"),
        ("how many teas are there?", "6 in all:"),
        ("¿cuántas viviendas hay?", "4 en total:"),
    ],
)
def test_the_rows_that_a_cell_holds_for_are_counted(question: str, count: str) -> None:
    told = answer(question)

    assert told.startswith(count)
    assert len(names(told)) == int(count.split(maxsplit=1)[0])


@pytest.mark.parametrize("question", ["how many growers are there?", "how many teas are there in winter?"])
def test_other_things_than_rows_are_not_counted(question: str) -> None:
    assert answer(question) == ""


@pytest.mark.parametrize("question", ["is there tea from Japan", "how do I make teas from Japan?", "Japan"])
def test_what_asks_otherwise_asks_for_no_rows(question: str) -> None:
    assert not asks_over_table(question)


@pytest.mark.parametrize(
    "question", ["which of them is roasted?", "which one is roasted?", "¿cuál de ellos es roasted?"]
)
def test_a_long_text_of_a_row_is_read_too(question: str) -> None:
    note = "Roasted over charcoal by the family itself; people ask every day whether it is an oolong, and it is one."
    rows = [("Dong Ding", note), ("Jin Xuan", "Milky.")]
    evidence = [
        Evidence(n, Passage(name, "taiwan.csv", "taiwan.csv", "", f"Tea: {name}\nOrigin: Taiwan\nRemarks: {text}"))
        for n, (name, text) in enumerate(rows, start=1)
    ]
    last = "- Dong Ding — Origin: Taiwan\n- Jin Xuan — Origin: Taiwan [1]"

    assert answer(question, last, evidence).startswith("Dong Ding — Remarks: Roasted over charcoal")


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("which teas steep for more than 3 minutes?", ["Darjeeling Moon", "Pu Erh Cake", "Keemun"]),
        ("teas over 3 minutes", ["Darjeeling Moon", "Pu Erh Cake", "Keemun"]),
        ("which teas cost more than €15 for 100 grams?", ["Matcha Okura", "Dong Ding", "Pu Erh Cake"]),
        ("which teas cost more than £15 for 100 grams?", []),  # another currency
        ("which teas cost more than €15 for a litre?", []),  # another unit
        ("viviendas de más de 70 metros cuadrados", ["Ático Luna", "Dúplex Faro"]),
        ("¿qué viviendas pasan de 70 m²?", ["Ático Luna", "Dúplex Faro"]),
        ("viviendas por menos de 1000 euros al mes", ["Bajo Olivo", "Estudio Mar"]),
    ],
)
def test_a_column_is_told_by_the_unit_or_the_currency_of_a_bound(question: str, held: list[str]) -> None:
    assert names(answer(question)) == held


def test_a_word_of_grammar_is_no_part_of_a_list() -> None:
    words = "| Set | Count | Words |\n|---|---|---|\n| Places | 3 | IN, ON, AT |\n| Joints | 2 | AND, OR |\n| Signs | 1 | PLUS |"
    evidence = [Evidence(1, Passage("words", "words.md", "Sets of words", "Sets", words))]

    assert answer("how many sets are there in the words?", evidence=evidence) == ""
