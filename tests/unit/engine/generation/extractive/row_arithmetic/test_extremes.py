"""The most and the least of a table, with the bundled encoder."""

from __future__ import annotations

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.row_arithmetic.answering import RowArithmetic
from engine.text.language import language_of
from tests.account_cases import encoder

COURSES = """| Course | Length | Price |
|---|---|---|
| Taster | 90 minutes | £25 |
| Lead climbing | 6 hours | £95 |
| Kids club | 2 hours | £14 |
| Self rescue | 4 hours | £70 |"""
ENTRY = """| Ticket | Peak | Off-peak |
|---|---|---|
| Adult | £13 | £10 |
| Student | £11 | £8 |
| Spectator | £2 | £2 |"""
HIRE = "- Shoes: £3.50\n- Helmet: £1\n- Rope: £6"
BOATS = "| Boat | Price |\n|---|---|\n| Canoe | £9 |\n| Rowing boat | from £5 |\n| Kayak | £11 |"
BOARDS = "| Board | Price |\n|---|---|\n| Foam | £9 |\n| Fish | £9 |\n| Long | £11 |"
TARIFAS = """| Alojamiento | Temporada baja | Temporada alta |
|---|---|---|
| Litera | 18 € | 24 € |
| Habitación doble | 31 € | 40 € |
| Habitación individual | 25 € | 33 € |"""
CURSOS = """- Recuperación de puntos: 12 horas, 205 €
- Recuperación de permiso: 24 horas, 385 €
- Nieve: 5 horas, 150 €"""


def evidence(*sections: tuple[str, str], document: str = "hall.md") -> list[Evidence]:
    return [
        Evidence(number, Passage(f"{document} {number}", document, "Gritstone", heading, text))
        for number, (heading, text) in enumerate(sections, start=1)
    ]


HALL = evidence(("Courses", COURSES), ("Entry", ENTRY), ("Hire", HIRE), ("Boats", BOATS), ("Boards", BOARDS))
HOSTEL = evidence(("Tarifas", TARIFAS), ("Cursos especiales", CURSOS), document="albergue.md")


def answer(question: str) -> str:
    return RowArithmetic(encoder()).answer(question, [*HALL, *HOSTEL], language_of(question))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("which course is the shortest?", "The least is Taster — Length: 90 minutes. [1]"),
        ("what is the longest course?", "The most is Lead climbing — Length: 6 hours. [1]"),
        ("which course is the fastest?", "The least is Taster — Length: 90 minutes. [1]"),
        ("which is the cheapest course?", "The least is Kids club — Price: £14. [1]"),
        ("which course is the most expensive", "The most is Lead climbing — Price: £95. [1]"),
        ("what is the cheapest ticket off-peak?", "The least is Spectator — Off-peak: £2. [2]"),
        ("what's the most expensive thing to hire?", "The most is Rope: £6. [3]"),
        ("¿cuál es el alojamiento más barato en temporada alta?", "El mínimo es Litera — Temporada alta: 24 €. [1]"),
        ("¿cuál es el alojamiento más caro en temporada baja?", "El máximo es Habitación doble — Temporada baja: 31 €"),
        ("cuál es el curso más barato", "El mínimo es Nieve: 150 €. [2]"),
        ("¿cuál es el curso que dura más?", "El máximo es Recuperación de permiso: 24 horas. [2]"),
    ],
)
def test_the_row_with_the_most_or_the_least_is_named(question: str, said: str) -> None:
    assert answer(question).startswith(said)


@pytest.mark.parametrize(
    "question",
    [
        "which is the cheapest?",  # of what
        "which boat is the cheapest?",  # one of them has no price alone
        "which board is the cheapest?",  # two of them are
        "which course is the cheapest for children?",
        "which course is the best?",
        "¿cuál es el alojamiento más tranquilo?",
        "is the course open the rest of the week?",
    ],
)
def test_where_it_is_not_clear_of_what_nothing_is_said(question: str) -> None:
    assert answer(question) == ""


ARIAS = """| Ciclo de otoño | Direccion | Anio | Minutos | Sala |
|---|---|---|---|---|
| Las olas | Berta Lanuza | 2019 | 75 | Norte |
| El molino | Iker Sanz | 2021 | 140 | Norte |
| Tres cartas | Noa Prieto | 2020 | 95 | Sur |"""
TALLERES = """| Talleres | Minutos | Plazas |
|---|---|---|
| Voz | 240 | 12 |
| Luces | 90 | 8 |
| Vestuario | 60 | 10 |"""
TREES = """| Tree | Planted | Height (m) | Keeper |
|---|---|---|---|
| Old Tom | 1920 | 22 | A. Reid |
| The Bishop | 1955 | 31 | L. Moss |
| Twin Ash | 1962 | 19 | A. Reid |"""
LISTS = [
    *evidence(("Ciclo de otoño", ARIAS), ("Talleres", TALLERES), document="teatro.json"),
    *evidence(("North garden", TREES), document="garden.md"),
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿cuál es la obra más larga del ciclo de otoño?", "El máximo es El molino — Minutos: 140. [1]"),
        ("¿cuál es la obra más corta del ciclo de otoño?", "El mínimo es Las olas — Minutos: 75. [1]"),
        ("which is the tallest specimen of the north garden?", "The most is The Bishop — Height (m): 31. [1]"),
        ("which is the tallest specimen of the garden in the park?", ""),  # not all of its heading
        ("¿cuál es la obra más larga del otoño?", ""),
        ("¿cuál es la obra más larga de la alcaldesa en el ciclo de otoño?", ""),
    ],
)
def test_the_list_that_is_named_as_a_whole_is_of_what_is_asked_for(question: str, said: str) -> None:
    assert RowArithmetic(encoder()).answer(question, LISTS, language_of(question)) == said


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("¿en qué sala es?", "El molino — Sala: Norte. [1]"),
        ("¿quién la escribió?", ""),
        ("¿dónde la dirigió?", ""),
    ],
)
def test_what_is_asked_of_the_most_is_of_its_row(question: str, said: str) -> None:
    last = "El máximo es El molino — Minutos: 140. [1]"
    assert RowArithmetic(encoder()).answer(question, LISTS, language_of(question), ["x"], last) == said


@pytest.mark.parametrize(
    ("question", "last", "said"),
    [
        ("¿y la más baja?", "", ""),
        (
            "and the smallest?",
            "The most is The Bishop — Height (m): 31. [1]",
            "The least is Twin Ash — Height (m): 19. [1]",
        ),
        ("and the smallest?", "Old Tom — Keeper: A. Reid. [1]", "The least is Twin Ash — Height (m): 19. [1]"),
        ("¿y el más largo?", "Voz — Plazas: 12. [2]", "El máximo es Voz — Minutos: 240. [2]"),
        ("and the smallest?", "The garden opens at nine. [1]", ""),
    ],
)
def test_the_row_that_was_told_names_the_table(question: str, last: str, said: str) -> None:
    before = ["who keeps it?"] if last else []
    rows = RowArithmetic(encoder())
    assert rows.answer(question, LISTS, language_of(question), before, last) == said
    tables = [one.passage for one in LISTS]
    answered = [one.title for one in tables if rows.answers_over(question, one, last)]
    assert len(answered) == (said != "")
