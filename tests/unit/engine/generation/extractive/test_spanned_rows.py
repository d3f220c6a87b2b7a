"""Rows by ranges that hold the number of a question."""

from __future__ import annotations

from functools import partial

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.candidates import rows_asked_for
from engine.generation.extractive.spanned_rows import in_range, spanned_rows

LEVELS = """Set the level by the hardness of your water:

- Level 1: soft water, 0 to 10 °dH
- Level 2: medium water, 11 to 20 °dH
- Level 3: hard water, 21 to 35 °dH
- Level 4: very hard water, above 35 °dH"""
CLASES = """| Clase | Edad | Cuota |
|---|---|---|
| Música y movimiento | 4 a 6 años | 22 € |
| Iniciación | 7 años | 34 € |
| Instrumento | desde 8 años | 58 € |
| Coro | desde 8 años | 18 € |
| Adultos | más de 18 años | 62 € |
| Mayores | mayores de 65 años | 30 € |"""
ROOMS = """| Room | People | Price |
|---|---|---|
| Alder | 1-4 | £10 |
| Birch | 5-8 | £16 |
| Cedar | 9 or more | £25 |"""
LEAVE = """| Service | Full pay | Half pay |
|---|---|---|
| under 1 year | 2 weeks | 2 weeks |
| 1 to 5 years | 6 weeks | 6 weeks |
| at least 6 years | 12 weeks | 12 weeks |"""
OPENING = "| Day | Hours |\n|---|---|\n| Monday | 9:00 to 14:00 |\n| Friday | 10:00 to 12:00 |"
MEMBERS = "Standard: 30 pounds, up to 5 tools at once\nHousehold: 45 pounds, up to 8 tools at once\nTrade: 90 pounds, up to 10 tools at once"


GRADES = """| Grade | Notice |
|---|---|
| 1 to 3 | 2 weeks |
| 4 and 5 | 6 weeks |
| 6 and above | 10 weeks |"""


def found(question: str, *texts: str, before: str = "") -> list[str]:
    passages = [Passage(f"p{place}", "one.md", "Title", "Section", text) for place, text in enumerate(texts)]
    rows = spanned_rows(question, passages, before)
    return [f"{place} {unit.text.split(':')[0].split(' —')[0]}" for place, unit in rows]


@pytest.mark.parametrize(
    ("question", "text", "rows"),
    [
        ("which level for 25 °dH?", LEVELS, ["0 Level 3"]),
        ("which level for 35 °dH?", LEVELS, ["0 Level 3"]),
        ("which level for 40 °dH?", LEVELS, ["0 Level 4"]),
        ("mi hija tiene 7 años, qué clases hay", CLASES, ["0 Iniciación"]),
        ("¿y con 5 años?", CLASES, ["0 Música y movimiento"]),
        ("¿y con 9 años?", CLASES, ["0 Instrumento", "0 Coro"]),
        ("which room for 6 people?", ROOMS, ["0 Birch"]),
        ("which room is for 12 people", ROOMS, ["0 Cedar"]),
        ("how much sick pay after 3 years?", LEAVE, ["0 1 to 5 years"]),
        ("and with 8 years?", LEAVE, ["0 at least 6 years"]),
        ("which membership for 9 tools?", MEMBERS, ["0 Trade"]),
    ],
)
def test_the_rows_are_those_whose_range_holds_the_number(question: str, text: str, rows: list[str]) -> None:
    assert found(question, text) == rows


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("which level for 25?", LEVELS),  # of what
        ("how many litres for 25 kg?", LEVELS),
        ("¿y con 70 años?", CLASES),  # four of six hold it
        ("7 años y 9 años", CLASES),
        ("¿y con 3 años?", CLASES),  # nothing holds it
        ("is it open at 11 hours?", OPENING),
        ("how much for 6 people?", "The room is for 5 to 8 people."),
        ("which level is it?", LEVELS),
    ],
)
def test_where_that_is_not_clear_there_are_none(question: str, text: str) -> None:
    assert found(question, text) == []


def test_the_best_passage_with_such_a_table_is_taken() -> None:
    assert found("which level for 25 °dH?", CLASES, LEVELS) == ["1 Level 3"]
    assert found("which level for 25 °dH?", CLASES, CLASES + " ", ROOMS, LEVELS) == []  # too far down


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("im grade 5 what notice do i give", "0 4 and 5"),
        ("notice for grade 8?", "0 6 and above"),
        ("as a grade 2", "0 1 to 3"),
    ],
)
def test_a_column_may_be_named_before_the_number(question: str, row: str) -> None:
    assert found(question, GRADES) == [row]


@pytest.mark.parametrize(
    ("question", "before", "rows"),
    [
        ("and after 3?", "how long am I paid in full after 7 years?", ["0 1 to 5 years"]),
        ("and after 9?", "how long am I paid in full after 2 years?", ["0 at least 6 years"]),
        ("and after 3?", "", []),
        ("and after 3?", "how long am I paid in full?", []),
        ("and after 3?", "between 2 years and 7 years?", []),
        ("and in service 3?", "how long am I paid in full after 7 years?", ["0 1 to 5 years"]),
    ],
)
def test_a_number_alone_has_the_unit_of_the_question_before(question: str, before: str, rows: list[str]) -> None:
    assert found(question, LEAVE, before=before) == rows


