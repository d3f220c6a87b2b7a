"""What the bundled encoder's layers that were fitted make of a text: its type, and what it is to its conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.relation.relations import TOGETHER, together
from classifier.training.embedding_cache import FittedEmbedder
from classifier.training.held_out_logits import HeldOut
from engine.errors import ConfigurationError
from engine.retrieval.embedding.onnx import OnnxEmbedder


class IntentEmbedder(FittedEmbedder):
    """What layer 2 reads of a text: five logits.

    They come from the upper half of the encoder's layers, fitted to the types of the seed
    (`scripts/tuning/tune_intent.py`). The lower half is shared with the vector that the search wants: it is
    run once for both.

    Args:
        encoder: The bundled one.
        held_out: File of logits that layers fitted on other domains give the seed's texts.
        queries: What encodes messages for the search, where it keeps them; None: the encoder.
    """

    def __init__(
        self,
        encoder: OnnxEmbedder,
        held_out: Path,
        queries: Callable[[Sequence[str]], NDArray[np.float32]] | None = None,
    ) -> None:
        self._encoder = encoder
        self._queries = queries or encoder.embed_queries
        self._path = held_out

    @property
    def id(self) -> str:
        """The encoder's, and which layers were fitted: logits of others mean something else."""
        return self._encoder.intent_id

    @property
    def dimensions(self) -> int:
        """Number of logits."""
        return self._encoder.intents

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), in the order given."""
        return self._encoder.intents_of(texts)

    @property
    def unrelated(self) -> float:
        """The encoder's."""
        return self._encoder.unrelated

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The encoder's vectors of messages, by which like ones are recalled: shape (len(texts), its dimensions)."""
        return self._queries(texts)

    def embed_unseen(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed`, but texts of the seed as if the layers had not been fitted on their domains; for trainings."""
        known, logits = self._held_out.find(texts)
        found = np.empty((len(texts), self.dimensions), np.float32)
        found[known] = logits
        found[~known] = self.embed([text for text, told in zip(texts, known, strict=True) if not told])
        return found

    @cached_property
    def _held_out(self) -> HeldOut:
        return _read_held_out(self._path, "scripts/tuning/tune_intent.py")


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
        return _read_held_out(self._path, "scripts/tuning/tune_relations.py")


def _read_held_out(path: Path, script: str) -> HeldOut:
    """The logits of `path`.

    Args:
        script: Writes such a file.

    Raises:
        ConfigurationError: It cannot be read.
    """
    try:
        return HeldOut.read(path)
    except (OSError, ValueError, KeyError) as error:
        raise ConfigurationError(
            f"{path}: not a file of held-out logits; restore it from the release, or write it anew with {script}"
        ) from error
