"""What headings of documents say to a question: questions, numbers and calls; over an engine with the bundled encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documented import answers_over

DOCUMENTS = Path(__file__).parent / "headed"

#: Each conversation: what is asked, what the answer says, and what it does not.
DIALOGUES: tuple[tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...], ...] = (
    # A question of the document is answered by what stands below it, and is no sentence of an answer.
    (("¿Qué es el engobe?", ("barro líquido", "antes de la primera"), ("¿", "ENGOBE")),),
    (
        ("¿puedo cocer un jarrón hecho en casa?", ("Solo los jueves",), ("tres semanas",)),
        ("¿y llevarme las piezas el mismo día?", ("a las tres semanas",), ("¿Cuánto",)),
    ),
    (("cuanto cuesta una hornada", ("22 euros", "38 euros"), ("¿Cuánto cuesta una hornada? [",)),),
    # The number of a version is that of its heading.
    (
        ("what was added in Lanternfish 3.1.0?", ("Crew lists", "every six hours"), ("Tides", "booklet")),
        ("what was dropped in it?", ("serial cable", "course editor"), ("star chart",)),
    ),
    (("when was 3.2.0 released?", ("3.2.0 - 14 May 2024. [1]",), ("2023", "February")),),
    (("when did version 3.0 come out", ("20 October 2023",), ("2026",)),),
    (("until when does 3.0.0 receive repairs?", ("1 November 2026",), ("May",)),),
    # A call is told with what it does.
    (("how do I release a hold?", ("DELETE /holds/{id}: Releases a hold.",), ("POST",)),),
    (("which call places a hold?", ("POST /holds: Places a hold.",), ("DELETE",)),),
    # The name of a fault is told with its remedy, and what happens otherwise behind what should be.
    (("la pieza tiene grietas, que hago", ("se secó demasiado deprisa", "Tápela con un plástico"), ("burbujas",)),),
    (("¿qué pasa si no recojo mis piezas?", ("dos meses", "se reciclan"), ("burbujas",)),),
    # What stands around the text of a page is none of it.
    (("What is a hold?", ("keeps a mooring for one boat",), ("Winches", "all rights")),),
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """What an engine over the documents says in each conversation."""
    dialogues = [[query for query, _, _ in dialogue] for dialogue in DIALOGUES]
    return answers_over(DOCUMENTS, tmp_path_factory.mktemp("headed"), dialogues)


@pytest.mark.parametrize("number", range(len(DIALOGUES)), ids=lambda number: DIALOGUES[number][0][0])
def test_what_the_headings_of_documents_say(number: int, answers: list[list[str]]) -> None:
    for (query, says, says_not), text in zip(DIALOGUES[number], answers[number], strict=True):
        assert all(said in text for said in says), f"{query}: {text}"
        assert not any(said in text for said in says_not), f"{query}: {text}"
