from __future__ import annotations

from pathlib import Path

import pytest

from classifier.head_files import HeadError
from engine.generation.extractive.account_figures.asking.heads import SHIPPED, FigureHeads, numbers_of
from engine.generation.extractive.account_figures.asking.questions import Operations
from engine.generation.extractive.account_figures.vocabulary import subjects
from engine.testing import HashedWordsEmbedder
from engine.text.language import Language, language_of
from scripts.fitting.account.figure_heads import operation_rows
from tests.account_cases import encoder

#: Wordings that no row has.
LEFT_OUT = {
    "value": ["how many trays did the bakery sell", "cuántas ovejas hay en la granja", "what do we owe the landlord"],
    "left": ["how many stamps are still in the drawer for me to use", "cuánto me resta del vale"],
    "limit": ["what is the upper bound on recipients", "cuál es la cantidad máxima de correos"],
    "percent": ["what portion of the visitors bought something", "tasa de abandono"],
    "compare": ["did we do better than a year ago", "vendimos menos que ayer"],
    "sum": ["how much for all the items together", "cuánto da el total de los tres"],
    "average": ["mean number of guests", "cuál es la media de visitantes"],
    "highest": ["who earned the most points", "cuál es la ruta más larga"],
    "lowest": ["which branch has the fewest members", "la ruta más corta"],
    "date": ["when do the tyres have to be changed", "qué día cierra la convocatoria"],
    "text": ["which bank holds the account", "quién firmó el contrato"],
    "over": ["have we spent more than allowed", "superamos el aforo"],
    "enough": ["is there space for three more cars", "podría mandar 60 postales más"],
    "flag": ["are we insured", "está abierto el portón"],
    "list": ["which trucks are idle", "qué camiones están parados"],
    "cost": ["what would nine tins come to", "por cuánto saldrían cuatro noches"],
    "count": ["how many of the pupils own a bike", "cuántos vagones llevan grafitis"],
    "insight": ["how does everything look", "cómo se ve todo"],
    "other": ["how do I move a file", "por qué rechazan mi tarjeta"],
}


@pytest.fixture(scope="module")
def heads() -> FigureHeads:
    return FigureHeads.load(SHIPPED, encoder().name_id)


def test_the_operation_of_wordings_that_no_row_has_is_told(heads: FigureHeads) -> None:
    rows = {text for texts in operation_rows().values() for text in texts}
    asked = [(operation, text) for operation, texts in LEFT_OUT.items() for text in texts]
    assert not rows & {text for _, text in asked}
    wrong = [text for operation, text in asked if next(iter(heads.read(encoder().embed([text])[0]))) != operation]
    assert len(wrong) <= 0.15 * len(asked), wrong


def test_the_operation_of_a_query_is_told_as_it_is_typed(heads: FigureHeads) -> None:
    asked = [(operation, text) for operation, texts in LEFT_OUT.items() for text in texts]
    typed = [("¿" if language_of(text) is Language.SPANISH else "") + text.capitalize() + "?" for _, text in asked]
    read = [next(iter(heads.read_query(numbers))) for numbers in numbers_of(encoder(), typed)]
    assert sum(told == operation for told, (operation, _) in zip(read, asked, strict=True)) >= 0.85 * len(asked)


def test_a_query_in_capitals_alone_asks_for_the_same() -> None:
    operations = Operations(encoder())
    shouted, said = (
        operations.chances(text) for text in ("WHICH IS THE CHEAPEST ROOM?", "which is the cheapest room?")
    )
    assert shouted == said
    assert next(iter(said)) == "lowest"
    assert next(iter(operations.chances("why is the cheapest room so far away?"))) == "other"


@pytest.mark.parametrize(
    "query", ["What's the average rent?", "What is the avg weight of a sack?", "el promedio de goles"]
)
def test_a_query_that_says_average_asks_for_it(query: str) -> None:
    chances = Operations(encoder()).chances(query)
    assert next(iter(chances)) == "average"
    assert sum(chances.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("word", "name", "other"),
    [
        ("alumnos", "students", "homework"),
        ("mailboxes", "buzones", "bases de datos"),
        ("entregaron", "delivered", "bounced"),
        ("tasa de interés", "interest rate", "balance"),
    ],
)
def test_names_of_one_thing_are_near_in_both_languages(heads: FigureHeads, word: str, name: str, other: str) -> None:
    near, far = heads.words(encoder().embed([name, other])) @ heads.words(encoder().embed([word]))[0]
    assert near > 0.36 > far


def test_a_word_for_asking_names_no_thing(heads: FigureHeads) -> None:
    asking, thing = heads.names_things(encoder().embed(["obtuvimos", "elephants"]))
    assert asking < 0.1
    assert thing > 0.9


def test_a_saved_head_reads_as_before(heads: FigureHeads, tmp_path: Path) -> None:
    heads.save(tmp_path / "heads.npz")
    again = FigureHeads.load(tmp_path / "heads.npz", heads.encoder)
    vector = encoder().embed(["how many are left"])[0]
    assert again.read(vector) == pytest.approx(heads.read(vector), abs=1e-3)
    numbers = numbers_of(encoder(), ["How many are left?"])[0]
    assert again.read_query(numbers) == pytest.approx(heads.read_query(numbers), abs=1e-3)


def test_a_head_of_another_encoder_is_refused() -> None:
    embedder = HashedWordsEmbedder()
    with pytest.raises(HeadError, match=r"scripts\.fitting\.account_figures"):
        FigureHeads.load(SHIPPED, embedder.id)
    with pytest.raises(HeadError, match="hashed-words"):
        Operations(embedder).chances("how many are left?")


def test_the_stored_vectors_of_the_subjects_are_those_of_their_first_names(heads: FigureHeads) -> None:
    first, last = encoder().embed_names([subjects()[0][0], subjects()[-1][0]])
    assert heads.subjects[0] == pytest.approx(first, abs=1e-3)
    assert heads.subjects[-1] == pytest.approx(last, abs=1e-3)
