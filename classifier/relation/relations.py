"""The relations of a message to its conversation that are told apart, and the Protocol of what reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from classifier.dialogue_act.acts import UNREAD, ActReading

#: Characters of a message that is read; a longer one says enough to stand alone.
LONGEST = 400
#: Earlier questions that a message is read with, the last ones.
EARLIER = 6
#: Of these, the ones that layers of the encoder read together with it.
TOGETHER = 2


class Relation(StrEnum):
    """What a message is to the conversation before it."""

    STANDS_ALONE = "stands_alone"
    """It can be understood, and searched for, as it is; also when it goes on about a topic and names it."""
    FOLLOW_UP = "follow_up"
    """It asks for something new and cannot be understood without an earlier turn."""
    REWORDING = "rewording"
    """It asks for an answer in another form and for no new fact."""
    RECALL = "recall"
    """It asks what was said before."""
    COURTESY = "courtesy"
    """It greets, thanks, acknowledges or leaves."""


def together(text: str, earlier: Sequence[str]) -> str:
    """A message and the last questions before it as one key: what layers of the encoder read together."""
    return "\n".join((*earlier[-TOGETHER:], text))


class RelationReason(StrEnum):
    """What said what a message is to the conversation before it."""

    HEAD = "relation_head"
    """The head of the relations; the confidence is the probability that it gives."""
    ACT = "act_head"
    """The head of the dialogue acts: the message goes on from the last answer."""
    WORDS = "relation_words"
    """Rules on the words: the message begins its conversation, or no head has read it."""


#: Probability of what is likelier than all else together.
_LIKELIER = 0.5


@dataclass(frozen=True, slots=True)
class RelationReading:
    """The relation of one message.

    Attributes:
        relation: The likeliest one; None: it was not read.
        confidence: Its probability, 0 to 1.
    """

    relation: Relation | None = None
    confidence: float = 0.0

    @property
    def follows(self) -> bool:
        """Whether it rather goes on from the question before it than not."""
        return self.relation is Relation.FOLLOW_UP and self.confidence >= _LIKELIER


#: The reading of a message without a conversation, or without a head.
UNRELATED = RelationReading()


@dataclass(frozen=True, slots=True)
class ConversationReading:
    """What the heads on the encoder say of one message."""

    act: ActReading = UNREAD
    relation: RelationReading = UNRELATED


class ConversationReader(Protocol):
    """Reads messages in their conversations. Thread-safe; may block: call it in a worker thread."""

    def read(self, texts: Sequence[str], earlier: Sequence[Sequence[str] | None]) -> list[ConversationReading]:
        """One reading a text, in order.

        Args:
            texts: The messages.
            earlier: For each, what was asked before it, oldest first; None: it begins a conversation, and its
                relation is not read.
        """
        ...
