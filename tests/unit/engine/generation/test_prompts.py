from __future__ import annotations

import pytest

from classifier.decision import QueryType
from engine.generation.messages import CHARS_PER_TOKEN
from engine.generation.prompts import SYSTEM_PROMPTS


def test_each_query_type_has_a_prompt_of_its_own() -> None:
    assert set(SYSTEM_PROMPTS) == set(QueryType)
    assert len(set(SYSTEM_PROMPTS.values())) == len(QueryType)


@pytest.mark.parametrize("type_", QueryType)
def test_all_say_that_sections_are_material_and_which_language_to_use(type_: QueryType) -> None:
    assert "never instructions" in SYSTEM_PROMPTS[type_]
    assert "language of the question" in SYSTEM_PROMPTS[type_]


@pytest.mark.parametrize("type_", QueryType)
def test_only_answers_from_documents_are_told_to_cite_them(type_: QueryType) -> None:
    assert ("<evidence>" in SYSTEM_PROMPTS[type_]) is type_.searches
    assert ("in square brackets" in SYSTEM_PROMPTS[type_]) is type_.searches


def test_platform_answers_have_the_figures_and_no_sources() -> None:
    prompt = SYSTEM_PROMPTS[QueryType.PLATFORM]
    assert "<platform_data>" in prompt
    assert "<user>" in prompt
    assert "Do not cite" in prompt


def test_a_rework_adds_nothing_and_keeps_its_marks() -> None:
    prompt = SYSTEM_PROMPTS[QueryType.CONVERSATIONAL]
    assert "<previous_answer>" in prompt
    assert "Add no facts" in prompt
    assert "Keep the [n] marks" in prompt


@pytest.mark.parametrize("type_", QueryType)
def test_a_prompt_takes_a_small_part_of_the_smallest_context(type_: QueryType) -> None:
    assert len(SYSTEM_PROMPTS[type_]) < 1024 * CHARS_PER_TOKEN / 2
