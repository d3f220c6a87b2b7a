"""What a message points at: the conversation before it, code in the editor, or nothing outside itself.

Only messages that say nothing without what they point at are resolved by evidence. A message that stands on its own is
never changed by history: a router that is fed history drifts to the session's dominant type.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from enum import StrEnum

from classifier.decision import IntentEntry, Opinion, Query, QueryType
from classifier.reasons import Reason
from classifier.references.phrases import (
    CODE_WORK,
    DEICTIC,
    EDITOR,
    EXPLANATION,
    FROM_SCRATCH,
)
from classifier.text import casefolded

#: A message of fewer words leans on what came before it (the product's routing specification).
FEW_WORDS = 4
#: A message of more words stands on its own for the rules of this module, whatever it points at.
MANY_WORDS = 12
#: The confidence of a rule of this module: it matches whole messages only.
RULE_CONFIDENCE = 0.95

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")


class Kind(StrEnum):
    """What a message points at by its words alone."""

    NOTHING = "nothing"
    """It stands on its own, or says too much to be resolved by a rule."""
    CODE_WORK = "code_work"
    """Work that only code can be given, on something unnamed: "fix it", "documéntalo"."""
    EXPLANATION = "explanation"
    """To have something unnamed explained, which may be code or an answer: "explain this"."""


def folded(text: str) -> str:
    """`text` as the rules read it: case folded, without accents, punctuation as spaces, single spaces."""
    text = casefolded(text[:400]).replace("’", "'")
    return " ".join(re.sub(r"[^\w\s+#;']|_", " ", text).split())


def kind_of(text: str) -> Kind:
    """What `text` points at by its words alone; a long message stands on its own."""
    plain = folded(text)
    if not plain or len(plain.split()) > MANY_WORDS or "\n" in text.strip():
        return Kind.NOTHING
    for pattern, kind in (
        (CODE_WORK, Kind.CODE_WORK),
        (EXPLANATION, Kind.EXPLANATION),
    ):
        if pattern.fullmatch(plain):
            return kind
    return Kind.NOTHING


def leans_on_conversation(text: str) -> bool:
    """Whether `text` cannot be understood without what came before: it points, it trails off, or it is very short.

    Asked before a model is shown the intent history, never to change a type by itself.
    """
    plain = folded(text)
    count = len(_WORD.findall(plain))
    if count < FEW_WORDS or kind_of(text) is not Kind.NOTHING:
        return True
    ellipsis = text.strip().startswith(("...", "…"))
    return ellipsis or (count <= MANY_WORDS and DEICTIC.search(plain) is not None)


def last_substantial(history: Sequence[IntentEntry]) -> QueryType | None:
    """The type of the last turn that was about something else than the conversation itself."""
    kinds = (entry.type for entry in reversed(history) if entry.type is not QueryType.CONVERSATIONAL)
    return next(kinds, None)


def has_code(query: Query) -> bool:
    """Whether there is code to point at: a selection, an open file, or code as the last subject of the session."""
    return query.has_selection or query.has_editor or last_substantial(query.history) is QueryType.CODE_GENERATION


def about_editor(query: Query, kind: QueryType) -> bool:
    """Whether a message of this type is about code in the editor or the selection, not about code to be written."""
    if kind is not QueryType.CODE_GENERATION:
        return False
    plain = folded(query.text)
    points = kind_of(query.text) in (Kind.CODE_WORK, Kind.EXPLANATION)
    if points:
        return has_code(query)
    if EDITOR.search(plain):
        return query.has_selection or query.has_editor
    return query.has_selection and not FROM_SCRATCH.match(plain)


def resolve(query: Query, opinion: Opinion) -> Opinion:
    """Layer 2's opinion once evidence has said what the message points at.

    Args:
        query: The message with what stands beside it.
        opinion: What the model made of the words alone.

    Returns:
        Another type where the words alone decide nothing: work on "this" is CODE_GENERATION where there is code,
        "explain this" is CONVERSATIONAL where there is only a conversation. Otherwise the opinion as it was, with its
        editor flag.
    """
    verdict = _verdict(query)
    if verdict is None:
        taken = opinion.type or opinion.best
        editor = taken is not None and about_editor(query, taken)
        return dataclasses.replace(opinion, editor=editor) if editor else opinion
    kind, reason = verdict
    same = opinion.best is kind
    return dataclasses.replace(
        opinion,
        type=kind,
        best=kind,
        reason=reason,
        # The rule is as sure as its evidence; the model's own doubt about bare words says nothing here.
        confidence=max(opinion.confidence, RULE_CONFIDENCE) if same else RULE_CONFIDENCE,
        runner_up=opinion.runner_up if same else opinion.best,
        runner_up_confidence=min(opinion.runner_up_confidence if same else opinion.confidence, 1.0 - RULE_CONFIDENCE),
        editor=about_editor(query, kind),
    )


def _verdict(query: Query) -> tuple[QueryType, Reason] | None:
    """The type that the evidence gives to a message which says nothing without it."""
    match kind_of(query.text):
        case Kind.CODE_WORK | Kind.EXPLANATION if has_code(query):
            return QueryType.CODE_GENERATION, Reason.REFERENCE_TO_CODE
        case Kind.EXPLANATION if query.history:
            return QueryType.CONVERSATIONAL, Reason.REFERENCE_TO_CONVERSATION
        case Kind.EXPLANATION if query.has_context:
            return QueryType.PLATFORM, Reason.REFERENCE_TO_FIGURES
        case _:
            return None
