"""Sums and comparisons over rows of documents, with the bundled encoder."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from classifier.decision import QueryType
from engine.domain import Evidence, Exchange, Passage, Relation
from engine.generation.extractive.answerer import ExtractiveAnswerer
from engine.generation.extractive.row_arithmetic import wording
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.generation.extractive.row_arithmetic.last_row import cell_of_the_last_row
from engine.generation.extractive.row_arithmetic.rows import rows_of_evidence
from engine.generation.port import Prompt, Token
from engine.text.language import Language, language_of
from tests.account_cases import encoder

ENTRY = """| Ticket | Peak | Off-peak |
|---|---|---|
| Adult | £13.50 | £10 |
| Student | £11 | £8.50 |
| Child (6 to 15) | £8 | £6 |"""
PLANS = """| Membership | Monthly | Yearly | Guests |
|---|---|---|---|
| Solo | £42 | £420 | 2 |
| Duo | £74 | £740 | 4 |"""
COURSES = """| Course | Length | Price |
|---|---|---|
| Taster | 90 minutes | £25 |
| Kids club | 2 hours | £14 |
| Self rescue | 4 hours | £70 |"""
HIRE = "- Shoes: £3.50\n- Harness: £2.50\n- Helmet: £1\n- Rope, 60 m: £6, for members only"
CURSOS = """| Permiso | Edad mínima | Precio del curso |
|---|---|---|
| AM (ciclomotor) | 15 años | 240 € |
| A2 (moto) | 18 años | 480 € |"""
CONCEPTOS = """| Concepto | Precio |
|---|---|
| Matrícula | 90 € |
| Clase práctica (45 min) | 32 € |
| Bono de 10 prácticas | 290 € |
| Tasa de Tráfico | 94,05 € |
| Libro y test por internet | 35 € |"""
COMIDAS = "- Desayuno: 5 €\n- Comida o picnic: 11 €\n- Cena: 12 €\n- Pensión completa: 25 €"


def passage(number: int, document: str, heading: str, text: str) -> Evidence:
    return Evidence(number, Passage(f"p{number}", document, document.partition(".")[0], heading, text))


HALL = (
    passage(1, "hall.md", "Entry", ENTRY),
    passage(2, "hall.md", "Memberships", PLANS),
    passage(3, "hall.md", "Courses", COURSES),
    passage(4, "hall.md", "Hire", HIRE),
)
SCHOOL = (
    passage(5, "escuela.md", "Precios", CONCEPTOS),
    passage(6, "escuela.md", "Permisos", CURSOS),
    passage(7, "escuela.md", "Comedor", COMIDAS),
)


def answer(question: str, *before: str, evidence: tuple[Evidence, ...] = (*HALL, *SCHOOL)) -> str:
    return RowArithmetic(encoder()).answer(question, evidence, language_of(question), before)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "two adults and a child at peak, how much in total?",
            "In total £35: 2 × £13.50 (Adult — Peak) + £8 (Child (6 to 15) — Peak). [1]",
        ),
        ("how much for 12 students off peak", "In total £102: 12 × £8.50 (Student — Off-peak). [1]"),
        (
            "how much is an adult peak ticket and a child off-peak?",
            "In total £19.50: £13.50 (Adult — Peak) + £6 (Child (6 to 15) — Off-peak). [1]",
        ),
        ("shoes plus harness together?", "In total £6: £3.50 (Shoes) + £2.50 (Harness). [4]"),
        ("what do 3 tasters cost?", "In total £75: 3 × £25 (Taster — Price). [3]"),
        (
            "how much is a taster and a helmet?",
            "In total £26: £25 (Taster — Price) + £1 (Helmet). [3] [4]",
        ),
        (
            "how long do a taster and kids club take together?",
            "In total 210 minutes: 90 minutes (Taster — Length) + 2 hours (Kids club — Length). [3]",
        ),
        (
            "matrícula, tasa y libro cuánto es en total?",
            "En total 219,05 €: 90 € (Matrícula) + 94,05 € (Tasa de Tráfico) + 35 € (Libro y test por internet). [5]",
        ),
        ("cuánto cuestan 5 prácticas?", "En total 160 €: 5 × 32 € (Clase práctica (45 min)). [5]"),
    ],
)
def test_named_rows_are_added(question: str, said: str) -> None:
    assert answer(question) == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which is cheaper, hiring a helmet or shoes?", "Helmet: £1, £2.50 less than Shoes: £3.50. [4]"),
        (
            "is the taster longer than kids club?",
            "Taster — Length: 90 minutes, 30 minutes less than Kids club — Length: 2 hours. [3]",
        ),
        (
            "is the kids club cheaper than a taster?",
            "Kids club — Price: £14, £11 less than Taster — Price: £25. [3]",
        ),
        (
            "what is the difference in price between a taster and self rescue?",
            "Taster — Price: £25, £45 less than Self rescue — Price: £70. [3]",
        ),
        (
            "how much more is duo than solo per month?",
            "Duo — Monthly: £74, £32 more than Solo — Monthly: £42. [2]",
        ),
        (
            "is a duo membership better than two solo memberships per month?",
            "Duo — Monthly: £74, £10 less than Solo — Monthly: £84 (2 × £42). [2]",
        ),
        (
            "how much do I save with the yearly solo membership compared with paying monthly?",
            "Solo — Yearly: £420, £84 less than Solo — Monthly: £504 (12 × £42). [2]",
        ),
        (
            "how much do I save with the yearly duo membership?",
            "Duo — Yearly: £740, £148 less than Duo — Monthly: £888 (12 × £74). [2]",
        ),
        (
            "es más caro el A2 que el AM?",
            "A2 (moto) — Precio del curso: 480 €, 240 € más que AM (ciclomotor) — Precio del curso: 240 €. [6]",
        ),
        (
            "cuánto ahorro con el bono de 10 prácticas en vez de 10 clases?",
            "Bono de 10 prácticas: 290 €, 30 € menos que Clase práctica (45 min): 320 € (10 × 32 €). [5]",
        ),
        (
            "es más barata la pensión completa o desayuno, comida y cena por separado?",
            "Pensión completa: 25 €, 3 € menos que Desayuno + Comida o picnic + Cena: 28 € (5 € + 11 € + 12 €). [7]",
        ),
    ],
)
def test_of_two_sides_it_is_said_which_is_more_and_by_how_much(question: str, said: str) -> None:
    assert answer(question) == said


def test_equal_sides_are_told_to_be_the_same() -> None:
    lists = (passage(1, "hall.md", "Hire", "- Towel: £2\n- Robe: £2\n- Mat: £3"),)
    assert answer("is a towel cheaper than a robe?", evidence=lists) == "Towel: £2, the same as Robe: £2. [1]"


@pytest.mark.parametrize(
    ("question", "before", "said"),
    [
        ("and off-peak?", ["two adults and a child at peak, how much in total?"], "In total £26: 2 × £10"),
        ("cuánto más?", ["es más caro el A2 que el AM?"], "A2 (moto) — Precio del curso: 480 €, 240 € más"),
        ("y las dos juntas?", ["cuánto cuesta la matrícula", "y la tasa?"], "En total 184,05 €: 90 €"),
        (
            "and which is longer?",
            ["is the kids club cheaper than a taster?"],
            "Kids club — Length: 2 hours, 30 minutes",
        ),
        ("and both together?", ["is a helmet cheaper than shoes?"], "In total £4.50: £1 (Helmet) + £3.50 (Shoes)"),
    ],
)
def test_what_names_no_row_goes_on_from_the_rows_before(question: str, before: list[str], said: str) -> None:
    assert answer(question, *before).startswith(said)


@pytest.mark.parametrize(
    "question",
    [
        "two adults and a child, how much in total?",  # peak or off-peak
        "how much are adults and children at peak?",  # how many of each
        "how much for an adult and a dog at peak?",
        "how much is an adult and a child each at peak?",
        "how much for two adults at peak for 3 hours?",
        "how much are a helmet and a rope?",  # the rope is for members only
        "which is better, a helmet or parking?",
        "is breakfast or dinner included?",
        "is a taster better than solo?",  # nothing in common
        "how many adults and children come at peak?",
        "can an adult and a child come in at peak?",
        "which is cheaper?",
        "qué edad piden para el A2 y el AM?",
        "cuánto suman la edad mínima del A2 y el AM?",  # ages have no sum
    ],
)
def test_what_is_not_found_without_doubt_is_not_put_together(question: str) -> None:
    assert answer(question) == ""


def test_a_price_for_so_many_is_not_worked_out_from_the_price_for_one() -> None:
    groups = passage(8, "hall.md", "Groups", "Groups of 10 or more get 15% off the entry.")
    question = "how much for {} students off peak"
    assert answer(question.format(12), evidence=(*HALL, groups)) == ""
    assert answer(question.format(9), evidence=(*HALL, groups)).startswith("In total £76.50")


def test_a_row_that_is_of_all_of_it_stands_in_the_way_of_a_sum() -> None:
    family = ENTRY + "\n| Family (2 adults, 1 child) | £30 | £22 |"
    assert answer("two adults and a child at peak, how much?", evidence=(passage(1, "hall.md", "Entry", family),)) == ""


def test_rows_of_two_documents_are_not_added_and_two_that_answer_leave_it_open() -> None:
    other = passage(9, "pool.md", "Entry", ENTRY)
    assert answer("how much is a helmet and a desayuno?") == ""
    assert answer("two adults and a child at peak, how much?", evidence=(*HALL, other)) == ""


async def test_an_answer_says_what_the_rows_come_to_though_the_passages_seem_not_to_answer() -> None:
    prompt = Prompt(
        QueryType.RETRIEVAL,
        "and off-peak?",
        evidence=HALL,
        answerable=False,
        history=(Exchange("two adults and a child at peak, how much?", "In total £35. [1]", 1),),
        relation=Relation.CONTEXTUAL_FOLLOW_UP,
        language=Language.ENGLISH,
    )
    async with aclosing(ExtractiveAnswerer(encoder()).stream(prompt)) as pieces:
        text = "".join([piece.text async for piece in pieces if isinstance(piece, Token)])
    assert text.startswith("In total £26")
    assert text.endswith("[1]")


@pytest.mark.parametrize(
    ("question", "last", "said"),
    [
        ("and how much is it a month?", "Duo — Guests: 4. [2]", "Duo — Monthly: £74. [2]"),
        ("and the guests?", "Memberships: Solo — Monthly: £42; Yearly: £420; Guests: 2. [2]", "Solo — Guests: 2. [2]"),
        ("and how long is it?", "Taster — Price: £25. [3]", "Taster — Length: 90 minutes. [3]"),
        ("how much does it cost?", "Kids club — Length: 2 hours. [3]", "Kids club — Price: £14. [3]"),
        ("¿y cuánto cuesta?", "A2 (moto) — Edad mínima: 18 años. [6]", "A2 (moto) — Precio del curso: 480 €. [6]"),
        ("how much does it cost?", "Duo — Guests: 4. [2]", ""),  # a month or a year
        ("how much does it cost?", "Taster — Length: 90 minutes. [3] Kids club — Length: 2 hours. [3]", ""),
        ("how much does it cost with shoes?", "Kids club — Length: 2 hours. [3]", ""),
        ("and where is it?", "Kids club — Length: 2 hours. [3]", ""),
        ("and the price?", "Courses include the hire of shoes. [3]", ""),
        ("how much is the kids club?", "Taster — Length: 90 minutes. [3]", ""),
    ],
)
def test_a_column_alone_is_asked_of_the_row_that_was_quoted(question: str, last: str, said: str) -> None:
    rows = rows_of_evidence((*HALL, *SCHOOL))
    assert cell_of_the_last_row(question, last, rows) == said


def test_a_period_names_the_column_that_has_another_word_for_it() -> None:
    plans = passage(
        1,
        "luz.md",
        "Cuotas",
        "| Cuota | Mensual | Anual |\n|---|---|---|\n| Joven | 9 € | 95 € |\n| Senior | 7 € | 75 € |",
    )
    said = answer("¿cuánto cuestan al mes dos cuotas joven y una senior?", evidence=(plans,))
    assert said.startswith("En total 25 €: 2 × 9 €")
    assert answer("¿cuánto ahorro con la cuota joven al año?", evidence=(plans,)).startswith(
        "Joven — Anual: 95 €, 13 €"
    )


async def told(query: str, heading: str, text: str, language: Language = Language.ENGLISH) -> str:
    prompt = Prompt(QueryType.RETRIEVAL, query, evidence=(passage(1, "one.md", heading, text),), language=language)
    async with aclosing(ExtractiveAnswerer(encoder()).stream(prompt)) as pieces:
        return "".join([piece.text async for piece in pieces if isinstance(piece, Token)])


async def test_the_price_of_one_is_followed_by_that_of_so_many() -> None:
    text = "A membership may be frozen for up to three months a year; freezing costs £5 a month. It ends by itself."
    said = await told("what does freezing cost for 3 months?", "Freezing", text)
    assert said.endswith("3 months × £5 = £15. [1]")
    assert "freezing costs £5 a month" in said
    assert "£15" not in await told("what does freezing cost for 3 months and 2 weeks?", "Freezing", text)
    potencia = "Subirla cuesta 38 € por cada kW de aumento. El cambio tarda cinco días."
    assert "2 kw × 38 € = 76 €" in await told(
        "cuanto vale subir 2 kw", "Cambiar la potencia", potencia, Language.SPANISH
    )


async def test_the_row_is_quoted_whose_range_holds_the_number() -> None:
    levels = "- Level 1: soft water, 0 to 10 °dH\n- Level 2: medium water, 11 to 20 °dH\n- Level 3: hard, above 20 °dH"
    assert await told("which level for 25 °dH", "Hardness", levels) == "Level 3: hard, above 20 °dH. [1]"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "what is the difference between the taster and self rescue?",
            "Taster — Length: 90 minutes; Price: £25. [3] Self rescue — Length: 4 hours; Price: £70. [3]",
        ),
        ("what is the difference between a helmet and a harness?", "Helmet: £1, £1.50 less than Harness: £2.50. [4]"),
    ],
)
def test_a_difference_as_such_is_all_that_both_rows_have(question: str, said: str) -> None:
    assert answer(question) == said


def test_a_question_is_not_taken_apart_to_see_whether_it_compares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wording, "_parts", lambda *_: pytest.fail("it was taken apart"))
    text = passage(1, "hall.md", "Entry", "The hall opens at nine.")
    assert not RowArithmetic(encoder()).answer("is the hall nicer than the pool?", [text], Language.ENGLISH)
