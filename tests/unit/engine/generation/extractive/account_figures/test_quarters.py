"""Quarters of a year: as texts write them, and as the rows and figures of a context have them."""

from __future__ import annotations

from datetime import date

import pytest

from engine.generation.extractive.account_figures.answering import AccountFigures
from engine.generation.extractive.account_figures.quarters import by_quarter, quarters_in
from tests.account_cases import encoder

TODAY = date(2026, 11, 27)
LIBRARY = """Quarter,Loans,New members
Q1 2025,800,40
Q2 2025,640,22
Q3 2025,590,18
Q4 2025,910,51
Q1 2026,860,37
"""
ARCHIVE = "Trimestre | Préstamos | Multas €\n1T | 800 | 12,50\n2T | 640 | 9,00\n4T | 700 | 15,25\n"


@pytest.fixture(scope="module")
def figures() -> AccountFigures:
    return AccountFigures(encoder(), lambda: TODAY)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("primer y tercer trimestre", [(1, 0, "primer"), (3, 0, "tercer trimestre")]),
        ("the first and third quarters", [(1, 0, "first"), (3, 0, "third quarters")]),
        ("from Q2 2025 to Q1 2026", [(2, 2025, "Q2 2025"), (1, 2026, "Q1 2026")]),
        ("loans in T4'25", [(4, 2025, "T4'25")]),
        ("2º trim. 2026", [(2, 2026, "2º trim. 2026")]),
        ("3er trimestre de 2024", [(3, 2024, "3er trimestre de 2024")]),
        ("quarter 3", [(3, 0, "quarter 3")]),
        ("T3/2025", [(3, 2025, "T3/2025")]),
    ],
)
def test_each_quarter_is_read_with_its_place_and_its_year(text: str, told: list[tuple[int, int, str]]) -> None:
    assert [(one.number, one.year, text[one.start : one.until]) for one in quarters_in(text)] == told


@pytest.mark.parametrize("text", ["T5", "Q12", "FAQ 1", "Q1a", "three quarters", "a quarter past three", "2026"])
def test_what_looks_like_a_quarter_is_none(text: str) -> None:
    assert quarters_in(text) == []


@pytest.mark.parametrize(
    ("query", "names", "text", "found"),
    [
        ("visitors in the third quarter", ["T3 2025", "T3 2026", "T1 2025"], "visitors in the T3", ("T3 2026",)),
        ("visitors in Q3 2025", ["T1 2025", "T3 2025", "T3 2026"], "visitors in T3", ("T3 2025",)),
        ("visitors in Q2 of 2024", ["Q2"], "visitors in Q2", ("Q2",)),
        ("Q1 and Q2", ["q1 songs", "q2 songs"], "q1 and q2", ("q1 songs", "q2 songs")),
        ("songs from Q1 to Q4", ["Q1", "Q2", "Q3", "Q4"], "songs from Q1 to Q4", ("Q4", "Q3", "Q2", "Q1")),
        ("songs last quarter", ["Q2 2026", "Q3 2026", "Q4 2026"], "songs Q3", ("Q3 2026",)),
        ("canciones este trimestre", ["T3 2026", "T4 2026", "T4 2025"], "canciones T4", ("T4 2026",)),
        ("songs this year", ["Q4 2025", "Q1 2026", "Q2 2026"], "songs this year", ("Q1 2026", "Q2 2026")),
        ("songs last year", ["Q4 2025", "Q1 2026"], "songs last year", ("Q4 2025",)),
    ],
)
def test_a_question_names_the_quarters_as_the_context_does(
    query: str, names: list[str], text: str, found: tuple[str, ...]
) -> None:
    assert by_quarter(query, names, TODAY) == (text, found, "")


@pytest.mark.parametrize(
    ("query", "names", "lacks"),
    [
        ("songs in Q2 2024?", ["Q2 2025"], "Q2 2024"),
        ("canciones del cuarto trimestre", ["1T", "2T"], "cuarto trimestre"),
        ("from Q1 to Q3", ["Q1", "Q2"], "Q3"),
        ("songs last quarter", ["Q1 2026"], ""),
        ("songs last year", ["Q1 2026"], ""),
        ("songs in Q2", ["songs", "rehearsals"], ""),
        ("songs", ["Q1", "Q2"], ""),
    ],
)
def test_a_quarter_without_a_name_leaves_the_question_as_it_is(query: str, names: list[str], lacks: str) -> None:
    assert by_quarter(query, names, TODAY) == (query, (), lacks)


def test_the_last_quarter_of_a_january_is_of_the_year_before() -> None:
    assert by_quarter("songs last quarter", ["Q4 2025", "Q4 2026"], date(2026, 1, 5))[1] == ("Q4 2025",)


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (LIBRARY, "How many loans in the first quarter?", "Loans, Q1 2026: 860."),
        (LIBRARY, "How many loans in the first quarter of 2025?", "Loans, Q1 2025: 800."),
        (LIBRARY, "new members in Q4", "New members, Q4 2025: 51."),
        (LIBRARY, "¿Cuántos loans en el tercer trimestre?", "Loans, Q3 2025: 590."),
        (LIBRARY, "total loans in Q2 and Q3", "Loans: 1230 in total (640 + 590)."),
        (
            LIBRARY,
            "How many more loans in Q4 2025 than in Q3 2025?",
            "Loans: 320 more than before (910 against 590, +54.24%).",
        ),
        (ARCHIVE, "¿Cuántos préstamos hubo en el segundo trimestre?", "Préstamos, 2T: 640."),
        (ARCHIVE, "How many préstamos in Q4?", "Préstamos, 4T: 700."),
        (
            ARCHIVE,
            "¿Cuánto sumaron las multas del primer y cuarto trimestre?",
            "Multas: 27,75 € en total (12,50 € + 15,25 €).",
        ),
        (
            ARCHIVE,
            "¿Cuántos préstamos menos en T2 que en T1?",
            "Préstamos: 160 menos que antes (640 frente a 800, −20 %).",
        ),
    ],
)
def test_the_figures_of_quarters_are_answered(figures: AccountFigures, context: str, query: str, answer: str) -> None:
    found = figures.answered(query, context)
    assert (found.text, found.sure) == (answer, True)


@pytest.mark.parametrize(
    ("context", "query", "answer"),
    [
        (LIBRARY, "loans in Q2 2026", "no figure for Q2 2026."),
        (LIBRARY, "loans last quarter", "no figure of loans for last quarter."),
        (ARCHIVE, "¿Cuántos préstamos hubo en el tercer trimestre?", "ninguna cifra de tercer trimestre."),
    ],
)
def test_a_quarter_without_a_row_has_no_figure(figures: AccountFigures, context: str, query: str, answer: str) -> None:
    found = figures.answered(query, context)
    assert answer in found.text
    assert not found.sure
    assert not found.likely
