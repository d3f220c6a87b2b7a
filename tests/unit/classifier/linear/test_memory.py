"""What layer 2 remembers: the nearest message decides, unless another type is as near."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.decision import QueryType
from classifier.linear.memory import ALIKE, CLOSE, MOST_REMEMBERED, SPEAKS_FOR, Memory


def turned(*degrees: float) -> NDArray[np.float32]:
    """Unit vectors in the plane, by their angle."""
    angles = np.radians(degrees)
    return np.column_stack([np.cos(angles), np.sin(angles)]).astype(np.float32)


def memory(*degrees: float, types: list[str]) -> Memory:
    return Memory.of(turned(*degrees), types, np.arange(len(types)) % 2 == 0)


def angle(part: float, unrelated: float) -> float:
    """Degrees between two messages that are alike by `part`."""
    return float(np.degrees(np.arccos(unrelated + part * (1 - unrelated))))


def test_the_nearest_message_that_is_alike_is_recalled() -> None:
    made = memory(0, 40, types=["PLATFORM", "RETRIEVAL"])
    first, second, neither = made.recall(turned(8, 35, 120))
    assert first is not None
    assert second is not None
    assert (first.type, first.vouched, second.type, second.vouched) == (
        QueryType.PLATFORM, True, QueryType.RETRIEVAL, False,
    )  # fmt: skip
    assert np.allclose([first.likeness, second.likeness], np.cos(np.radians([8, 5])), atol=1e-5)
    assert neither is None


@pytest.mark.parametrize("unrelated", [0.0, 0.75])
@pytest.mark.parametrize(
    ("part", "alike"),
    [(SPEAKS_FOR - 0.01, None), (SPEAKS_FOR + 0.01, False), (ALIKE - 0.01, False), (ALIKE + 0.01, True)],
)
def test_how_alike_two_messages_are_is_a_part_of_what_the_embedder_tells_apart(
    part: float, alike: bool | None, unrelated: float
) -> None:
    (found,) = memory(0, types=["PLATFORM"]).recall(turned(angle(part, unrelated)), unrelated)
    assert (None if found is None else found.alike) is alike


@pytest.mark.parametrize(("other", "recalled"), [("PLATFORM", True), ("RETRIEVAL", False)])
def test_where_two_types_are_as_near_nothing_is(other: str, recalled: bool) -> None:
    (found,) = memory(0, 10, types=["PLATFORM", other]).recall(turned(4.9))
    assert (found is not None) is recalled


def test_a_type_that_is_clearly_nearer_is() -> None:
    made = memory(0, 20, types=["PLATFORM", "RETRIEVAL"])
    assert np.cos(np.radians(2)) - np.cos(np.radians(18)) > CLOSE
    assert [one.type for one in made.recall(turned(2, 18)) if one] == [QueryType.PLATFORM, QueryType.RETRIEVAL]


def test_nothing_remembered_is_nothing_recalled() -> None:
    assert Memory.empty().recall(turned(0, 1)) == [None, None]
    assert len(Memory.empty()) == 0


def test_it_is_itself_again_from_its_array() -> None:
    made = memory(0, 40, types=["PLATFORM", "CONVERSATIONAL"])
    again = Memory.from_array(made.to_array())
    assert np.array_equal(again.vectors, made.vectors)
    assert again.recall(turned(1, 41)) == made.recall(turned(1, 41))


def test_the_newest_are_kept() -> None:
    count = MOST_REMEMBERED + 2
    types = ["PLATFORM"] * 2 + ["RETRIEVAL"] * MOST_REMEMBERED
    made = Memory.of(np.ones((count, 1), np.float32), types, np.ones(count, bool))
    assert len(made) == MOST_REMEMBERED
    assert len(set(made.types.tolist())) == 1


@pytest.mark.parametrize("array", [[[4, 1, 1]], [[-1, 1, 1]], [[0.5, 1, 1]], [[0, 2, 1]], [[0]]])
def test_what_is_no_memory_is_refused(array: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="its array remembered"):
        Memory.from_array(np.asarray(array, np.float32))
