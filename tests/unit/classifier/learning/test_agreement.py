"""One person alone teaches the heads nothing, and is not believed against what layer 2 is sure of."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from classifier.decision import QueryType
from classifier.learning import agreement
from classifier.learning.agreement import ALIKE, least_cosine, remember, vouched
from classifier.learning.labels import Label, Provenance
from classifier.linear.artifact import Artifact
from classifier.linear.memory import Memory
from tests.unit.classifier.conftest import CountingEmbedder

MakeArtifact = Callable[..., Artifact]
PLATFORM, RETRIEVAL = QueryType.PLATFORM, QueryType.RETRIEVAL
#: Logits under which layer 2 is sure of RETRIEVAL, and of nothing.
SURE, UNSURE = (5, 0, 0, 0, 0), (0, 0, 0, 0, 0)
TEXT = "tell the harbour how many slipway tokens remain"
NEARLY = "tell the harbour how many slipway tokens remain now"


class Scaled(CountingEmbedder):
    """Its cosines begin at three quarters."""

    unrelated = 0.75


def label(text: str, type_: QueryType = PLATFORM, principal: str = "ana") -> Label:
    return Label(text, type_, Provenance.CORRECTED, principal, f"{principal}-{text}", language="en")


def backed(labels: Sequence[Label], embedder: CountingEmbedder) -> list[bool]:
    return list(vouched(labels, embedder.embed([one.text for one in labels]), least_cosine(embedder)))


def test_the_radius_is_a_part_of_what_the_embedder_tells_apart(embedder: CountingEmbedder) -> None:
    assert least_cosine(embedder) == ALIKE
    assert least_cosine(Scaled()) == pytest.approx(0.92)


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


def test_nothing_is_kept_of_nothing(embedder: CountingEmbedder) -> None:
    memory, fitted, alone = remember([], None, embedder)
    assert (len(memory), fitted, alone) == (0, [], 0)
    assert embedder.calls == []


@pytest.mark.parametrize(("bias", "kept"), [(SURE, 0), (UNSURE, 1)])
def test_a_lone_label_is_remembered_only_where_layer_2_was_not_sure_of_another_type(
    bias: Sequence[float], kept: int, embedder: CountingEmbedder, make_artifact: MakeArtifact
) -> None:
    memory, fitted, alone = remember([label(TEXT)], make_artifact(bias), embedder)
    assert (len(memory), fitted, alone) == (kept, [], 1 - kept)
    assert not memory.vouched.any()


def test_a_lone_label_that_agrees_is_remembered(embedder: CountingEmbedder, make_artifact: MakeArtifact) -> None:
    memory, fitted, alone = remember([label(TEXT, RETRIEVAL)], make_artifact(SURE), embedder)
    assert (len(memory), fitted, alone) == (1, [], 0)


def test_two_who_agree_are_believed_against_a_sure_layer(
    embedder: CountingEmbedder, make_artifact: MakeArtifact
) -> None:
    given = [label(TEXT), label(NEARLY, principal="bob"), label("another message that nobody else has an opinion on")]
    memory, fitted, alone = remember(given, make_artifact(SURE), embedder)
    assert (len(memory), fitted, alone) == (2, given[:2], 1)
    assert memory.vouched.all()


def test_what_was_remembered_before_does_not_speak_for_a_lone_label(
    embedder: CountingEmbedder, make_artifact: MakeArtifact
) -> None:
    made = make_artifact(SURE)
    told = Memory.of(embedder.embed([TEXT]), ["PLATFORM"], np.ones(1, bool), 0.5)
    known = dataclasses.replace(made, weights=dataclasses.replace(made.weights, memory=told))
    assert len(remember([label(TEXT)], known, embedder)[0]) == 0
    assert len(known.weights.memory) == 1
