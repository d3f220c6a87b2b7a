"""Sentences of an answer against their passages, with an embedder for which likeness is shared words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from classifier.decision import QueryType
from engine.domain import Evidence, Exchange, Passage
from engine.generation.grounding import Grounder, quoted
from engine.generation.port import Prompt
from engine.generation.statements import closed, statements
from engine.testing import HashedWordsEmbedder

PUMP = Passage(
    "p", "pumps.md", "Pumps", "Kessel", "The pump starts at 40 degrees. It stops when `openValve` returns an error."
)
CARE = Passage(
    "c", "care.md", "Pumps", "Care", "A filter is cleaned every 12 weeks. The manual of Marbury names each part."
)
CITED = (Evidence(1, PUMP), Evidence(2, CARE))
PROMPT = Prompt(QueryType.RETRIEVAL, "When does the pump start?", evidence=(Evidence(7, PUMP), Evidence(9, CARE)))


@pytest.fixture
def grounder() -> Grounder:
    return Grounder(HashedWordsEmbedder(512))


def marked(grounder: Grounder, answer: str, prompt: Prompt = PROMPT) -> list[tuple[str, str]]:
    """Each marked sentence with its reason."""
    grounding = grounder.ground(answer, CITED, prompt)
    return [(answer[one.start : one.end], one.reason) for one in grounding.unsupported]


@pytest.mark.parametrize(
    ("model", "cited", "share"), [("extractive", (3, 1), 1.0), ("extractive", (), None), ("qwen3:1.7b", (3,), None)]
)
def test_what_is_quoted_is_wholly_supported(model: str, cited: tuple[int, ...], share: float | None) -> None:
    assert quoted(model, cited).share == share


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Pumps stop. Valves open [1].", [("Pumps stop.", (1,)), ("Valves open [1].", (1,))]),
        ("Pumps stop [1]. Valves open. [2]", [("Pumps stop [1].", (1,)), ("Valves open. [2]", (2,))]),
        ("Pumps stop [1].\n\nValves open.", [("Pumps stop [1].", (1,)), ("Valves open.", ())]),
        ("Colours are:\n- a red valve [1]\n- blue [2]", [("a red valve [1]", (1,)), ("blue [2]", (2,))]),
        ("1. Open the valve [1].\n2. Wait.", [("Open the valve [1].", (1,)), ("Wait.", ())]),
        ("# Pumps\n\nBoth pumps stop [1][2].", [("Both pumps stop [1][2].", (1, 2))]),
        ("Is that a pump? Yes. ```\nx = 1\n```\n", []),
        ("```python\npumps = [1]\n```\nPumps are listed [2].", [("Pumps are listed [2].", (2,))]),
        ("```\nnever closed. Pumps [1].", []),
        ("A pump that goes\non in the next line [2].", [("A pump that goes\non in the next line [2].", (2,))]),
        ("", []),
    ],
)
def test_statements_are_sentences_with_the_marks_that_count_for_them(
    answer: str, expected: list[tuple[str, tuple[int, ...]]]
) -> None:
    assert [(answer[one.start : one.end], one.cited) for one in statements(answer)] == expected


@given(
    st.lists(
        st.sampled_from(["A part.", " ", "\n", "\n\n", "- ", "1. ", "[1]", "e.g. ", "```", "|", "¿Qué?", "é"])
    ).map("".join)
)
def test_places_are_those_of_the_answer(answer: str) -> None:
    found = statements(answer)
    assert all(0 <= one.start < one.end <= len(answer) for one in found)
    assert all(a.end <= b.start for a, b in itertools.pairwise(found))


def test_what_the_passages_say_is_supported(grounder: Grounder) -> None:
    answer = "The pump starts at 40 degrees [1]. A filter is cleaned every 12 weeks [2]."
    assert marked(grounder, answer) == []
    assert grounder.ground(answer, CITED, PROMPT).share == 1.0


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The pump starts at 45 degrees [1].", "figure"),
        ("A filter is cleaned every 12 weeks [1].", "figure"),
        ("The pump of Halden starts at 40 degrees [1].", "name"),
        ("It stops when `closeValve` returns an error [1].", "name"),
        ("It stops when closeValve returns an error [1].", "name"),
        ("Gardens grow slowly under grey autumn skies [1].", "meaning"),
        ("Gardens grow slowly under grey autumn skies.", "uncited"),
    ],
)
def test_inventions_are_marked_with_their_reason(grounder: Grounder, sentence: str, reason: str) -> None:
    answer = f"A filter is cleaned every 12 weeks [2].\n\n{sentence}"
    assert marked(grounder, answer) == [(sentence, reason)]
    assert grounder.ground(answer, CITED, PROMPT).share == 0.5


def test_figures_and_names_of_the_conversation_need_no_passage(grounder: Grounder) -> None:
    told = Prompt(
        QueryType.RETRIEVAL, "Does the pump of Halden start?", history=(Exchange("At 55 degrees?", "Not yet."),)
    )
    sentence = "The pump of Halden starts at 40 degrees, not 55 [1]."
    assert marked(grounder, sentence, told) == []
    assert marked(grounder, sentence)[0][1] == "figure"


def test_figures_are_compared_however_they_are_written(grounder: Grounder) -> None:
    tank = Passage("t", "tank.md", "Tank", "", "El depósito contiene 1.250,5 litros de agua.")
    said = "El depósito contiene 1250,5 litros de agua [1]."
    assert grounder.ground(said, (Evidence(1, tank),), PROMPT).share == 1.0


def test_a_sentence_without_a_mark_is_held_against_all_that_is_cited(grounder: Grounder) -> None:
    assert marked(grounder, "The pump starts at 40 degrees.\n\nA filter is cleaned every 12 weeks [2].\n\nx [1]") == []


def test_an_answer_that_cites_nothing_has_no_share_and_is_marked_where_it_should_cite(grounder: Grounder) -> None:
    answer = "The pump starts at 40 degrees. It is blue."
    from_documents = grounder.ground(answer, (), PROMPT)
    assert from_documents.share is None
    assert [(answer[one.start : one.end], one.reason) for one in from_documents.unsupported] == [
        ("The pump starts at 40 degrees.", "uncited"),
        ("It is blue.", "uncited"),
    ]
    thanked = grounder.ground("You are welcome.", (), Prompt(QueryType.CONVERSATIONAL, "thanks"))
    assert (thanked.share, thanked.unsupported) == (None, ())


def test_code_alone_has_nothing_to_hold_against_anything(grounder: Grounder) -> None:
    assert grounder.ground("```\nopen(1)\n```\n[1]", CITED, PROMPT).share is None


def test_passages_that_support_an_answer_are_found_in_order(grounder: Grounder) -> None:
    answer = "A filter is cleaned every 12 weeks. The manual of Marbury names each part. The pump starts at 40 degrees."
    assert grounder.supporting(answer, PROMPT) == (9, 7)
    assert grounder.supporting("Gardens grow slowly. The pump starts at 99 degrees.", PROMPT) == ()


@pytest.mark.parametrize(
    ("answer", "may"),
    [
        ("Done.", True),
        ("Use `x`.", True),
        ("```\nx\n```", False),
        ("```\nx", False),
        ("Use `x", False),
        ("```\nx\n```\nDone.", True),
    ],
)
def test_no_mark_is_put_into_code(answer: str, may: bool) -> None:
    assert closed(answer) is may


class CountingEmbedder(HashedWordsEmbedder):
    """Keeps what it is given."""

    def __init__(self) -> None:
        super().__init__(512)
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        return super().embed(texts)


STEPS = Passage(
    "s",
    "steps.md",
    "",
    "",
    "Before you open it:\n\n1. Drain the tank of old water.\n2. Loosen three screws.\n3. Wait until both lamps go dark.\n"
    "4. Lift the lid with a second person, since it weighs more than most people can hold.",
)
WHOLE = (
    "Before you open it, drain the tank of old water, loosen three screws, wait until both lamps go dark and lift the "
    "lid with a second person, since it weighs more than most people can hold [1]."
)


def test_the_sentences_of_an_answer_and_all_its_passages_are_embedded_together() -> None:
    embedder = CountingEmbedder()
    answer = "[1] The pump starts at 40 degrees. A filter is cleaned every 12 weeks. Twice it starts at 40 degrees."
    assert Grounder(embedder).ground(answer, CITED, PROMPT).share == 1.0
    (texts,) = embedder.calls
    assert len(texts) == len(set(texts)) == 3 + 4


def test_steps_of_lists_are_embedded_only_for_what_no_whole_text_of_the_passages_supports() -> None:
    """Likeness is shared words: the whole list has those of the first sentence, one step alone those of the second."""
    whole, step = CountingEmbedder(), CountingEmbedder()
    evidence = (Evidence(1, STEPS),)
    assert Grounder(whole).ground(WHOLE, evidence, PROMPT).share == 1.0
    assert len(whole.calls) == 1
    assert Grounder(step).ground("Loosen three screws [1].", evidence, PROMPT).share == 1.0
    assert len(step.calls) == 2
    assert {"1. Drain the tank of old water.", "2. Loosen three screws."} <= set(step.calls[1])


@pytest.mark.parametrize("fence", ["```", "~~~"])
def test_lines_of_code_are_no_steps(fence: str) -> None:
    embedder = CountingEmbedder()
    example = Passage("c", "code.md", "", "Tanks", f"To drain one:\n\n{fence}sh\ndrain tank\nloosen screws\n{fence}")
    assert Grounder(embedder).ground("Wait until the lamps go dark [1].", (Evidence(1, example),), PROMPT).share == 0.0
    assert len(embedder.calls) == 1
    assert not any(text == "loosen screws" for text in embedder.calls[0])


def test_what_lacks_a_figure_is_not_embedded() -> None:
    embedder = CountingEmbedder()
    assert Grounder(embedder).ground("The pump starts at 45 degrees [1].", CITED, PROMPT).share == 0.0
    assert embedder.calls == []
