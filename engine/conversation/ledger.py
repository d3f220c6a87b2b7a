"""The evidence ledger: a passage keeps one number for the whole session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.domain import Evidence, Origin, Passage


def number(passages: Sequence[Passage], known: Mapping[str, int], last_number: int) -> tuple[Evidence, ...]:
    """Gives each passage its number: the one it had, or the next free one.

    Args:
        passages: As found, best first.
        known: Numbers of passages that the session has been shown, by passage id.
        last_number: The highest number given out so far.
    """
    numbered: list[Evidence] = []
    for passage in passages:
        place = known.get(passage.id)
        if place is None:
            last_number += 1
            place = last_number
        numbered.append(Evidence(place, passage, Origin.SEARCH))
    return tuple(numbered)


def new(evidence: Sequence[Evidence], last_number: int) -> tuple[Evidence, ...]:
    """The pieces of `evidence` that the ledger does not hold yet."""
    return tuple(piece for piece in evidence if piece.number > last_number)
