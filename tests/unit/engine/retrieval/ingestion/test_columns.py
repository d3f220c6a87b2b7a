from __future__ import annotations

import pytest

from engine.retrieval.ingestion.columns import with_tables

PRICES = """Fuel              Per tonne   Delivery
Pine logs         95.00       12.00
Oak, seasoned     140.00      12.00
Pellets           310.00      free"""
MARKDOWN = """| Fuel | Per tonne | Delivery |
| --- | --- | --- |
| Pine logs | 95.00 | 12.00 |
| Oak, seasoned | 140.00 | 12.00 |
| Pellets | 310.00 | free |"""


def test_columns_set_apart_by_spaces_are_a_table() -> None:
    assert with_tables(f"In euros.\n\n{PRICES}\n\nAsk for more.") == f"In euros.\n\n{MARKDOWN}\n\nAsk for more."


def test_columns_that_end_below_one_another_are_one_too() -> None:
    text = "Fuel     Price\nPine     95.00\nOak     140.00"
    assert with_tables(text) == "| Fuel | Price |\n| --- | --- |\n| Pine | 95.00 |\n| Oak | 140.00 |"


def test_bars_part_cells_however_long_they_are() -> None:
    long = "split and dried for two summers under the roof of the long barn by the mill"
    text = f"Fuel | Price | Notes\nPine | 95 | {long}\nOak | 140 | none"
    assert with_tables(text).splitlines()[1:] == [
        "| --- | --- | --- |",
        f"| Pine | 95 | {long} |",
        "| Oak | 140 | none |",
    ]


def test_tabs_part_cells_wherever_they_stand() -> None:
    text = "Fuel\tPrice\nPine logs for ovens\t95\nOak\t1|2"
    assert with_tables(text).splitlines()[2:] == ["| Pine logs for ovens | 95 |", "| Oak | 1\\|2 |"]


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("  Ash .......... 95 euros\n  Oak, dry ..... 140 euros", ["- Ash: 95 euros", "- Oak, dry: 140 euros"]),
        ("Ash…95\nOak … 140", ["- Ash: 95", "- Oak: 140"]),
        (
            "Lights:\n  F1  Fill the hopper.\n  F2  No air: clean the fan, which is behind the lower door by the flue.",
            [
                "Lights:",
                "  F1  Fill the hopper.",
                "  F2  No air: clean the fan, which is behind the lower door by the flue.",
            ],
        ),
        (
            "Lights:\n  F1  Fill it.\n  F2  No air: clean the fan, which is behind the lower door by the flue.\n  F7  Call.",
            [
                "Lights:",
                "- F1: Fill it.",
                "- F2: No air: clean the fan, which is behind the lower door by the flue.",
                "- F7: Call.",
            ],
        ),
        ("F1   no fuel\nF2   no air\nF10  no spark", ["- F1: no fuel", "- F2: no air", "- F10: no spark"]),
        (
            "Ash   Burns fast.\nOak   Burns long.\nPine  Spits.",
            ["- Ash: Burns fast.", "- Oak: Burns long.", "- Pine: Spits."],
        ),
    ],
)
def test_names_with_what_is_said_of_them_are_a_list(text: str, items: list[str]) -> None:
    assert with_tables(text).splitlines() == items


@pytest.mark.parametrize(
    "text",
    [
        "Well ... it burns.",
        "It burns...\nIt goes out...",
        "Ash    Burns fast.\nOak    Burns long.",
        "Ash  Burns fast.\nOak    Burns long.\nPine   Spits.",
        "Wood is sold here.  It is dry.\nAsk  at the gate, please.\nWe are  open.",
        "Fuel    Price\nPine    95",
        "Fuel    Price\n\nPine    95\n\nOak     140",
        "| a  b | c |\n|---|---|\n| 1  2 | 3 |",
        "Fuel | Price\nPine    95\nOak | 140",
        "cut | sort | uniq\n\nA pipe joins commands.",
        "    indented\n    code\n    here",
        "Fuel    Price   Stock\nPine    95\nOak     140",
    ],
)
def test_what_is_no_table_stays(text: str) -> None:
    assert with_tables(text) == text


def test_a_wide_gap_is_read_in_proportion() -> None:
    text = "\n".join([f"x{' ' * 40_000}y"] * 4)  # took minutes while bars were looked for at each space
    assert with_tables(text).startswith("| x | y |")


def test_many_lines_are_read_in_proportion() -> None:
    text = "x   y z\n q   r\n" * 50_000
    assert with_tables(text) == text
