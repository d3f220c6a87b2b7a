"""Rows of tables and items of lists that a question names, as they are quoted."""

from __future__ import annotations

from collections.abc import Sequence

from engine.domain import Evidence
from engine.generation.extractive.sentence_selection import Candidate
from engine.generation.extractive.spanned_rows import spanned_rows
from engine.text.named_rows import named_rows
from engine.text.quotation import subject_of


def rows_asked_for(question: str, evidence: Sequence[Evidence]) -> list[Candidate]:
    """The rows that `question` names by a code, a comparison or a number in their range, with all their columns.

    See `named_rows` and `spanned_rows`.
    """
    passages = [piece.passage for piece in evidence]
    named = [(one.place, one.unit) for one in named_rows(question, passages)]
    found = named or spanned_rows(question, passages)
    return [
        Candidate(
            unit.text,
            code=False,
            number=evidence[at].number,
            place=place,
            rank=at,
            heading=subject_of(evidence[at].passage),
            whole=unit.whole,
        )
        for place, (at, unit) in enumerate(found)
    ]
