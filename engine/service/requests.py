"""Protobuf requests to domain values: everything that a caller can get wrong is found here, by field."""

from __future__ import annotations

import uuid
from typing import Any

from classifier.decision import IntentEntry, Query, QueryType
from engine.domain import Rating, Relation, Turn
from engine.errors import InvalidInput, PermissionDenied
from engine.evaluation.golden import GoldenCase, Relevant
from engine.identity.port import Scope
from engine.text.material import seen
from engine.v1 import engine_pb2 as pb

#: Bytes of UTF-8 that a field may have.
LIMITS = {
    "query": 32_768,
    "extra_context": 131_072,
    "editor_content": 131_072,
    "selected_text": 65_536,
    "user_info": 16_384,
    "session_id": 200,
    "request_id": 200,
    "turn_id": 200,
    "id": 200,
    "language": 200,
    "page_token": 1024,
    "document": 4096,
    "name": 400,
    "reason": 2000,
}
_PAGE = 50
LARGEST_PAGE = 200
_TOKEN_DIGITS = 9
#: Cases that an evaluation may bring along, and sections and facts of each.
_CASES, _PARTS = 500, 100


def turn(
    request: pb.AgentRequest, *, principal: str, deadline: float | None, caller: str = "", platform: bool = True
) -> Turn:
    """A validated turn; a caller who named no session is given a new one.

    Args:
        platform: Whether the caller may speak as the platform.

    Raises:
        InvalidInput: Naming the field.
        PermissionDenied: PLATFORM is declared by a caller who may not.
    """
    _check_sizes(request)
    return Turn(
        query=_query(request.query),
        session_id=request.session_id or uuid.uuid4().hex,
        principal=principal,
        request_id=request.request_id,
        declared=_declared(request.query_type, platform=platform),
        editor_content=request.editor_content,
        selected_text=request.selected_text,
        extra_context=request.extra_context,
        user_info=request.user_info,
        deadline=deadline,
        caller=caller,
        new_session=not request.session_id,
        platform=platform,
    )


def classify_query(request: pb.ClassifyRequest, history: tuple[IntentEntry, ...], *, platform: bool = True) -> Query:
    """A validated query for the router.

    Args:
        history: Of the session that the request names, where it names one.
        platform: Whether the caller may speak as the platform.
    """
    _check_sizes(request)
    given = tuple(
        IntentEntry(_required_type(f"history[{place}].type", entry.type), entry.query)
        for place, entry in enumerate(request.history)
    )
    return Query(
        seen(_query(request.query)),
        declared=_declared(request.query_type, platform=platform),
        history=given or history,
        has_selection=bool(request.selected_text.strip()),
        has_editor=bool(request.editor_content.strip()),
        has_context=bool(request.extra_context.strip()),
        platform=platform,
    )


def _declared(number: int, *, platform: bool) -> QueryType | None:
    declared = _type("query_type", number)
    if declared is QueryType.PLATFORM and not platform:
        raise PermissionDenied("query_type", f"to declare PLATFORM needs the scope `{Scope.PLATFORM}`")
    return declared


def golden_cases(request: pb.EvaluateRagRequest) -> list[GoldenCase]:
    """The cases that the request brings along.

    Raises:
        InvalidInput: Naming the field: there are too many, or one is too large or lacks something.
    """
    if len(request.cases) > _CASES:
        raise InvalidInput("cases", f"there are {len(request.cases)}; at most {_CASES} are allowed")
    for place, case in enumerate(request.cases):
        _check_sizes(case, f"cases[{place}].")
        for name in ("relevant", "facts"):
            if (count := len(getattr(case, name))) > _PARTS:
                raise InvalidInput(f"cases[{place}].{name}", f"there are {count}; at most {_PARTS} are allowed")
    return [
        GoldenCase(
            id=case.id or str(place),
            query=_query(case.query, f"cases[{place}].query"),
            type=_required_type(f"cases[{place}].type", case.type),
            language=case.language,
            relevant=tuple(Relevant(section.document, section.heading) for section in case.relevant),
            facts=tuple(case.facts),
        )
        for place, case in enumerate(request.cases)
    ]


