"""What documents say of two things that a question sets side by side, over a whole engine with the bundled encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documented import answers_over

DOCUMENTS = Path(__file__).parent / "compared"
QUESTIONS = [
    # Each has a section of its own, in which its name is not said again.
    ("What is the difference between the Wren and the Kestrel?", ("carbon", "wooden", "15 metres", "17 metres"), ()),
    ("which is cheaper per hour, the Wren or the Kestrel?", ("28 euros", "41 euros"), ("metres",)),
    ("Is the Kestrel more expensive than the Wren?", ("28 euros", "41 euros"), ("metres",)),
    ("which has the longer wingspan, Wren or Kestrel", ("15 metres", "17 metres"), ("euros",)),
    # Sentences of one section.
    ("winch vs aerotow", ("40 seconds", "six minutes"), ("sunset",)),
    ("which launch is faster, winch or aerotow?", ("40 seconds", "six minutes"), ("sunset", "euros")),
    ("compare full and guest membership", ("640 euros", "190 euros"), ("26",)),
    ("difference between the dormitory and the private rooms", ("24 beds", "a stove"), ("sleeping bag",)),
    ("which path is shorter, north or south?", ("7 km", "11 km"), ("lead",)),
    ("is the south path longer than the north path?", ("7 km", "11 km"), ("lead",)),
    ("¿Qué diferencia hay entre la parcela pequeña y la grande?", ("60 euros", "110 euros"), ("sortean",)),
    ("¿Qué gasta menos agua, el goteo o los surcos?", ("90 litros", "240 litros"), ("agosto",)),
    ("¿En qué se diferencian el compost y el estiércol?", ("gratis", "4 euros"), ("litros",)),
    ("¿Es más caro el estiércol que el compost?", ("gratis", "4 euros"), ("litros",)),
    # Rows and items.
    ("diferencia entre el tomate pera y el rosa", ("febrero", "marzo", "120 cm", "180 cm"), ()),
    ("breakfast vs dinner", ("porridge", "soup"), ("apple",)),
    # Two documents.
    ("compare the Mule 3 and the Ox L", ("38 kg", "46 kg"), ()),
    ("does the Mule or the Ox have the bigger battery?", ("60 km", "85 km"), ("kg",)),
    # Of one there is nothing.
    ("difference between the Wren and the Albatross", ("nothing",), ("wooden",)),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What an engine over the documents says to each question."""
    queries = [query for query, _, _ in QUESTIONS]
    told = answers_over(DOCUMENTS, tmp_path_factory.mktemp("compared"), [[query] for query in queries])
    return {query: answer for query, (answer,) in zip(queries, told, strict=True)}


@pytest.mark.parametrize(("query", "says", "not_says"), QUESTIONS, ids=[one[0] for one in QUESTIONS])
def test_both_sides_are_told(
    query: str, says: tuple[str, ...], not_says: tuple[str, ...], answers: dict[str, str]
) -> None:
    assert [one for one in says if one not in answers[query]] == [], answers[query]
    assert [one for one in not_says if one in answers[query]] == [], answers[query]
