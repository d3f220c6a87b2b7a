"""Between an answer and its stored turn: nothing of one is lost in the other."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

from classifier.decision import Decision
from engine.conversation.store.port import TurnRecord
from engine.domain import Answer, Evidence, Route, Turn
from engine.generation.grounding import quoted

#: Characters of a context that are kept with its turn; a longer one is not, as half of it would be another account.
HELD = 16_384


def record_of(
    turn: Turn, answer: Answer, *, created_at: float, shown: tuple[int, ...], cited: tuple[int, ...]
) -> TurnRecord:
    """The turn as it is stored.

    Args:
        shown: The session's numbers of the evidence given to the generator.
        cited: The session's numbers of the answer's citations, in order of appearance.
    """
    route, decision = answer.route, answer.route.decision
    return TurnRecord(
        turn_id=answer.turn_id,
        principal=turn.principal,
        session_id=turn.session_id,
        request_id=turn.request_id,
        fingerprint=fingerprint(turn, named=not turn.new_session) if turn.request_id else "",
        query=turn.query,
        answer=answer.text,
        type=decision.type,
        layer=decision.layer,
        confidence=decision.confidence,
        runner_up=decision.runner_up,
        runner_up_confidence=decision.runner_up_confidence,
        reason=decision.reason,
        editor=decision.editor,
        artifact_id=decision.artifact_id,
        relation=route.relation,
        relation_confidence=route.relation_confidence,
        relation_reason=route.relation_reason,
        action=route.action,
        plan_mode=route.plan_mode,
        search_query=route.search_query,
        searches=answer.searches,
        model=route.model,
        outcome=answer.outcome,
        created_at=created_at,
        shown=shown,
        cited=cited,
        usage=answer.usage,
        timings=answer.timings,
        extra_context=held(turn),
    )


def held(turn: Turn) -> str:
    """What the platform said of the account beside a query; empty where it is too long to be kept.

    Of any type: what was asked beside figures may be in the documents, and what is asked next in the figures.
    """
    return turn.extra_context if len(turn.extra_context) <= HELD else ""


def fingerprint(turn: Turn, *, named: bool) -> str:
    """What a request is known by, beside its id: principal, session and all that was sent with it.

    Args:
        named: Whether the session counts; a caller who named none is given another one each time.
    """
    parts = (
        turn.principal,
        turn.session_id if named else "",
        turn.declared or "",
        turn.query,
        turn.editor_content,
        turn.selected_text,
        turn.extra_context,
        turn.user_info,
    )
    digest = hashlib.sha256()
    for part in parts:
        written = part.encode("utf-8", "surrogatepass")
        digest.update(len(written).to_bytes(8, "big") + written)
    return digest.hexdigest()


def same_request(turn: Turn, record: TurnRecord) -> bool:
    """Whether a stored turn is what `turn` asks for again.

    A caller who named no session the first time may name, the second time, the one that it was given.
    """
    if not (turn.new_session or turn.session_id == record.session_id):
        return False
    if not record.fingerprint:  # stored before there were fingerprints
        return turn.query == record.query
    return record.fingerprint in {fingerprint(turn, named=named) for named in {False, not turn.new_session}}


def answer_of(record: TurnRecord, evidence: Sequence[Evidence]) -> Answer:
    """The answer as it was given.

    Args:
        evidence: What `record.cited` names.
    """
    decision = Decision(
        record.type,
        record.layer,
        record.confidence,
        record.reason,
        record.runner_up,
        record.runner_up_confidence,
        record.editor,
        record.artifact_id,
    )
    route = Route(
        decision,
        record.relation,
        record.action,
        record.plan_mode,
        record.search_query,
        record.model,
        record.timings,
        relation_confidence=record.relation_confidence,
        relation_reason=record.relation_reason,
    )
    return Answer(
        record.answer,
        record.session_id,
        record.turn_id,
        route,
        citations_of(record, {piece.number: piece for piece in evidence}),
        record.searches,
        record.usage,
        record.timings,
        record.outcome,
        grounding=quoted(record.model, record.cited),
    )


def citations_of(record: TurnRecord, evidence: dict[int, Evidence]) -> tuple[Evidence, ...]:
    """What the answer cites, numbered as it stands in its text.

    Args:
        evidence: By the session's numbers.
    """
    return tuple(
        replace(evidence[number], number=place)
        for place, number in enumerate(record.cited, start=1)
        if number in evidence
    )
