"""Parts that the classifier's tests share: an embedder without a model, artifacts by hand, a small training set."""

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from classifier.embedder import Embedder
from classifier.linear.artifact import LANGUAGE_COLUMNS, Artifact, Weights, write_artifact
from classifier.linear.card import LANGUAGES, OUTPUTS, Card
from classifier.linear.features import COLUMNS
from classifier.linear.spelling import Spelling
from classifier.training.dataset import Row

DIMENSIONS = 32


class CountingEmbedder(Embedder):
    """Bags of hashed words as unit vectors; remembers what it was asked."""

    id = "counting"
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        vectors = np.full((len(texts), self.dimensions), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.encode()) % self.dimensions] += 1.0
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def plain_card(**changes: object) -> Card:
    fields: dict[str, object] = {
        "embedder": "counting",
        "dimensions": DIMENSIONS,
        "temperature": 1.0,
        "thresholds": dict.fromkeys(OUTPUTS[:-1], 0.6),
        "margin": 0.1,
        "reject_threshold": 0.7,
        "training_sha256": "0" * 64,
        "rows": 10,
        "weights_sha256": "0" * 64,
    }
    return Card(**(fields | changes))  # type: ignore[arg-type]


def plain_weights(bias: Sequence[float] = (0, 0, 0, 0, 0), dimensions: int = DIMENSIONS) -> Weights:
    """Weights under which every English text gets the same logits: `bias`."""
    outputs, languages = len(OUTPUTS), len(LANGUAGES)
    return Weights(
        sparse=np.zeros((COLUMNS, outputs), np.float32),
        sparse_bias=np.zeros(outputs, np.float32),
        embedding=np.zeros((dimensions, outputs), np.float32),
        embedding_bias=np.asarray(bias, np.float32),
        language=np.zeros((LANGUAGE_COLUMNS, languages), np.float32),
        language_bias=np.asarray([5.0, 0.0, -5.0], np.float32),
        mix=np.ones((languages, 2), np.float32),
        mix_bias=np.zeros((languages, outputs), np.float32),
        solo=np.ones((languages, 1), np.float32),
        solo_bias=np.zeros((languages, outputs), np.float32),
        spelling=Spelling({"en": ["invoice", "explain"], "es": ["factura"]}, ["voice"]),
    )


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def make_card() -> Callable[..., Card]:
    return plain_card


@pytest.fixture
def make_weights() -> Callable[..., Weights]:
    return plain_weights


@pytest.fixture
def make_artifact(tmp_path: Path) -> Callable[..., Artifact]:
    """Writes an artifact that gives every text the logits `bias`."""

    def make(bias: Sequence[float] = (0, 0, 0, 0, 0), **changes: object) -> Artifact:
        return write_artifact(tmp_path / "made.npz", plain_card(**changes), plain_weights(bias))

    return make


_PHRASES = {
    "RETRIEVAL": ("what is {}", "qué es {}", "what does {} mean", "cómo funciona {}"),
    "CODE_GENERATION": (
        "write a function for {}",
        "escribe una función para {}",
        "fix my {} code",
        "arregla mi código de {}",
    ),
    "CONVERSATIONAL": ("thanks for {}", "gracias por {}", "say {} in fewer words", "repite {} en menos palabras"),
    "PLATFORM": ("how much {} have i used", "cuánto {} llevo este mes", "my bill for {}", "mi factura de {}"),
    "OUT_OF_SCOPE": ("play {} music", "pon música de {}", "order a pizza with {}", "pide una pizza con {}"),
}
_TOPICS = (
    "storage",
    "tokens",
    "endpoints",
    "queries",
    "webhooks",
    "tables",
    "lists",
    "reports",
    "cards",
    "logs",
    "files",
    "loops",
)


@pytest.fixture(scope="session")
def small_rows() -> list[Row]:
    """Rows of every output in both languages, in two families a phrase, so that any may be left out."""
    return [
        Row(phrase.format(topic), label, "es" if place % 2 else "en", f"{label} {place} {at % 2}", topic)
        for label, phrases in _PHRASES.items()
        for place, phrase in enumerate(phrases)
        for at, topic in enumerate(_TOPICS)
    ]
