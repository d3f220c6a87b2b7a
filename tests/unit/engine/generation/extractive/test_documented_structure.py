"""What lists, steps, tables and code of documents say to a question, over a whole engine with the bundled encoder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.documented import answers_over

DOCUMENTS = Path(__file__).parent / "structured"


@dataclass(frozen=True)
class Asked:
    """A question that is asked alone, with what its answer has to say and what it must not say."""

    kind: str
    query: str
    says: tuple[str, ...]
    not_says: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.query}"


QUESTIONS = (
    # Lists, steps and lines of plain text.
    Asked("list", "que papeles hacen falta para el carne", ("identidad", "fotografía", "autorización"), ("fianza",)),
    Asked(
        "list",
        "what should i bring on the first day",
        ("medical certificate", "passport photos", "50 metres", "clean sole"),
        ("lapses",),
    ),
    Asked("steps", "como reservo una sala", ("Entre en la web", "Elija", "fianza de 12", "Recoja la llave"), ("club",)),
    Asked("steps", "how do i book a boat", ("Sign in", "Choose a boat", "3 dollars", "logbook"), ("Rinse",)),
    Asked(
        "steps",
        "what do i have to do after rowing",
        ("Rinse", "blue cloths", "rack", "time of your return"),
        ("Choose a boat",),
    ),
    Asked("lines", "a que hora abre los sabados", ("10:00 a 13:30",), ("20:30", "festivos")),
    Asked("lines", "is the club open on sundays?", ("Closed on Sundays",), ("18:00", "dollars")),
    Asked("lines", "what time does it close on saturday", ("7:00 to 18:00",), ("Closed on Sundays", "21:00")),
    Asked("lines", "cuanto tiempo puedo tener una pelicula", ("7 días",), ("21 días", "3 días")),
    Asked("lines", "which membership is the cheapest", ("Social", "25 dollars"), ("190", "110")),
    Asked("lines", "how much is the family membership", ("190 dollars",), ("40 dollars", "25 dollars")),
    Asked("lines", "cuanto vale una copia en color", ("20 céntimos",), ("5 céntimos", "25 euros")),
    # Rows by their code.
    Asked("row", "exit code 4?", ("vanished",), ("refused the connection", "Stopped", "9400", "larger than")),
    Asked("row", "what does exit code 6 mean", ("disk buffer",), ("vanished", "wrong argument")),
    Asked("row", "what does a 413 mean", ("larger than 4 MB",), ("Too many", "no right")),
    Asked("row", "i get a 429, what is it", ("Too many batches", "30 seconds"), ("larger than", "updated")),
    Asked("row", "que significa E4", ("fuga",), ("No desagua", "4 cifras", "sensor")),
    # Both sides of a comparison.
    Asked("both", "que diferencia hay entre el programa eco y el rapido", ("210 min", "30 min"), ("145", "95 min")),
    Asked("both", "que diferencia hay entre el piloto rojo fijo y el intermitente", ("sal", "obstruido"), ("puerta",)),
    Asked("both", "difference between team and company", ("$49", "$240"), ("$0",)),
    # Commands and options.
    Asked("code", "how do i install logferry on a mac", ("brew install logferry",), ("apt-get", "go install")),
    Asked("code", "how do i install it on ubuntu", ("apt-get install",), ("brew", "go install")),
    Asked("code", "does it run on windows", ("version 2.2",), ("brew", "apt-get", "go install")),
    Asked("code", "how do i skip debug lines when shipping", ("--ignore",), ("--retry", "--gzip")),
    Asked("code", "what is the default batch size", ("500",), ("--retry", "--gzip", "72 hours")),
    # What the document defines, and not a command that uses the word.
    Asked("word", "what is a spool in brinelog", ("a folder of the sender",), ("drain", "Empties")),
    Asked("word", "which command empties a spool", ("brinelog drain",), ("a folder of the sender",)),
    # One step, or one item, of several.
    Asked("one", "cuanto hay que pagar de fianza por la sala?", ("12 euros",), ("Elija", "Entre en la web")),
    Asked("one", "cuanta sal hay que poner en el deposito", ("2 kg",), ("tornillos", "Nivele")),
    Asked("one", "what is the booking fee for a boat", ("3 dollars",), ("Sign in", "logbook")),
    Asked("one", "cada cuanto hay que limpiar el filtro", ("cada semana",), ("Aspas", "15 días")),
    # Told in the other language only, while documents in the question's stand beside.
    Asked("across", "¿Qué significa el código de salida 4 de logferry?", ("vanished",), ("fuga",)),
    Asked("across", "¿Hay que enjuagar el barco después de remar?", ("Rinse",), ("Nivele",)),
    Asked("across", "How much does a colour copy cost at the library?", ("20 céntimos",), ("dollars",)),
    Asked("across", "How much salt do I put into the dishwasher?", ("2 kg",), ("dollars",)),
    Asked("across", "What does E4 mean on the dishwasher?", ("fuga",), ("vanished",)),
)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What an engine over the documents says to each question."""
    queries = [asked.query for asked in QUESTIONS]
    told = answers_over(DOCUMENTS, tmp_path_factory.mktemp("structured"), [[query] for query in queries])
    return {query: answer for query, (answer,) in zip(queries, told, strict=True)}


@pytest.mark.parametrize("asked", QUESTIONS, ids=str)
def test_what_the_structure_of_a_document_says(asked: Asked, answers: dict[str, str]) -> None:
    text = answers[asked.query]
    assert all(said in text for said in asked.says), text
    assert not any(said in text for said in asked.not_says), text
