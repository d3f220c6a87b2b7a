"""What messages do, and what they are to their conversation, read from the vectors that route and search for them.

The acts are read from the vector of a message as a query, which a search for it needs anyway; the relation from what
layers of the encoder make of the message with the last questions before it, from that vector, and from the logits that
layer 2 has asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from classifier.dialogue_act.head import DialogueActHead
from classifier.head_files import HeadError
from classifier.relation.head import Encoders, RelationHead
from classifier.relation.relations import EARLIER, UNRELATED, ConversationReading, RelationReading
from engine import telemetry
from engine.errors import EngineError


@dataclass(slots=True)
class EncoderHeads:
    """Reads acts and relations. Fulfils `classifier.relation.relations.ConversationReader`.

    Attributes:
        encoders: The encoder and its fitted layers; they remember what they were asked.
        acts: Fitted to the vectors of messages.
        relations: Fitted to all of these; None: relations are not read.
    """

    encoders: Encoders
    acts: DialogueActHead
    relations: RelationHead | None = None

    def read(self, texts: Sequence[str], earlier: Sequence[Sequence[str] | None]) -> list[ConversationReading]:
        """See `ConversationReader.read`; a text that cannot be encoded has neither act nor relation."""
        try:
            vectors = self.encoders.queries.embed_queries(texts) if texts else ()
            return [
                ConversationReading(
                    self.acts.read(vector), UNRELATED if before is None else self._related(text, vector, before)
                )
                for text, vector, before in zip(texts, vectors, earlier, strict=True)
            ]
        except EngineError:
            return [ConversationReading() for _ in texts]

    def _related(self, text: str, vector: NDArray[np.float32], earlier: Sequence[str]) -> RelationReading:
        """The relation of a message, by its vector as a query, to the questions before it."""
        head = self.relations  # the same to the end, though another may take its place meanwhile
        if head is None:
            return UNRELATED
        return head.read(self.encoders.told(text, vector, earlier[-EARLIER:]))


def load_heads(acts: Path, relations: Path, encoders: Encoders) -> EncoderHeads | None:
    """The reader over the heads at these paths.

    A head that does not fit the encoder is left out, which is logged; without the one of the acts there is no reader.
    """
    heads: EncoderHeads | None = None
    try:
        heads = EncoderHeads(encoders, DialogueActHead.load(acts, encoders.queries.id))
        heads.relations = RelationHead.load(relations, encoders.id)
    except HeadError as error:
        telemetry.logger().warning(telemetry.HEAD_REFUSED.format(reason=error))
    return heads
