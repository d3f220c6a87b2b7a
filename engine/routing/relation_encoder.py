"""What the encoder's layers that were fitted to the relations make of a message with the questions before it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.relation.relations import TOGETHER, together
from classifier.training.held_out_logits import HeldOut
from engine.retrieval.embedding.onnx import OnnxEmbedder
from engine.routing.intent_encoder import read_held_out


class RelationLayers:
    """Logits of the relations. Fulfils `classifier.relation.relations.RelationEncoder`.

    The layers (`scripts/tuning/tune_relations.py`) go on from the lower half of the encoder's, which is run once a
    text: for a message as it is routed, for a question before it mostly when that was asked.

    Args:
        encoder: The bundled one.
        held_out: File of logits that layers fitted on other dialogues give the messages of the dialogues.
    """

    def __init__(self, encoder: OnnxEmbedder, held_out: Path) -> None:
        self._encoder = encoder
        self._path = held_out

    @property
    def id(self) -> str:
        """The encoder's, and which layers were fitted."""
        return self._encoder.relation_id

    def relations_of(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        """See `RelationEncoder.relations_of`."""
        return self._encoder.relations_of(text, earlier[-TOGETHER:])

    def unseen(self, text: str, earlier: Sequence[str]) -> NDArray[np.float32]:
        """See `RelationEncoder.unseen`."""
        (known,), logits = self._held_out.find([together(text, earlier)])
        found: NDArray[np.float32] = logits[0] if known else self.relations_of(text, earlier)
        return found

    @cached_property
    def _held_out(self) -> HeldOut:
        return read_held_out(self._path, "scripts/tuning/tune_relations.py")
