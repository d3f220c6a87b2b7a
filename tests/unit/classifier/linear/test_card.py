import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from classifier.decision import QueryType
from classifier.linear.card import FORMAT_VERSION, OUTPUTS, REJECT, Card, CardError

MakeCard = Callable[..., Card]


def test_the_outputs_are_the_types_and_the_reject_class() -> None:
    assert (*QueryType, REJECT) == OUTPUTS


def test_a_card_reads_back(make_card: MakeCard) -> None:
    card = make_card(scores={"en": {"macro_f1": 0.9}}, date="2026-01-31", versions={"numpy": "2"}, shortcut=0.95)
    assert Card.from_json(card.to_json()) == card
    assert Card.from_json(card.to_json()).to_json() == card.to_json()


def test_the_digest_is_filled_in(make_card: MakeCard) -> None:
    assert make_card().with_digest("a" * 64).weights_sha256 == "a" * 64


def changed(card: Card, **changes: Any) -> bytes:
    return json.dumps({**dataclasses.asdict(card), **changes}).encode()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"format": 1}, "is of format 1, this version reads 2"),
        ({"format": FORMAT_VERSION + 40}, "is of format 42"),
        ({"format": "1"}, "is of format 1"),
        ({"recipe": 9}, "n-grams are of recipe 9"),
        ({"classes": ["A", "B"]}, "its classes are A, B"),
        ({"classes": list(reversed(OUTPUTS))}, "its classes are"),
        ({"classes": list(OUTPUTS[:-1])}, "its classes are"),
        ({"embedder": 7}, "names no embedder"),
        ({"dimensions": 0}, "names no embedder"),
        ({"dimensions": -3}, "names no embedder"),
        ({"dimensions": 10**9}, "names no embedder"),
        ({"dimensions": True}, "names no embedder"),
        ({"dimensions": 3.5}, "names no embedder"),
        ({"weights_sha256": ""}, "no sha256"),
        ({"weights_sha256": "Z" * 64}, "no sha256"),
        ({"weights_sha256": 3}, "no sha256"),
        ({"thresholds": {}}, "no threshold for each type"),
        ({"thresholds": dict.fromkeys(OUTPUTS, 0.5)}, "no threshold for each type"),
        ({"thresholds": [0.5, 0.5, 0.5, 0.5]}, "no threshold for each type"),
        ({"thresholds": dict.fromkeys(OUTPUTS[:-1], 1.5)}, "not between 0 and 1"),
        ({"thresholds": dict.fromkeys(OUTPUTS[:-1], "high")}, "not between 0 and 1"),
        ({"margin": -0.1}, "not between 0 and 1"),
        ({"margin": None}, "not between 0 and 1"),
        ({"reject_threshold": float("nan")}, "not between 0 and 1"),
        ({"shortcut": 2.0}, "not between 0 and 1"),
        ({"temperature": 0}, "temperature"),
        ({"temperature": -1.0}, "temperature"),
        ({"temperature": float("inf")}, "temperature"),
        ({"temperature": True}, "temperature"),
        ({"surprise": 1}, "holds what no card holds"),
    ],
)
def test_a_wrong_value_is_named(make_card: MakeCard, changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(CardError, match=problem):
        Card.from_json(changed(make_card(), **changes))


@pytest.mark.parametrize("missing", ["embedder", "thresholds", "temperature", "weights_sha256", "classes", "recipe"])
def test_a_missing_value_is_named(make_card: MakeCard, missing: str) -> None:
    document = json.loads(make_card().to_json())
    del document[missing]
    with pytest.raises(CardError, match=missing):
        Card.from_json(json.dumps(document).encode())


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"3", b"null", b"\xff\xfe"])
def test_junk_is_no_card(content: bytes) -> None:
    with pytest.raises(CardError):
        Card.from_json(content)


def test_the_embedder_is_checked(make_card: MakeCard) -> None:
    card = make_card(embedder="small", dimensions=384)
    card.check_embedder(None)
    card.check_embedder({"small": 384, "large": 1024})
    with pytest.raises(CardError, match="at hand is large"):
        card.check_embedder({"large": 1024})
    with pytest.raises(CardError, match="at hand is none"):
        card.check_embedder({})
    with pytest.raises(CardError, match="trained on 384 dimensions, small has 512"):
        card.check_embedder({"small": 512})
