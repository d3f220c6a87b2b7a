from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.domain import Complexity, Evaluation, Plan, PlanMode, Subquery
from engine.planning.plan import (
    InvalidJson,
    evaluation_from_json,
    evaluation_schema,
    mode_for,
    plan_from_json,
    plan_schema,
)

TOOLS = ["kb", "web_search"]
PLAN: dict[str, Any] = {
    "mode": "multi_retrieval",
    "reason": "two facts",
    "complexity": "complex",
    "subqueries": [
        {"id": "q1", "description": "the winner", "query": "who won", "tool": "web_search", "priority": 1},
        {"id": "q2", "description": "the rule", "query": "what is the rule", "tool": "kb", "priority": 2},
    ],
}
EVALUATION: dict[str, Any] = {
    "complete": False,
    "completeness_score": 0.5,
    "issues": ["no rating"],
    "followup_subqueries": [
        {"id": "f1", "description": "the rating", "query": "rating", "tool": "web_search", "priority": 1}
    ],
}


def changed(original: dict[str, Any], **changes: Any) -> str:
    return json.dumps({**original, **changes})


def with_subquery(**changes: Any) -> str:
    return changed(PLAN, subqueries=[{**PLAN["subqueries"][0], **changes}, PLAN["subqueries"][1]])


def test_a_plan_is_read() -> None:
    plan = plan_from_json(json.dumps(PLAN), TOOLS)
    assert plan == Plan(
        PlanMode.MULTI_RETRIEVAL,
        "two facts",
        Complexity.COMPLEX,
        (
            Subquery("q1", "the winner", "who won", "web_search", 1),
            Subquery("q2", "the rule", "what is the rule", "kb", 2),
        ),
    )


def test_an_evaluation_is_read() -> None:
    evaluation = evaluation_from_json(json.dumps(EVALUATION), TOOLS)
    followup = Subquery("f1", "the rating", "rating", "web_search", 1)
    assert evaluation == Evaluation(
        complete=False, completeness_score=0.5, issues=("no rating",), followup_subqueries=(followup,)
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ("no", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "exactly the keys"),
        ("null", "exactly the keys"),
        ("{}", "exactly the keys"),
        (changed(PLAN, extra=1), "exactly the keys"),
        (changed(PLAN, mode="MULTI_RETRIEVAL"), "mode: one of"),
        (changed(PLAN, mode="search"), "mode: one of"),
        (changed(PLAN, mode=None), "mode: one of"),
        (changed(PLAN, mode=["direct_llm"]), "mode: one of"),
        (changed(PLAN, mode="single_retrieval"), "does not fit"),
        (changed(PLAN, mode="direct_llm"), "does not fit"),
        (changed(PLAN, subqueries=[]), "does not fit"),
        (changed(PLAN, complexity="hard"), "complexity: one of"),
        (changed(PLAN, reason=""), "reason"),
        (changed(PLAN, reason=7), "reason"),
        (changed(PLAN, reason="x" * 301), "reason"),
        (changed(PLAN, subqueries={}), "a list"),
        (changed(PLAN, subqueries=PLAN["subqueries"] * 4), "a list of at most 6"),
        (changed(PLAN, subqueries=[PLAN["subqueries"][0]] * 2), "given twice"),
        (changed(PLAN, subqueries=["q1", "q2"]), "a subquery"),
        (with_subquery(tool="weather"), "tool"),
        (with_subquery(tool=None), "tool"),
        (with_subquery(tool=["kb"]), "tool"),
        (with_subquery(priority=0), "priority"),
        (with_subquery(priority=10), "priority"),
        (with_subquery(priority=True), "priority"),
        (with_subquery(priority="1"), "priority"),
        (with_subquery(priority=1.5), "priority"),
        (with_subquery(id=""), "id"),
        (with_subquery(id="Q 1"), "id"),
        (with_subquery(id=1), "id"),
        (with_subquery(query=" "), "query"),
        (with_subquery(query="x" * 1001), "query"),
        (with_subquery(description=None), "description"),
        (with_subquery(extra=1), "a subquery"),
    ],
)
def test_anything_but_a_plan_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidJson, match=says):
        plan_from_json(text, TOOLS)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nothing", "not JSON"),
        (json.dumps(PLAN), "exactly the keys"),
        (changed(EVALUATION, complete="yes"), "complete"),
        (changed(EVALUATION, complete=1), "complete"),
        (changed(EVALUATION, completeness_score=1.1), "completeness_score"),
        (changed(EVALUATION, completeness_score=-0.1), "completeness_score"),
        (changed(EVALUATION, completeness_score=True), "completeness_score"),
        (changed(EVALUATION, completeness_score="0.5"), "completeness_score"),
        (changed(EVALUATION, completeness_score=float("nan")), "completeness_score"),
        (changed(EVALUATION, issues="none"), "issues"),
        (changed(EVALUATION, issues=[1]), "issues"),
        (changed(EVALUATION, issues=["x"] * 21), "issues"),
        (changed(EVALUATION, followup_subqueries=EVALUATION["followup_subqueries"] * 5), "at most 4"),
    ],
)
def test_anything_but_an_evaluation_is_refused(text: str, says: str) -> None:
    with pytest.raises(InvalidJson, match=says):
        evaluation_from_json(text, TOOLS)


def test_a_refusal_does_not_repeat_what_was_written() -> None:
    with pytest.raises(InvalidJson) as error:
        plan_from_json(with_subquery(tool="canary"), TOOLS)
    assert "canary" not in str(error.value)


@pytest.mark.parametrize(
    ("count", "mode"),
    [
        (0, PlanMode.DIRECT_LLM),
        (1, PlanMode.SINGLE_RETRIEVAL),
        (2, PlanMode.MULTI_RETRIEVAL),
        (6, PlanMode.MULTI_RETRIEVAL),
    ],
)
def test_the_mode_follows_from_the_number_of_subqueries(count: int, mode: PlanMode) -> None:
    assert mode_for(count) is mode


def test_the_schemas_bind_the_tools_and_forbid_other_keys() -> None:
    for schema, key in ((plan_schema(TOOLS), "subqueries"), (evaluation_schema(TOOLS), "followup_subqueries")):
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == set(schema["properties"])
        items = schema["properties"][key]["items"]
        assert items["properties"]["tool"]["enum"] == TOOLS
        assert set(items["required"]) == {"id", "description", "query", "tool", "priority"}
    assert plan_schema(TOOLS)["properties"]["mode"]["enum"] == ["direct_llm", "single_retrieval", "multi_retrieval"]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PLAN, *EVALUATION]), inner, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None)
@given(_JSON)
def test_no_json_breaks_it(value: object) -> None:
    for read in (plan_from_json, evaluation_from_json):
        with pytest.raises(InvalidJson):
            read(json.dumps(value), TOOLS)
