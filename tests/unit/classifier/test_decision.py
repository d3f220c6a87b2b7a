import dataclasses

import pytest

from classifier.decision import INTENT_QUERY_CHARS, Decision, IntentEntry, Layer, Opinion, Query, QueryType


@pytest.mark.parametrize(
    ("kind", "searches"),
    [
        (QueryType.RETRIEVAL, True),
        (QueryType.CODE_GENERATION, True),
        (QueryType.CONVERSATIONAL, False),
        (QueryType.PLATFORM, False),
    ],
)
def test_only_two_types_search(kind: QueryType, searches: bool) -> None:
    assert kind.searches is searches


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (IntentEntry(QueryType.RETRIEVAL, "What is addVar in AVAP?"), '[RETRIEVAL] "What is addVar in AVAP?"'),
        (IntentEntry(QueryType.PLATFORM, "two\nlines  and spaces"), '[PLATFORM] "two lines and spaces"'),
        (IntentEntry(QueryType.CONVERSATIONAL, ""), '[CONVERSATIONAL] ""'),
    ],
)
def test_an_intent_line_shows_type_and_query(entry: IntentEntry, line: str) -> None:
    assert entry.line() == line


def test_an_intent_line_is_cut() -> None:
    entry = IntentEntry(QueryType.CODE_GENERATION, "x" * 500)
    assert entry.line() == f'[CODE_GENERATION] "{"x" * INTENT_QUERY_CHARS}"'


def test_an_opinion_abstains_by_having_no_type() -> None:
    opinion = Opinion(Layer.PREFIX, None, 0.0, "no_prefix")
    assert (opinion.type, opinion.best, opinion.artifact_id) == (None, None, "")


@pytest.mark.parametrize(
    "value",
    [Query("a"), Opinion(Layer.LLM, None, 0.0, "x"), Decision(QueryType.RETRIEVAL, Layer.DEFAULT, 0.0, "x")],
)
def test_values_are_frozen(value: Query | Opinion | Decision) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, dataclasses.fields(value)[0].name, None)
