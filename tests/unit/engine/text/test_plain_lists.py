from __future__ import annotations

import pytest

from engine.text.plain_lists import as_lists
from engine.text.sentences import Unit, units


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("Loaves: 3 pounds\nRolls: 40 pence", "- Loaves: 3 pounds\n- Rolls: 40 pence"),
        ("Monday to Friday: 7 to 19\nClosed on Sundays.", "Monday to Friday: 7 to 19\n\nClosed on Sundays."),
        ("Prices:\nTea: 2 €\nMilk: 1 €", "Prices:\n- Tea: 2 €\n- Milk: 1 €"),
        ("Monday 7 to 19\nSaturday 8 to 12\nClosed in May", "- Monday 7 to 19\n- Saturday 8 to 12\n- Closed in May"),
        ("Step 1: Sift.\nStep 2: Knead.", "1. Sift.\n2. Knead."),
        ("Paso 4. Hornee.\nPaso 5. Deje enfriar.", "4. Hornee.\n5. Deje enfriar."),
        ("What to bring\n\n• A bowl\n• A towel", "What to bring:\n\n- A bowl\n- A towel"),
        ("Bring this.\n\n- A bowl", "Bring this.\n\n- A bowl"),
        ("# What to bring\n\n- A bowl", "# What to bring\n\n- A bowl"),
        ("We went to the town of\nSeville. It was hot.", "We went to the town of\nSeville. It was hot."),
        (
            "The ovens were built by a family of masons who came from the town of\nCuenca.",
            "The ovens were built by a family of masons who came from the town of\nCuenca.",
        ),
        ("```\nA: 1\nB: 2\n```", "```\nA: 1\nB: 2\n```"),
        ("- An item\n  that goes on\nOn and on", "- An item\n  that goes on\nOn and on"),
    ],
)
def test_lists_of_plain_text_are_those_of_markdown(text: str, lists: str) -> None:
    assert "\n".join(as_lists(text.splitlines())) == lists


def test_lines_that_state_one_thing_each_are_items_of_what_introduces_them() -> None:
    whole = "Fees a year:\n- Small: 3 €\n- Large: 5 €"
    assert units("Fees a year:\n\nSmall: 3 €\nLarge: 5 €\n")[1:] == [
        Unit("Small: 3 €", whole=whole),
        Unit("Large: 5 €", whole=whole),
    ]


def test_steps_keep_their_numbers_where_their_list_is_cut() -> None:
    assert [unit.text for unit in units("3. Knead.\n4. Bake.")] == ["3. Knead.\n4. Bake."]


def test_a_block_has_the_line_that_introduces_it() -> None:
    assert units("On a boat:\n\n```sh\nrow\n```")[1] == Unit("```sh\nrow\n```", code=True, introduced="On a boat:")
