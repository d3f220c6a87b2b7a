"""The dialogue acts of messages, read from the retriever's own vectors of them as queries.

A message that is searched for as it stands has been encoded already, so reading its act costs no second encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from classifier.decision import Embedder, embed_queries
from classifier.dialogue_act.acts import ActReading
from classifier.dialogue_act.head import DialogueActHead, HeadError
from engine import telemetry
from engine.errors import EngineError


class EncoderActs:
    """Reads acts with a head on the encoder. Fulfils `classifier.dialogue_act.reconsider.ActReader`.

    Args:
        head: Fitted to the vectors of `embedder`.
        embedder: Of queries.
    """

    def __init__(self, head: DialogueActHead, embedder: Embedder) -> None:
        self._head = head
        self._embedder = embedder

    def read(self, texts: Sequence[str]) -> list[ActReading]:
        """See `ActReader.read`; a text that cannot be encoded has no act."""
        if not texts:
            return []
        try:
            vectors = embed_queries(self._embedder, texts)
        except EngineError:
            return [ActReading() for _ in texts]
        return [self._head.read(vector) for vector in vectors]


def load_acts(path: Path, embedder: Embedder) -> EncoderActs | None:
    """The reader of acts over the head at `path`; None, which is logged, where the head does not fit the encoder."""
    try:
        return EncoderActs(DialogueActHead.load(path, embedder.id), embedder)
    except HeadError as error:
        telemetry.logger().warning(telemetry.ACTS_REFUSED.format(reason=error))
        return None
