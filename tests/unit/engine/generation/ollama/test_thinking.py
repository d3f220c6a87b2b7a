from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.generation.ollama.thinking import ThinkingFilter


def shown(pieces: Sequence[str]) -> str:
    filtering = ThinkingFilter()
    return "".join([*(filtering.feed(piece) for piece in pieces), filtering.flush()])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Hello world", "Hello world"),
        ("", ""),
        ("  indented", "  indented"),
        ("<think>secret</think>Hello", "Hello"),
        ("\n <think>\nsecret\n</think>\n\nHello", "Hello"),
        ("<think></think>", ""),
        ("<think>secret, and never closed", ""),
        ("<think>secret</thin", ""),
        ("<thin", "<thin"),
        ("<thing> is a tag", "<thing> is a tag"),
        ("The tag <think>opens</think> it", "The tag <think>opens</think> it"),
        ("<think>a</think>b<think>c</think>", "b<think>c</think>"),
        ("</think>Hello", "</think>Hello"),
    ],
)
def test_what_an_answer_begins_with_in_tags_is_taken_away(text: str, left: str) -> None:
    assert shown([text]) == left
    assert shown(list(text)) == left


@given(st.lists(st.sampled_from(["<think>", "</think>", "<th", "ink>", "</th", "a", " ", "\n", "<", "secret"])))
def test_how_it_comes_in_pieces_changes_nothing(pieces: list[str]) -> None:
    assert shown(pieces) == shown(list("".join(pieces))) == shown(["".join(pieces)])
