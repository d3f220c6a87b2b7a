"""What nobody else vouches for teaches the heads nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from classifier.decision import QueryType
from classifier.learning import agreement
from classifier.learning.agreement import remember, vouched
from classifier.learning.labels import Label, Provenance
from classifier.linear.memory import ALIKE, SPEAKS_FOR
from tests.unit.classifier.conftest import CountingEmbedder

PLATFORM, RETRIEVAL = QueryType.PLATFORM, QueryType.RETRIEVAL
TEXT = "tell the harbour how many slipway tokens remain"
NEARLY = "tell the harbour how many slipway tokens remain now"


def label(text: str, type_: QueryType = PLATFORM, principal: str = "ana") -> Label:
    return Label(text, type_, Provenance.CORRECTED, principal, f"{principal}-{text}", language="en")


def backed(labels: Sequence[Label], embedder: CountingEmbedder) -> list[bool]:
    return list(vouched(labels, embedder.embed([one.text for one in labels]), ALIKE))


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        (label(NEARLY, principal="bob"), True),
        (label(NEARLY), False),
        (label(NEARLY, RETRIEVAL, "bob"), False),
        (label("why is barley dried before it goes to a vault", principal="bob"), False),
    ],
)
def test_another_principal_who_says_the_same_of_a_like_message_vouches(
    second: Label, expected: bool, embedder: CountingEmbedder
) -> None:
    assert backed([label(TEXT), second], embedder) == [expected, expected]


def test_many_labels_are_compared_in_parts(embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "_AT_ONCE", 2)
    given = [label(f"{TEXT} {place}", principal=f"p{place}") for place in range(5)] + [label("a lone one of its kind")]
    assert backed(given, embedder) == [True] * 5 + [False]


def kept(labels: Sequence[Label], unwanted: Sequence[bool]) -> tuple[list[bool], list[Label]]:
    """Of each that is remembered, whether it is vouched for; and what the heads are fitted to."""
    memory, fitted = remember(labels, CountingEmbedder().embed([one.text for one in labels]), unwanted, 0.0)
    return memory.vouched.tolist(), fitted


@pytest.mark.parametrize("unwanted", [True, False])
def test_a_lone_label_is_remembered_only_where_it_is_wanted_and_never_fitted(unwanted: bool) -> None:
    assert kept([label(TEXT)], [unwanted]) == ([] if unwanted else [False], [])


def test_two_who_agree_are_believed_against_a_sure_layer() -> None:
    given = [label(TEXT), label(NEARLY, principal="bob"), label("another message that nobody else has an opinion on")]
    assert kept(given, [True] * 3) == ([True, True], given[:2])


@pytest.mark.parametrize(("floor", "speaks"), [(0.0, True), (0.9, False)])
def test_who_speaks_for_whom_is_a_part_of_what_the_embedder_tells_apart(floor: float, speaks: bool) -> None:
    given = [label(TEXT), label(NEARLY, principal="bob")]
    vectors = CountingEmbedder().embed([TEXT, NEARLY])
    assert 0.9 < vectors[0] @ vectors[1] < 0.9 + 0.1 * SPEAKS_FOR
    memory, _ = remember(given, vectors, [True] * 2, floor)
    assert len(memory) == 2 * speaks


def test_the_nearest_of_others_speaks_for_a_label() -> None:
    given = [label(TEXT, RETRIEVAL), label(f"{TEXT} now", PLATFORM, "bob"), label(f"{TEXT} now then", RETRIEVAL, "eve")]
    assert kept(given, [True] * 3) == ([], [])
    assert kept([given[0], given[2]], [True] * 2) == ([True, True], [given[0], given[2]])
