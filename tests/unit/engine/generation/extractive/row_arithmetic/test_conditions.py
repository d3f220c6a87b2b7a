"""Which rows of a table or list a condition holds for, with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic, asks_over_table
from engine.generation.extractive.row_arithmetic.table_bounds import same_currency
from engine.text.language import language_of
from tests.account_cases import encoder

BOATS = """| code | boat | kind | hourly_price_gbp | half_day_price_gbp | seats | licence | remarks |
|---|---|---|---|---|---|---|---|
| B1 | Rowing boat Marlo | rowing | 9 | 25 | 3 | none | Life jackets included |
| B2 | Canoe Tarn | paddle | 11 | 30 | 2 | none | Dry bag on request |
| B3 | Motor boat Gannet 40 | motor | 38 | 110 | 6 | required | Fuel is extra |
| B5 | Motor boat Heron 55 | motor | 52 | 150 | 8 | required | Skipper can be hired |
| B6 | Kayak Pike | paddle | 8 | 22 | 1 | none | Spray deck included |"""
FEES = """| Membership | Monthly fee | Joining fee | Access |
|---|---|---|---|
| Basic | £18 | £10 | off-peak |
| Plus | £29 | £10 | all day |
| Student | £15 | free | off-peak |
| Guest | from £12 | free | off-peak |"""
SESSIONS = """| Session | Day | Length | Level |
|---|---|---|---|
| Spin | Monday | 45 min | Hard |
| Yoga flow | Tuesday | 60 min | Easy |
| Boxing | Thursday | 50 min | Hard |"""
SNACKS = "- Protein bar: 2.40 pounds\n- Banana: 0.60 pounds\n- Recovery shake: 3.80 pounds"
REFUGIOS = """| Refugio | Altitud | Plazas | Precio por noche | Ducha |
|---|---|---|---|---|
| Belardi | 1.450 m | 24 | 18 € | caliente |
| Ollokun | 1.920 m | 12 | 15 € | fría |
| Peña Gris | 2.210 m | 40 | 26 € | caliente |"""
COMER = """- Casa Lurdes: cocina de montaña, menú a 16 €. Cierra los lunes.
- Bar Estación: bocadillos desde 5 €.
- Asador Irati: carnes a la brasa, unos 34 € por persona. Café por 2 €."""
PANES = """| Panes | Harina | Peso g | Precio eur | Horneado |
|---|---|---|---|---|
| Hogaza de centeno | centeno | 900 | 4.2 | mañana |
| Barra rústica | trigo | 280 | 1.4 | mañana |
| Pan de molde | trigo | 500 | 2.9 | tarde |"""
SOCKETS = "| Sockets | Verb | Calls |\n|---|---|---|\n| lamps | GET | 60 |\n| colour | PUT | 30 |"
VINOS = """| ref | vino | precio_eur | Plazo de entrega |
|---|---|---|---|
| V1 | Tinto joven | 6 | inmediato |
| V2 | Tinto crianza | 11 | 3 días |
| V3 | Blanco seco | 7 | inmediato |"""
AVISOS = "| Avisos | Motivo |\n|---|---|\n| Domingos | obras |\n| Festivos | descanso |"


def passage(number: int, document: str, title: str, heading: str, text: str) -> Evidence:
    return Evidence(number, Passage(f"{document} {number}", document, title, heading, text))


EVIDENCE = [
    passage(1, "boats.csv", "boats.csv", "", BOATS),
    passage(2, "gym.md", "Ironvale Gym", "Memberships", FEES),
    passage(3, "gym.md", "Ironvale Gym", "Timetable of sessions", SESSIONS),
    passage(4, "gym.md", "Ironvale Gym", "Snacks", SNACKS),
    passage(5, "refugios.html", "Guía de refugios", "Refugios", REFUGIOS),
    passage(6, "refugios.html", "Guía de refugios", "Dónde comer", COMER),
    passage(7, "trigal.json", "Panadería Trigal", "Panes", PANES),
    passage(9, "lumen.json", "Lumen", "Sockets", SOCKETS),
    passage(10, "vinos.csv", "vinos.csv", "", VINOS),
    passage(8, "trigal.json", "Panadería Trigal", "Avisos", AVISOS),
]


def answer(question: str) -> str:
    return RowArithmetic(encoder()).answer(question, EVIDENCE, language_of(question))


@pytest.mark.parametrize(
    ("question", "held"),
    [
        (
            "which boats cost less than 12 pounds an hour?",
            ["B1, Rowing boat Marlo", "B2, Canoe Tarn", "B6, Kayak Pike"],
        ),
        ("which motor boats can I hire for less than 45 pounds an hour?", ["B3, Motor boat Gannet 40"]),
        ("list the paddle boats", ["B2, Canoe Tarn", "B6, Kayak Pike"]),
        ("which boats have at least 6 seats?", ["B3, Motor boat Gannet 40", "B5, Motor boat Heron 55"]),
        ("which boats have no more than 2 seats?", ["B2, Canoe Tarn", "B6, Kayak Pike"]),
        ("which boats need no licence?", ["B1, Rowing boat Marlo", "B2, Canoe Tarn", "B6, Kayak Pike"]),
        ("which boats need a licence?", ["B3, Motor boat Gannet 40", "B5, Motor boat Heron 55"]),
        ("which sessions are hard?", ["Spin", "Boxing"]),
        ("which sessions last less than 55 minutes?", ["Spin", "Boxing"]),
        ("which sessions are shorter than 55 minutes?", ["Spin", "Boxing"]),
        ("which boats are cheaper than 10 pounds an hour?", ["B1, Rowing boat Marlo", "B6, Kayak Pike"]),
        ("which memberships have all day access?", ["Plus — Access: all day"]),
        (
            "list the boats with their prices",
            ["B1, Rowing boat Marlo — hourly_price_gbp: 9; half", "B2", "B3", "B5", "B6"],
        ),
        (
            "which memberships have a joining fee below 9 pounds?",
            ["Student — Joining fee: free", "Guest — Joining fee"],
        ),
        (
            "which boats are not for paddling?",
            ["B1, Rowing boat Marlo", "B3, Motor boat Gannet 40", "B5, Motor boat Heron 55"],
        ),
        ("which motor boats are there?", ["B3, Motor boat Gannet 40", "B5, Motor boat Heron 55"]),
        ("¿qué panes de centeno hay con precio?", ["Hogaza de centeno — Precio eur: 4.2"]),
        ("¿qué vinos tintos cuestan menos de 9 euros?", ["V1, Tinto joven — precio_eur: 6"]),
        ("¿qué tintos hay?", ["V1, Tinto joven", "V2, Tinto crianza"]),
        ("¿qué vinos tienen entrega inmediata?", ["V1, Tinto joven — Plazo de entrega: inmediato", "V3, Blanco seco"]),
        ("which sockets are PUT?", ["colour — Verb: PUT"]),
        ("what is the joining fee of off-peak memberships?", ["Basic — Joining fee: £10", "Student", "Guest"]),
        ("how much are the motor boats per hour?", ["B3, Motor boat Gannet 40 — hourly", "B5, Motor boat Heron 55"]),
        (
            "¿qué precio tienen los panes de trigo?",
            ["Barra rústica — Precio eur: 1.4", "Pan de molde — Precio eur: 2.9"],
        ),
        ("¿qué refugios son más caros de 16 euros?", ["Belardi", "Peña Gris"]),
        ("which boats do you have?", ["B1, Rowing boat Marlo", "B2", "B3", "B5", "B6"]),
        ("which snacks cost less than 3 pounds?", ["Protein bar: 2.40 pounds", "Banana: 0.60 pounds"]),
        ("¿qué refugios cuestan menos de 20 euros?", ["Belardi", "Ollokun"]),
        ("¿qué refugios tienen ducha caliente?", ["Belardi", "Peña Gris"]),
        ("¿qué refugios tienen más de 20 plazas?", ["Belardi", "Peña Gris"]),
        ("¿dónde puedo comer por menos de 20 euros?", ["Casa Lurdes:", "Bar Estación:"]),
        ("¿qué panes cuestan menos de 3 euros?", ["Barra rústica", "Pan de molde"]),
        ("¿qué panes son de trigo?", ["Barra rústica", "Pan de molde"]),
        ("¿qué avisos hay?", ["Domingos — Motivo: obras", "Festivos — Motivo: descanso"]),
    ],
)
def test_the_rows_that_a_condition_holds_for_are_told_with_what_says_so(question: str, held: list[str]) -> None:
    lines = answer(question).splitlines()
    assert len(lines) == len(held)
    assert all(line.startswith(f"- {name}") for line, name in zip(lines, held, strict=True))


def test_a_row_is_told_with_the_cell_that_holds() -> None:
    assert answer("which boats cost more than 40 pounds per hour?") == (
        "- B5, Motor boat Heron 55 — hourly_price_gbp: 52 [1]"
    )


def test_a_word_that_the_name_of_the_file_begins_with_tells_its_table() -> None:
    lamps = (
        "| item | kind | price_eur |\n|---|---|---|\n| Aro | floor | 40 |\n| Bolo | desk | 15 |\n| Cono | desk | 25 |"
    )
    evidence = [passage(1, "lampstore-2025.csv", "lampstore-2025.csv", "", lamps)]
    rows = RowArithmetic(encoder())
    question = "which lamps can I order for less than 20 euros?"
    assert rows.answer(question, evidence, language_of(question)) == "- Bolo — price_eur: 15 [1]"
    assert rows.answer(question.replace("lamps", "maps"), evidence, language_of(question)) == ""


def test_rows_are_counted_where_that_is_asked() -> None:
    assert answer("how many boats cost less than 10 pounds an hour?").startswith("2 in all:\n\n- B1, Rowing boat")
    assert answer("¿cuántos panes son de trigo?").startswith("2 en total:\n\n- Barra rústica")


@pytest.mark.parametrize(
    "question",
    [
        "which boats cost less than 30 pounds?",  # an hour, or half a day
        "which boats for fishing cost less than 30 pounds an hour?",
        "where are the boats?",
        "what is a motor?",
        "which session has the most people?",
        "which rooms cost less than 30 pounds an hour?",
        "which boats cost less than 2 pounds an hour?",
        "which memberships cost less than 14 pounds a month?",  # "from £12"
        "which sessions on Monday are too hard for children?",
        "which boat is best for two people?",
        "how many seats do boats below 12 pounds an hour have?",
        "why are sessions hard?",
        "¿qué refugios son más caros?",
        "¿qué bares cuestan menos de 20 euros?",
        "is the yoga session easy?",
    ],
)
def test_nothing_is_told_where_a_word_is_left_over_or_the_column_is_not_clear(question: str) -> None:
    assert not answer(question).startswith(("- ", "1", "2"))


def test_a_part_of_a_table_answers_for_no_table() -> None:
    rows = [
        passage(1, "boats.csv", "boats.csv", "", "code: B1\nboat: Rowing boat\nkind: rowing\nhourly_price_gbp: 9"),
        passage(2, "boats.csv", "boats.csv", "", "code: B6\nboat: Kayak\nkind: paddle\nhourly_price_gbp: 8"),
    ]
    question = "which boats cost less than 12 pounds an hour?"
    assert RowArithmetic(encoder()).answer(question, rows, language_of(question)) == ""


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("which lamps cost less than 8 euros?", True),
        ("the cheapest lamp", True),
        ("¿cuántas lámparas hay de pie?", True),
        ("how much is the lamp?", False),
        ("how do I hang a lamp?", False),
        ("which lamp " * 60, False),
    ],
)
def test_questions_that_may_be_for_rows_are_told(question: str, *, asks: bool) -> None:
    assert asks_over_table(question) is asks


def test_currencies_are_one_under_their_signs_codes_and_names() -> None:
    assert same_currency("euros", "€")
    assert same_currency("gbp", "pounds")
    assert same_currency("pesos", "MXN")
    assert not same_currency("euros", "$")


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("how much for 4 kg of clay?", True),
        ("how much for 40 kg of clay?", False),
        ("how much for clay?", False),
        ("how much for 4 bags of clay?", False),
    ],
)
def test_a_whole_table_answers_what_its_ranges_hold(question: str, *, answers: bool) -> None:
    ranges = "| Weight | Price |\n|---|---|\n| up to 2 kg | £4 |\n| 3 to 9 kg | £7 |\n| 10 to 20 kg | £11 |"
    table = passage(1, "clay.csv", "clay.csv", "", ranges).passage
    assert asks_over_table(question) is any(map(str.isdigit, question))
    assert RowArithmetic(encoder()).answers_over(question, table) is answers