FEES = """| Kind | Fee |
|---|---|
| Cub (7–11) | £20 |
| Youth (12-17) | £45 |
| Grown-up (18 or more) | £90 |
| Friend | £15 |"""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what does a 9 year old pay?", ["0 Cub (7–11)"]),
        ("and for a 16-year-old?", ["0 Youth (12-17)"]),
        ("and for my sister, she is 14", ["0 Youth (12-17)"]),
        ("I'm 40", ["0 Grown-up (18 or more)"]),
        ("¿y para alguien de 8 años?", ["0 Cub (7–11)"]),
        ("and for a 3 year old?", []),
        ("what do 9 friends pay?", []),  # no age
        ("is it open until 9", []),
        ("what do a 9 year old and a 14 year old pay?", []),  # two of them
    ],
)
def test_an_age_finds_the_row_that_is_for_it(question: str, rows: list[str]) -> None:
    assert found(question, FEES) == rows


def test_of_two_rows_for_an_age_none_is_chosen() -> None:
    assert found("what does a 9 year old pay?", FEES.replace("Friend", "Friend (8-90)")) == []


SLUGS = """| Slugs per trap | Months | What to do |
|---|---|---|
| fewer than 3 | any | wait |
| 3 to 9 | March to May | spread wool pellets |
| more than 9 | March to May | water in nematodes |
| more than 5 | September | cut back the border |
| any | December | lift the traps |"""
RIEGO = """| Temperatura máxima | Terreno | Riego |
|---|---|---|
| menos de 20 grados | arena | cada dos días |
| menos de 20 grados | arcilla | una vez por semana |
| más de 20 grados | arena | a diario |
| más de 20 grados | arcilla | cada tres días |"""


@pytest.mark.parametrize(
    ("question", "text", "before", "rows"),
    [
        ("I found 12 slugs in a trap in April, what now?", SLUGS, "", ["0 more than 9"]),
        ("I found 12 slugs in a trap in September, what now?", SLUGS, "", ["0 more than 5"]),
        ("and 7 in september?", SLUGS, "I found 12 slugs in a trap in April", ["0 more than 5"]),
        ("what do I do about 4 slugs in december?", SLUGS, "", ["0 any"]),
        ("what do I do about 2 slugs?", SLUGS, "", ["0 fewer than 3"]),
        ("what do I do about 12 slugs in October?", SLUGS, "", []),
        ("¿cada cuánto se riega la arcilla con 28 grados?", RIEGO, "", ["0 más de 20 grados"]),
        ("¿cada cuánto se riega la arena con 12 grados?", RIEGO, "", ["0 menos de 20 grados"]),
        ("¿y con 30 grados?", RIEGO, "¿cada cuánto se riega la arena con 12 grados?", ["0 más de 20 grados"]),
    ],
)
def test_other_cells_of_a_range_hold_for_the_question_too(
    question: str, text: str, before: str, rows: list[str]
) -> None:
    assert found(question, text, before=before) == rows
    passages = [Passage("one", "one.md", "Title", "Section", text)]
    assert len(spanned_rows(question, passages, before)) < 2


FARES = "- Adult: £6.40\n- Child (6 to 15): £3.20\n- Child under 6: free\n- Pensioner (over 65): £4.50"


@pytest.mark.parametrize("question", ["how much for my nine year old?", "¿y con nueve años?", "she is 9, what is it?"])
def test_an_age_in_words_finds_the_item_of_its_range(question: str) -> None:
    assert found(question, FARES) == ["0 Child (6 to 15)"]


RIDES = ("Riders under 9 must sit with an adult.", "Those aged 9 to 12 may ride alone.", "The gate is painted blue.")
CARRIAGE = ("Carriage within 12 km costs £7.", "Between 12 and 40 km it costs £19.", "We go no farther than 40 km.")
NOTICE = ("Between 40 and 10 days before: half is returned.", "Fewer than 10 days before: nothing is.")


@pytest.mark.parametrize(
    ("question", "texts", "held"),
    [
        ("my girl is 7, may she ride alone?", RIDES, [1, -1, 0]),
        ("puede montar un crío de once años", RIDES, [-1, 1, 0]),
        ("and 25 km away?", CARRIAGE, [-1, 1, 1]),
        ("what if I cancel 20 days before", NOTICE, [1, -1]),
        ("what if I cancel 60 days before", NOTICE, [0, 0]),  # it may be what the nearest range says
        ("what if I cancel", NOTICE, [0, 0]),
        ("between 20 and 30 days before?", NOTICE, [0, 0]),  # two numbers
        ("are 7 of them blue", RIDES, [0, 0, 0]),
    ],
)
def test_sentences_state_ranges_that_hold_a_number_or_do_not(
    question: str, texts: tuple[str, ...], held: list[int]
) -> None:
    assert in_range(question, texts) == held


def test_a_range_is_of_the_documents_that_the_talk_is_about() -> None:
    refunds = "| Notice | Back |\n|---|---|\n| over 9 days | all |\n| 9 to 2 days | half |"
    passages = [Passage("a", "a.md", "A", "", "We rent carts."), Passage("b", "b.md", "B", "", refunds)]
    evidence = [Evidence(number, passage) for number, passage in enumerate(passages, 1)]
    asked = partial(rows_asked_for, "and five days before?", evidence, "what do I get back 12 days before?")
    assert [row.text for row in asked(going_on={2})] == ["9 to 2 days: half"]
    assert asked(going_on={1}) == []


def test_what_a_nearer_passage_says_of_the_number_is_weighed_with_the_rows() -> None:
    nearer = "Those who cancel more than 6 days before get 80 %."
    refunds = "| Notice | Back |\n|---|---|\n| over 9 days | all |\n| 9 to 2 days | half |"
    assert found("what do I get back 7 days before?", refunds, nearer) == ["0 9 to 2 days"]
    assert found("what do I get back 7 days before?", nearer, refunds) == []
