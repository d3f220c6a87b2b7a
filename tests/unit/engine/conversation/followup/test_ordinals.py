from __future__ import annotations

import pytest

from engine.conversation.followup.ordinals import Item, item_meant

LIST = "- Install it [1].\n- Index a folder [2].\n- Ask [3]."


@pytest.mark.parametrize(
    ("query", "question", "answer", "expected"),
    [
        ("more on the second one", "How do I begin?", LIST, Item("Index a folder [2].", alone=False)),
        ("háblame del tercero", "¿Cómo empiezo?", LIST, Item("Ask [3].", alone=False)),
        ("el último, por favor", "¿Cómo empiezo?", LIST, Item("Ask [3].", alone=False)),
        ("number 2?", "readFile or openFile?", "They differ.", Item("openFile", alone=True)),
        ("the first of these", "Which are there?", "Use readFile, then closeFile.", Item("readFile", alone=True)),
        ("the last", "Which are there?", "Use readFile, then closeFile.", Item("closeFile", alone=True)),
        ("the fifth one", "How do I begin?", LIST, None),
        ("tell me more", "How do I begin?", LIST, None),
        ("the second one", "What is it?", "A thing.", None),
        ("the second one", "What is readFile?", "It reads.", None),
    ],
)
def test_what_an_ordinal_means(query: str, question: str, answer: str, expected: Item | None) -> None:
    assert item_meant(query, question, answer) == expected
