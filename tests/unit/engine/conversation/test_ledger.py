from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engine.conversation.ledger import new, number
from engine.domain import Evidence, Origin, Passage


def passage(id_: str) -> Passage:
    return Passage(id_, "doc.md", "Title", "", f"Text of {id_}.")


def test_new_passages_get_the_next_numbers_in_their_order() -> None:
    assert number([passage("a"), passage("b")], {}, 3) == (
        Evidence(4, passage("a"), Origin.SEARCH),
        Evidence(5, passage("b"), Origin.SEARCH),
    )


def test_known_passages_keep_theirs() -> None:
    numbered = number([passage("a"), passage("b"), passage("c")], {"b": 2}, 3)
    assert [(piece.number, piece.passage.id) for piece in numbered] == [(4, "a"), (2, "b"), (5, "c")]
    assert new(numbered, 3) == (numbered[0], numbered[2])


def test_nothing_found_is_nothing_numbered() -> None:
    assert number([], {"a": 1}, 1) == ()


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True), max_size=8))
def test_a_passage_has_one_number_for_the_session_and_numbers_have_no_gaps(searches: list[list[str]]) -> None:
    ledger: dict[str, int] = {}
    for found in searches:
        last = max(ledger.values(), default=0)
        numbered = number([passage(id_) for id_ in found], ledger, last)
        assert all(ledger.get(piece.passage.id, piece.number) == piece.number for piece in numbered)
        ledger |= {piece.passage.id: piece.number for piece in new(numbered, last)}
    assert sorted(ledger.values()) == list(range(1, len(ledger) + 1))
