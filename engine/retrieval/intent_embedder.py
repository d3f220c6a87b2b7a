"""The bundled embedder's vectors with what its layers fitted to the types make of the text beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.held_out import HeldOut
from engine.errors import ConfigurationError
from engine.retrieval.onnx_embedder import OnnxEmbedder

#: Told a text and its vector, shape (dimensions of the encoder,).
Tell = Callable[[str, NDArray[np.float32]], None]


class IntentEmbedder:
    """What layer 2 reads: a unit vector, and behind it five logits. Fulfils `classifier.decision.Embedder`.

    The logits come from the encoder's last two layers, fitted to the types of the seed (`scripts/tune_intent.py`); the
    layers below them are run once for both. The vector is the encoder's own, so the search need not make it again.

    Args:
        encoder: The bundled one.
        held_out: File of logits that layers fitted on other domains give the seed's texts.
        tell: Told the vector of a text that comes alone.
    """

    def __init__(self, encoder: OnnxEmbedder, held_out: Path, tell: Tell | None = None) -> None:
        self._encoder = encoder
        self._path = held_out
        self._tell = tell

    @property
    def id(self) -> str:
        """The encoder's, and which layers were fitted: logits of others mean something else."""
        return self._encoder.intent_id

    @property
    def dimensions(self) -> int:
        """Length of a vector with its logits."""
        return self._encoder.dimensions + self._encoder.intents

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), in the order given."""
        found = self._encoder.embed_with_intent(texts)
        if self._tell is not None and len(texts) == 1:
            self._tell(texts[0], found[0, : self._encoder.dimensions])
        return found

    def embed_unseen(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`, but texts of the seed as if the layers had not been fitted on their domains; for trainings."""
        found = self.embed(texts)
        known, logits = self._held_out.find(texts)
        found[known, self._encoder.dimensions :] = logits
        return found

    @cached_property
    def _held_out(self) -> HeldOut:
        try:
            return HeldOut.read(self._path)
        except (OSError, ValueError, KeyError) as error:
            raise ConfigurationError(
                f"{self._path}: not a file of held-out logits; restore it from the release, or write it anew with "
                "scripts/tune_intent.py"
            ) from error
