"""Stored turns to labels: what each says about the type of its message, and who says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from difflib import SequenceMatcher

from classifier.decision import Layer, QueryType
from classifier.learning.labels import Label, Provenance, cleaned, pseudonym
from classifier.learning.scrubbing import scrub
from classifier.relation.relations import EARLIER
from classifier.relation.relations import Relation as Related
from classifier.text import head_and_tail, normalise
from engine.conversation.store.port import TurnRecord
from engine.domain import Relation
from engine.text.language import language_of

#: The share of characters in common, in order, from which one message says nearly the same as another.
NEARLY_THE_SAME = 0.8
#: Characters of a message that are compared.
_COMPARED = 400

_BY_LAYER = {
    Layer.LLM: Provenance.LAYER_3,
    Layer.PREFIX: Provenance.LAYER_1,
    Layer.EMBEDDING: Provenance.LAYER_2,
}


def labels_of(turns: Iterable[TurnRecord], key: bytes) -> Iterator[Label]:
    """The labels of turns, scrubbed; turns that nobody has judged have none.

    Args:
        turns: In the order of `SessionStore.every_turn`, so that the turns of a session follow each other.
        key: Principals and sessions are named under it.
    """
    before: TurnRecord | None = None
    asked: list[str] = []  # in the session of `before`, up to it
    for turn in [*turns, None]:
        if before is not None:
            yield from _label(before, turn, key, asked[-EARLIER:])
            if turn is None or not _same_session(turn, before):
                asked = []
            elif (before.corrected_type or before.type) is not QueryType.CONVERSATIONAL:
                asked.append(before.query)
        before = turn


def type_and_source(turn: TurnRecord, following: TurnRecord | None = None) -> tuple[QueryType, Provenance] | None:
    """What is known of a turn's type, by the best source there is; None when only the default stood.

    A turn was "asked again" when the next turn of its session says nearly the same and a person, by declaration or by
    correction, gave that one another type than this one got.

    Args:
        following: The next turn, which may be of another session.
    """
    if turn.layer is Layer.DECLARED:
        return turn.type, Provenance.DECLARED
    if turn.corrected_type is not None:
        return turn.corrected_type, Provenance.CORRECTED
    again = _asked_again(turn, following)
    if again is not None:
        return again, Provenance.ASKED_AGAIN
    source = _BY_LAYER.get(turn.layer)
    return None if source is None else (turn.type, source)


def relation_of(turn: TurnRecord) -> Related | None:
    """What a person said the turn is to those before it, in the terms of the head; None where nobody did.

    A follow-up that is talk is the last answer in another form.
    """
    if turn.corrected_relation is Relation.CONTEXTUAL_FOLLOW_UP:
        talk = (turn.corrected_type or turn.type) is QueryType.CONVERSATIONAL
        return Related.REWORDING if talk else Related.FOLLOW_UP
    if turn.corrected_relation is Relation.HISTORY_RECALL:
        return Related.RECALL
    return None if turn.corrected_relation is None else Related.STANDS_ALONE


def _same_session(one: TurnRecord, other: TurnRecord) -> bool:
    return (one.principal, one.session_id) == (other.principal, other.session_id)


def _label(turn: TurnRecord, following: TurnRecord | None, key: bytes, asked: Sequence[str]) -> Iterator[Label]:
    """The turn's label, if it has one: of its type, of its relation to what was `asked` before it, or of both."""
    known, relation = type_and_source(turn, following), relation_of(turn)
    if known is None and relation is None and turn.rating is None:
        return
    # Where only the relation was corrected or the answer rated, the type is as good as the router's own: no training.
    type_, source = known or (turn.type, Provenance.LAYER_2)
    earlier = "\n".join(head_and_tail(scrub(" ".join(one.split()))) for one in asked) if relation else ""
    day = datetime.fromtimestamp(turn.created_at, UTC).date().isoformat()
    yield cleaned(
        Label(
            turn.query,
            type_,
            source,
            principal=pseudonym(turn.principal, key),
            session=pseudonym(f"{turn.principal}\n{turn.session_id}", key),
            artifact_id=turn.artifact_id,
            day=day,
            language=language_of(turn.query),
            relation=str(relation or ""),
            earlier=earlier,
            rating=str(turn.rating or ""),
            remark=scrub(turn.rating_reason),
        )
    )


def _asked_again(turn: TurnRecord, following: TurnRecord | None) -> QueryType | None:
    """The type that a person gave to the same message in the next turn, where it is another."""
    if following is None or not _same_session(following, turn):
        return None
    given = following.type if following.layer is Layer.DECLARED else following.corrected_type
    return given if given not in (None, turn.type) and _nearly_the_same(turn.query, following.query) else None


def _nearly_the_same(left: str, right: str) -> bool:
    pair = SequenceMatcher(None, normalise(left)[:_COMPARED], normalise(right)[:_COMPARED], autojunk=False)
    # The quick ratio is an upper bound of the exact one, and two hundred times as cheap.
    return pair.quick_ratio() >= NEARLY_THE_SAME and pair.ratio() >= NEARLY_THE_SAME
