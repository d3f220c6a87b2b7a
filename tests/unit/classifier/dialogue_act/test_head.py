from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from classifier.decision import Decision, Layer, QueryType
from classifier.dialogue_act.acts import SURE, ActReading, DialogueAct
from classifier.dialogue_act.head import DialogueActHead
from classifier.head_files import HeadError

ACTS = (DialogueAct.NONE, DialogueAct.THANKS)


def head(**more: object) -> DialogueActHead:
    given = {
        "encoder": "e",
        "acts": ACTS,
        "mean": np.zeros(3, np.float32),
        "weights": np.array([[4, 0, 0], [0, 4, 0]], np.float32),
        "bias": np.zeros(2, np.float32),
    }
    return DialogueActHead(**{**given, **more})  # type: ignore[arg-type]


def test_the_nearest_act_with_its_probability() -> None:
    reading = head().read(np.array([0, 1, 0], np.float32))
    assert reading.act is DialogueAct.THANKS
    assert reading.confidence == pytest.approx(1 / (1 + np.exp(-4)))
    assert reading.next is DialogueAct.NONE
    assert reading.next_confidence == pytest.approx(1 / (1 + np.exp(4)))


def test_an_act_that_is_not_sure_is_none() -> None:
    assert ActReading(DialogueAct.THANKS, SURE).act is DialogueAct.THANKS
    assert ActReading(DialogueAct.THANKS, SURE - 0.01).act is DialogueAct.NONE


@pytest.mark.parametrize(
    ("reading", "act"),
    [
        (ActReading(DialogueAct.NONE, 0.6, DialogueAct.LIST, 0.3), DialogueAct.LIST),
        (ActReading(DialogueAct.NONE, 0.9, DialogueAct.LIST, 0.1), DialogueAct.NONE),
        (ActReading(DialogueAct.NONE, 0.6, DialogueAct.THANKS, 0.3), DialogueAct.NONE),  # no form of an answer
        (ActReading(DialogueAct.THANKS, 0.6, DialogueAct.LIST, 0.3), DialogueAct.THANKS),
    ],
)
def test_talk_that_seems_to_do_nothing_wishes_the_likeliest_form(reading: ActReading, act: DialogueAct) -> None:
    assert reading.act_of_talk is act
    for type_, expected in ((QueryType.CONVERSATIONAL, act), (QueryType.RETRIEVAL, reading.act)):
        assert Decision(type_, Layer.EMBEDDING, 0.9, "confident", act=reading).clear_act is expected


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "head.npz"
    head().save(path)
    vector = np.array([0.2, 0.4, 0.1], np.float32)
    assert DialogueActHead.load(path, "e").read(vector) == head().read(vector)


def test_a_head_for_another_encoder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "head.npz"
    head().save(path)
    with pytest.raises(HeadError, match=r"vectors of e, not of other: fit .* -m scripts.fitting.dialogue_acts"):
        DialogueActHead.load(path, "other")


@pytest.mark.parametrize(
    "more",
    [
        {"weights": np.zeros((2, 4), np.float32)},
        {"bias": np.zeros(3, np.float32)},
        {"mean": np.array([np.nan, 0, 0], np.float32)},
        {"weights": np.full((2, 3), np.inf, np.float32)},
        {"mean": np.zeros((3, 1), np.float32)},
        {"acts": ()},
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, more: dict[str, object]) -> None:
    path = tmp_path / "head.npz"
    head(**more).save(path)
    with pytest.raises(HeadError):
        DialogueActHead.load(path, "e")


@pytest.mark.parametrize("content", [b"", b"junk", pickle.dumps([1]), b"PK\x03\x04broken"])
def test_a_file_that_is_no_head_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "head.npz"
    path.write_bytes(content)
    with pytest.raises(HeadError, match=r"cannot be read"):
        DialogueActHead.load(path, "e")


def test_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HeadError, match=r"cannot be read"):
        DialogueActHead.load(tmp_path / "none.npz", "e")
