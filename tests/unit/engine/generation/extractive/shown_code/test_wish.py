"""Messages about shown code, none of them an example of `wishes.json`, told apart by the bundled encoder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.bootstrap import MODEL_DIR
from engine.generation.extractive.shown_code import wish as module
from engine.generation.extractive.shown_code.wish import Wish, Wishes
from engine.retrieval.embedding.onnx import OnnxEmbedder

MESSAGES = {
    Wish.UNDERSTAND: [
        "explain this function",
        "what does it do",
        "how does the code work",
        "why is there a try in it",
        "explica este código",
        "qué hace esta función",
        "no entiendo esta parte",
        "para qué es esto",
    ],
    Wish.CHANGE: [
        "fix the bug",
        "refactor this",
        "rename this variable to total",
        "add type hints",
        "convert this to Python",
        "arregla el error",
        "documenta la selección",
        "hazlo asíncrono",
    ],
    Wish.PARTS: [
        "which modules does it import",
        "what functions are there in this file",
        "how many lines does it have",
        "que variables usa este codigo",
        "qué órdenes se usan aquí",
    ],
    Wish.FAULTS: [
        "is there a bug here?",
        "why does it not run?",
        "what is wrong with my code",
        "hay algún error aquí",
        "por qué no funciona",
    ],
    Wish.DOCUMENTS: [
        "which command makes a random string",
        "how do I connect to a database",
        "how is a variable declared",
        "qué comando crea una lista",
        "cómo se lee un parámetro de la petición",
    ],
}


@pytest.fixture(scope="module")
def wishes() -> Wishes:
    return Wishes(OnnxEmbedder(MODEL_DIR, 1))


@pytest.mark.parametrize("wish", list(Wish))
def test_messages_that_are_no_examples_are_told(wishes: Wishes, wish: Wish) -> None:
    told = {text: wishes.of(text) for text in MESSAGES[wish]}
    wrong = {text: found for text, found in told.items() if found is not wish}
    assert len(wrong) <= len(told) // 5, wrong


def test_no_message_of_this_test_is_an_example() -> None:
    rows = json.loads((Path(module.__file__).parent / "wishes.json").read_text("utf-8"))
    examples = {text.casefold() for texts in rows.values() for text in texts}
    assert set(rows) == {wish.value for wish in Wish}
    assert not examples & {text.casefold() for texts in MESSAGES.values() for text in texts}
