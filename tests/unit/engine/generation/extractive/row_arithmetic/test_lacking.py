"""What rows of a table do not have is said before them, and what they have in other words is not said to be lacking."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.domain import Evidence, Passage
from engine.generation.extractive.candidates import Candidate, candidates
from engine.generation.extractive.row_arithmetic.lacking import lacked_by_rows
from engine.text.language import language_of
from tests.account_cases import encoder

KAYAKS = """| Boat | Maker | Length (m) | Seats | Per hour (£) | Deposit (£) | Opens |
|---|---|---|---|---|---|---|
| Heron Two | Fenwick | 4.6 | 2 | 14.00 | 60 | 09:30 |
| Little Tern | Fenwick | 3.1 | 1 | 9.50 | 40 | 09:30 |
| Osprey | Marlow | 5.2 | 3 | 21.00 | 90 | 11:00 |"""
MIELES = """| Miel | Comarca | Cosecha | Tarro (g) | Precio (€) |
|---|---|---|---|---|
| Brezo | Las Hurdes | octubre | 500 | 8,90 |
| Azahar | La Vega | abril | 250 | 5,40 |
| Castaño | El Bierzo | agosto | 500 | 7,75 |"""


def shown(table: str, heading: str, *named: str) -> tuple[Sequence[Candidate], Sequence[Candidate]]:
    """The rows of these names, and all that was found: the table with a sentence below it."""
    text = f"{table}\n\nHelmets hang in the shed."
    among = candidates([Evidence(1, Passage("1", "rows.md", "Our list", heading, text))])
    return [one for one in among if one.of_table and one.text.partition(" — ")[0] in named], among


def lacked(question: str, table: str, *named: str) -> str:
    quoted, among = shown(table, "Boats for hire" if table is KAYAKS else "Mieles de la sierra", *named)
    assert len(quoted) == len(named)
    return lacked_by_rows(question, quoted, among, encoder(), language_of(question))


@pytest.mark.parametrize(
    ("question", "table", "named", "word"),
    [
        ("What colour is the Heron Two?", KAYAKS, ["Heron Two"], "colour"),
        ("which insurance covers the Osprey", KAYAKS, ["Osprey"], "insurance"),
        ("how much is the pedal boat gondola for an hour", KAYAKS, ["Heron Two", "Osprey"], "pedal"),
        ("¿Qué acidez tiene la de Brezo?", MIELES, ["Brezo"], "acidez"),
        ("¿Quién es el apicultor de Azahar?", MIELES, ["Azahar"], "apicultor"),
        ("¿Cuántas calorías tiene la de castaño?", MIELES, ["Castaño"], "calorías"),
    ],
)
def test_what_no_row_has_is_named_as_it_is_written(question: str, table: str, named: list[str], word: str) -> None:
    assert word in lacked(question, table, *named)


@pytest.mark.parametrize(
    ("question", "table", "named"),
    [
        ("How long is the Osprey?", KAYAKS, ["Osprey"]),
        ("what time does the little tern open", KAYAKS, ["Little Tern"]),
        ("who makes the heron two", KAYAKS, ["Heron Two"]),
        ("how many people fit in the Osprey", KAYAKS, ["Osprey"]),
        ("what depozit for the osprey", KAYAKS, ["Osprey"]),
        ("price of the littletern per hour", KAYAKS, ["Little Tern"]),
        ("are there helmets for the osprey", KAYAKS, ["Osprey"]),
        ("cuánto cuesta la hora del Osprey", KAYAKS, ["Osprey"]),
        ("¿Cuándo se cosecha la de Azahar?", MIELES, ["Azahar"]),
        ("what does the jar of Brezo cost", MIELES, ["Brezo"]),
        ("cual es la más barata", MIELES, ["Azahar"]),
        ("on which canoe do three people fit", KAYAKS, ["Osprey"]),
        ("¿en qué piragua caben tres?", KAYAKS, ["Osprey"]),
    ],
)
def test_what_a_row_has_in_other_words_is_not(question: str, table: str, named: list[str]) -> None:
    assert lacked(question, table, *named) == ""


def test_only_of_rows_of_tables_is_it_said() -> None:
    among = candidates([Evidence(1, Passage("1", "a.md", "A", "A", "The Osprey is kept below the bridge."))])
    assert lacked_by_rows("What colour is the Osprey?", among, among, encoder(), language_of("What is it?")) == ""
    assert lacked_by_rows("What colour is the Osprey?", [], among, encoder(), language_of("What is it?")) == ""
