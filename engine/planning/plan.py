"""Plans and evaluations as JSON: the schema a model is bound to, and what is accepted of what it writes."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeVar

from engine.domain import Complexity, Evaluation, Plan, PlanMode, Subquery

#: The most subqueries of a plan, and follow-ups of an evaluation.
MAX_SUBQUERIES = 6
MAX_FOLLOWUPS = 4
_MAX_REASON, _MAX_DESCRIPTION, _MAX_QUERY = 300, 300, 1_000
Kind = TypeVar("Kind")
_ID = re.compile(r"[a-z][a-z0-9_]{0,15}")
_SUBQUERY_KEYS = frozenset({"id", "description", "query", "tool", "priority"})
_PLAN_KEYS = frozenset({"mode", "reason", "complexity", "subqueries"})
_EVALUATION_KEYS = frozenset({"complete", "completeness_score", "issues", "followup_subqueries"})


class InvalidJson(ValueError):
    """What a model wrote is not what it was asked for; the text names the key, never the value."""


def plan_from_json(text: str, tools: Collection[str]) -> Plan:
    """The plan that a model wrote.

    Args:
        tools: Names that a subquery may use.

    Raises:
        InvalidJson: It is not exactly a plan: a key is missing, unknown or of the wrong kind, a tool is not offered,
            an id is given twice, or the mode does not fit the number of subqueries.
    """
    found = _object(text, _PLAN_KEYS)
    mode = _one_of(found["mode"], {mode.lower(): mode for mode in PlanMode}, "mode")
    complexity = _one_of(found["complexity"], {str(one): one for one in Complexity}, "complexity")
    subqueries = _subqueries(found["subqueries"], tools, MAX_SUBQUERIES, "subqueries")
    if mode is not mode_for(len(subqueries)):
        raise InvalidJson("mode: it does not fit the number of subqueries")
    return Plan(mode, _text(found["reason"], _MAX_REASON, "reason"), complexity, subqueries)


def mode_for(subqueries: int) -> PlanMode:
    """The mode of a plan with so many subqueries."""
    return (PlanMode.DIRECT_LLM, PlanMode.SINGLE_RETRIEVAL, PlanMode.MULTI_RETRIEVAL)[min(subqueries, 2)]


def evaluation_from_json(text: str, tools: Collection[str]) -> Evaluation:
    """The evaluation that a model wrote.

    Raises:
        InvalidJson: It is not exactly an evaluation.
    """
    found = _object(text, _EVALUATION_KEYS)
    complete, score, issues = found["complete"], found["completeness_score"], found["issues"]
    if not isinstance(complete, bool):
        raise InvalidJson("complete: true or false")
    if isinstance(score, bool) or not isinstance(score, int | float) or not 0 <= score <= 1:
        raise InvalidJson("completeness_score: a number from 0 to 1")
    if not isinstance(issues, list) or len(issues) > 20:
        raise InvalidJson("issues: a list of at most 20 texts")
    followups = _subqueries(found["followup_subqueries"], tools, MAX_FOLLOWUPS, "followup_subqueries")
    said = tuple(_text(issue, _MAX_REASON, "issues") for issue in issues)
    return Evaluation(complete, float(score), said, followups)


def plan_schema(tools: Sequence[str]) -> dict[str, Any]:
    """JSON schema of a plan over these tools."""
    modes = {"type": "string", "enum": [mode.lower() for mode in PlanMode]}
    complexities = {"type": "string", "enum": [str(one) for one in Complexity]}
    return _schema(
        mode=modes,
        reason={"type": "string"},
        complexity=complexities,
        subqueries={"type": "array", "maxItems": MAX_SUBQUERIES, "items": _subquery_schema(tools)},
    )


def evaluation_schema(tools: Sequence[str]) -> dict[str, Any]:
    """JSON schema of an evaluation whose follow-ups use these tools."""
    return _schema(
        complete={"type": "boolean"},
        completeness_score={"type": "number", "minimum": 0, "maximum": 1},
        issues={"type": "array", "items": {"type": "string"}},
        followup_subqueries={"type": "array", "maxItems": MAX_FOLLOWUPS, "items": _subquery_schema(tools)},
    )


def _subquery_schema(tools: Sequence[str]) -> dict[str, Any]:
    return _schema(
        id={"type": "string"},
        description={"type": "string"},
        query={"type": "string"},
        tool={"type": "string", "enum": list(tools)},
        priority={"type": "integer", "minimum": 1, "maximum": 9},
    )


def _schema(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _object(text: str, keys: frozenset[str]) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidJson("it is not JSON") from None
    return _with_keys(found, keys, "the object")


def _with_keys(found: object, keys: frozenset[str], name: str) -> Mapping[str, Any]:
    if not isinstance(found, dict) or found.keys() != keys:
        raise InvalidJson(f"{name}: exactly the keys {', '.join(sorted(keys))}")
    return found


def _subqueries(found: object, tools: Collection[str], limit: int, name: str) -> tuple[Subquery, ...]:
    if not isinstance(found, list) or len(found) > limit:
        raise InvalidJson(f"{name}: a list of at most {limit}")
    subqueries = tuple(_subquery(item, tools) for item in found)
    if len({subquery.id for subquery in subqueries}) != len(subqueries):
        raise InvalidJson(f"{name}: an id is given twice")
    return subqueries


def _subquery(found: object, tools: Collection[str]) -> Subquery:
    item = _with_keys(found, _SUBQUERY_KEYS, "a subquery")
    priority = item["priority"]
    if isinstance(priority, bool) or not isinstance(priority, int) or not 1 <= priority <= 9:
        raise InvalidJson("priority: a whole number from 1 to 9")
    if not isinstance(item["tool"], str) or item["tool"] not in tools:
        raise InvalidJson("tool: one of those that are offered")
    if not isinstance(item["id"], str) or _ID.fullmatch(item["id"]) is None:
        raise InvalidJson("id: a short name such as q1")
    description = _text(item["description"], _MAX_DESCRIPTION, "description")
    return Subquery(item["id"], description, _text(item["query"], _MAX_QUERY, "query"), item["tool"], priority)


def _text(found: object, limit: int, name: str) -> str:
    if not isinstance(found, str) or not found.strip() or len(found) > limit:
        raise InvalidJson(f"{name}: a text of 1 to {limit} characters")
    return found.strip()


def _one_of(found: object, known: Mapping[str, Kind], name: str) -> Kind:
    if not isinstance(found, str) or found not in known:
        raise InvalidJson(f"{name}: one of {', '.join(known)}")
    return known[found]