def evaluated_type(request: pb.EvaluateRagRequest) -> QueryType | None:
    """The type that an evaluation is limited to."""
    return _type("query_type", request.query_type)


def limit(request: pb.EvaluateRagRequest) -> int:
    """The most cases to run; 0: all."""
    if request.limit < 0:
        raise InvalidInput("limit", "must be 0 (all) or more")
    return request.limit


_Pages = pb.ListSessionsRequest | pb.GetSessionRequest | pb.ListDocumentsRequest


def page_size(request: _Pages, default: int = _PAGE) -> int:
    """Sessions, or turns of one, on a page."""
    if not 0 <= request.page_size <= LARGEST_PAGE:
        raise InvalidInput("page_size", f"must be from 1 to {LARGEST_PAGE}, or 0 for {default}")
    return request.page_size or default


def turns_page(request: pb.GetSessionRequest) -> tuple[int, int]:
    """Turns on a page of a session, and the sequence of the last turn of the page before."""
    return page_size(request, LARGEST_PAGE), _counted(request.page_token)


def documents_page(request: pb.ListDocumentsRequest) -> tuple[int, int]:
    """Documents on a page, and how many stand before it."""
    return page_size(request), _counted(request.page_token)


def _counted(token: str) -> int:
    if token and not (token.isascii() and token.isdigit() and len(token) <= _TOKEN_DIGITS):
        raise InvalidInput("page_token", "is not one that this service gave out")
    return int(token or 0)


def identifier(request: Any, field: str) -> str:
    """An id that has to be there."""
    value: str = getattr(request, field)
    if not value:
        raise InvalidInput(field, "is required")
    _check_sizes(request)
    return value


def correction(request: pb.CorrectTurnRequest) -> tuple[str, QueryType | None, Relation | None]:
    """A turn's id, and the type or the relation it should have had, or both."""
    turn_id = identifier(request, "turn_id")
    type_, relation = _type("type", request.type), _relation(request.relation)
    if type_ is None and relation is None:
        raise InvalidInput("type or relation", "is required: what the turn should have been, or both")
    return turn_id, type_, relation


def _query(text: str, field: str = "query") -> str:
    if not text.strip():
        raise InvalidInput(field, "is empty; send the question as text")
    return text


def _type(field: str, value: int) -> QueryType | None:
    if value not in pb.QueryType.values():
        names = ", ".join(f"{name} ({number})" for name, number in pb.QueryType.items())
        raise InvalidInput(field, f"{value} is not a query type; allowed are {names}")
    return QueryType(pb.QueryType.Name(value)) if value else None


def rating(request: pb.RateTurnRequest) -> Rating | None:
    """What a person thinks; None takes back what was said."""
    if request.rating not in pb.Rating.values():
        raise InvalidInput("rating", f"{request.rating} is not a rating; allowed are UP (1), DOWN (2) and 0")
    return Rating(pb.Rating.Name(request.rating)) if request.rating else None


def _relation(value: int) -> Relation | None:
    if value not in pb.Relation.values():
        names = ", ".join(f"{name} ({number})" for name, number in pb.Relation.items())
        raise InvalidInput("relation", f"{value} is not a relation; allowed are {names}")
    return Relation(pb.Relation.Name(value)) if value else None


def _required_type(field: str, value: int) -> QueryType:
    type_ = _type(field, value)
    if type_ is None:
        raise InvalidInput(field, "is required: RETRIEVAL, CODE_GENERATION, CONVERSATIONAL or PLATFORM")
    return type_


def _check_sizes(request: Any, within: str = "") -> None:
    for name in request.DESCRIPTOR.fields_by_name:
        most = LIMITS.get(name)
        if most is not None and (size := len(getattr(request, name).encode("utf-8"))) > most:
            raise InvalidInput(within + name, f"has {size} bytes; at most {most} are allowed")
