"""Rows of tables and items of lists that a question names, as they are quoted."""

from __future__ import annotations

from collections.abc import Sequence

from engine.domain import Evidence
from engine.generation.extractive.sentence_selection import Candidate
from engine.text.named_rows import named_rows
from engine.text.quotation import subject_of
from engine.text.spanned_rows import spanned_rows


def rows_asked_for(question: str, evidence: Sequence[Evidence]) -> list[Candidate]:
    """The rows that `question` names by a code, a comparison or a number in their range, with all their columns.

    See `named_rows` and `spanned_rows`.
    """
    passages = [piece.passage for piece in evidence]
    found = named_rows(question, passages) or spanned_rows(question, passages)
    return [
        Candidate(
            one.unit.text,
            code=False,
            number=evidence[one.place].number,
            place=place,
            rank=one.place,
            heading=subject_of(evidence[one.place].passage),
            whole=one.unit.whole,
        )
        for place, one in enumerate(found)
    ]
