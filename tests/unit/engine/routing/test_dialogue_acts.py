from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.dialogue_act.acts import DialogueAct
from classifier.dialogue_act.head import DialogueActHead
from engine.bootstrap import CLASSIFIER_DATA, MODEL_DIR
from engine.errors import DependencyUnavailable
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.dialogue_acts import EncoderActs, load_acts


class Axes:
    """An embedder of queries: the first axis for thanks, the second for anything else."""

    id = "axes"
    dimensions = 2

    def __init__(self, error: Exception | None = None) -> None:
        self._error = error

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError("a message is a query")

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._error is not None:
            raise self._error
        return np.array([[1, 0] if "thank" in text else [0, 1] for text in texts], np.float32)


HEAD = DialogueActHead(
    "axes",
    (DialogueAct.THANKS, DialogueAct.NONE),
    np.zeros(2, np.float32),
    np.eye(2, dtype=np.float32) * 6,
    np.zeros(2, np.float32),
)


def test_each_text_has_its_act() -> None:
    readings = EncoderActs(HEAD, Axes()).read(["thank you", "what is it?"])
    assert [reading.act for reading in readings] == [DialogueAct.THANKS, DialogueAct.NONE]
    assert EncoderActs(HEAD, Axes()).read([]) == []


def test_what_cannot_be_encoded_has_no_act() -> None:
    broken = EncoderActs(HEAD, Axes(DependencyUnavailable("embedder", "gone")))
    assert [reading.act for reading in broken.read(["thank you"])] == [DialogueAct.NONE]


def test_a_head_that_does_not_fit_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "head.npz"
    HEAD.save(path)
    assert load_acts(path, Axes()) is not None
    other = Axes()
    other.id = "other"
    assert load_acts(path, other) is None
    assert load_acts(tmp_path / "none.npz", Axes()) is None


@pytest.fixture(scope="module")
def shipped() -> EncoderActs:
    acts = load_acts(CLASSIFIER_DATA / "dialogue_acts.npz", OnnxEmbedder(MODEL_DIR, 1))
    assert acts is not None
    return acts


@pytest.mark.parametrize(
    ("text", "act"),
    [
        ("I owe you one, thank you kindly", DialogueAct.THANKS),
        ("muchísimas gracias por la paciencia", DialogueAct.THANKS),
        ("could you make that more compact?", DialogueAct.SHORTER),
        ("¿me lo puedes acortar un poco?", DialogueAct.SHORTER),
        ("I'd prefer it with bullets", DialogueAct.LIST),
        ("prefiero verlo en una tabla", DialogueAct.TABLE),
        ("say all that once more please", DialogueAct.REPEAT),
        ("¿lo puedes poner en italiano?", DialogueAct.TRANSLATE),
        ("that explanation is plain wrong", DialogueAct.DISAGREEMENT),
        ("no no, yo te hablaba de las transferencias", DialogueAct.CORRECTION),
        ("would you have a further example?", DialogueAct.EXAMPLE),
        ("¿y por qué razón es así?", DialogueAct.WHY),
        ("good evening, everybody", DialogueAct.GREETING),
        ("nos vemos la semana que viene", DialogueAct.FAREWELL),
    ],
)
def test_the_shipped_head_reads_other_words_than_it_learnt(shipped: EncoderActs, text: str, act: DialogueAct) -> None:
    assert shipped.read([text])[0].act is act


@pytest.mark.parametrize(
    "text",
    [
        "How do I configure the retry policy?",
        "Write a function that reverses a string",
        "¿Cuánto he gastado este mes?",
        "¿Qué diferencia hay entre una lista y un diccionario?",
        "Which parameters does the export take?",
    ],
)
def test_a_question_is_no_act(shipped: EncoderActs, text: str) -> None:
    assert shipped.read([text])[0].act is DialogueAct.NONE
