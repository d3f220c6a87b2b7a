"""What messages do, and what they are to their conversation, read from the vectors that route and search for them.

Both heads read what the encoder makes of a message anyway: its vector as a query, which a search for it needs, and the
logits that layer 2 has asked for. Of the questions before it, which were messages once, the vectors are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from classifier.decision import Embedder, embed_queries
from classifier.dialogue_act.head import DialogueActHead
from classifier.head_files import HeadError
from classifier.relation.head import RelationHead
from classifier.relation.relations import EARLIER, UNRELATED, ConversationReading, RelationReading
from engine import telemetry
from engine.errors import EngineError


@dataclass(slots=True)
class EncoderHeads:
    """Reads acts and relations. Fulfils `classifier.relation.relations.ConversationReader`.

    Attributes:
        queries: The encoder, of messages as queries; it remembers what it was asked.
        intents: Its logits of the types; it remembers too.
        acts: Fitted to the vectors of `queries`.
        relations: Fitted to both; None: relations are not read.
    """

    queries: Embedder
    intents: Embedder
    acts: DialogueActHead
    relations: RelationHead | None = None

    def read(self, texts: Sequence[str], earlier: Sequence[Sequence[str] | None]) -> list[ConversationReading]:
        """See `ConversationReader.read`; a text that cannot be encoded has neither act nor relation."""
        try:
            vectors = embed_queries(self.queries, texts) if texts else ()
            return [
                ConversationReading(
                    self.acts.read(vector), UNRELATED if before is None else self._related(text, before)
                )
                for text, vector, before in zip(texts, vectors, earlier, strict=True)
            ]
        except EngineError:
            return [ConversationReading() for _ in texts]

    def _related(self, text: str, earlier: Sequence[str]) -> RelationReading:
        """The relation of a message to the questions before it."""
        head = self.relations  # the same to the end, though another may take its place meanwhile
        if head is None:
            return UNRELATED
        logits = self.intents.embed([text])[0]
        *before, message = (
            head.told(one, embed_queries(self.queries, [one])[0], logits) for one in (*earlier[-EARLIER:], text)
        )
        return head.read(message, before)


def load_heads(acts: Path, relations: Path, queries: Embedder, intents: Embedder) -> EncoderHeads | None:
    """The reader over the heads at these paths.

    A head that does not fit the encoder is left out, which is logged; without the one of the acts there is no reader.
    """
    heads: EncoderHeads | None = None
    try:
        heads = EncoderHeads(queries, intents, DialogueActHead.load(acts, queries.id))
        heads.relations = RelationHead.load(relations, f"{queries.id} {intents.id}")
    except HeadError as error:
        telemetry.logger().warning(telemetry.HEAD_REFUSED.format(reason=error))
    return heads
