from __future__ import annotations

import pytest

from engine.domain import Passage
from engine.text.questions.named_rows import beside_codes, named_rows, rows_called

ALARMS = "| Code | Meaning |\n|---|---|\n| 3 | Too hot |\n| 7 | Door open |\n| 113 | No power |"
SEATS = "| Seats | Price |\n|---|---|\n| 3 | 20 € |\n| 7 | 45 € |"
FLAGS = "| Option | Meaning |\n|---|---|\n| `--deep N` | Levels |\n| `--dry` | Writes nothing |"
LAMPS = (
    "| Lamp | State | Meaning |\n|---|---|---|\n| Green | steady | Ready |\n| Green | winking | Busy |\n"
    "| Red | steady | Fault |"
)
SHELVES = "| Shelf | Size | Price |\n|---|---|---|\n| Pine | 30 x 80 cm | 12 € |\n| Oak | 40x80 cm | 30 € |\n| Ash | 3 x 8 cm | 80 € |"
PASSAGES = tuple(
    Passage(name, f"{name}.md", "Kiln", heading, text)
    for name, heading, text in (
        ("a", "Seats of the cart", SEATS),
        ("b", "Alarm codes", ALARMS),
        ("c", "Options", FLAGS),
        ("d", "Lamps", LAMPS),
        ("f", "Shelves", SHELVES),
        ("e", "Fees", "Junior: 4 €\nSenior: 6 €\nGuest: 9 €"),
    )
)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("alarm code 7?", ["7: Door open"]),
        ("what does a 113 mean", ["113: No power"]),
        ("a cart for 3 people", []),
        ("it costs 113 euros", []),
        ("what does --deep do", ["`--deep N`: Levels"]),
        ("alarm code 9?", []),
        ("price of the 30x80 shelf", ["Pine — Size: 30 x 80 cm; Price: 12 €"]),
        ("what is a shelf of 40 × 80", ["Oak — Size: 40x80 cm; Price: 30 €"]),
        ("a shelf of 7 x 113", []),  # neither number is a code
        ("difference between junior and guest", ["Junior: 4 €", "Guest: 9 €"]),
        (
            "what is different between the steady green lamp and the winking one",
            ["Green — State: steady; Meaning: Ready", "Green — State: winking; Meaning: Busy"],
        ),
        ("junior and guest", []),
        ("difference between junior and staff", []),
    ],
)
def test_rows_are_named_by_a_code_or_as_the_sides_of_a_comparison(question: str, rows: list[str]) -> None:
    assert [found.unit.text for found in named_rows(question, PASSAGES)] == rows


LAMP_CODES = """F1 - Lid open. Close it.
F12 - Sensor dirty. Wipe it and press Start.
H3 – Filter full. Empty it."""


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what does F12 mean", ["F12 - Sensor dirty. Wipe it and press Start."]),
        ("and h3?", ["H3 – Filter full. Empty it."]),
        ("F2?", []),
    ],
)
def test_lines_of_plain_text_that_begin_with_a_code_are_rows(question: str, rows: list[str]) -> None:
    found = named_rows(question, [Passage("g", "g.txt", "Dryer", "7. Lamps", LAMP_CODES)])
    assert [one.unit.text for one in found] == rows


@pytest.mark.parametrize(
    ("question", "said"),
    [("what does F12 mean", set()), ("dryer F12", {"dryer"}), ("what is 113", None), ("what is it", None)],
)
def test_what_is_said_beside_codes(question: str, said: set[str] | None) -> None:
    assert beside_codes(question) == said


ROUNDS = "| Round | Time | Van |\n|---|---|---|\n| Mill Lane | 8:00 | Robin |\n| Quay | 9:00 | Finch |"


@pytest.mark.parametrize(
    ("prose", "rows"),
    [
        ("The Robin is a diesel van and the Finch an electric one.", 0),  # what these are, and not their rounds
        ("Both vans are washed on Fridays.", 2),
    ],
)
def test_rows_of_something_else_are_no_sides_where_a_sentence_tells_of_both(prose: str, rows: int) -> None:
    passages = [Passage("v", "v.md", "Vans", "Rounds", ROUNDS), Passage("w", "v.md", "Vans", "Vans", prose)]
    assert len(named_rows("compare Robin and Finch", passages)) == rows
    assert named_rows("compare Robin and Zeppelin", passages) == ()


def test_of_very_many_codes_the_first_are_looked_for() -> None:
    pasted = " ".join(f"X{place}" for place in range(40))
    found = named_rows(f"H3 {pasted} F12", [Passage("g", "g.txt", "Dryer", "7. Lamps", LAMP_CODES)])
    assert [one.unit.text for one in found] == ["H3 – Filter full. Empty it."]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("which holds more, the oak or the ash?", ["Oak", "Ash"]),
        ("is the ash heavier than the pine?", ["Ash", "Pine"]),
        ("which holds more, the oak or the elm?", []),  # there is no elm
        ("which is worse, a fault or a winking lamp?", []),  # no row is called so
        ("what is the oak for?", []),
        ("what is the difference between oak and ash?", []),  # by no property: `named_rows`
    ],
)
def test_the_rows_that_are_called_as_what_is_compared(question: str, rows: list[str]) -> None:
    assert [one.unit.text.partition(" — ")[0] for one in rows_called(question, PASSAGES)] == rows
