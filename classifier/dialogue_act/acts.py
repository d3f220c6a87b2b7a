"""The dialogue acts that are told apart.

Source: the idea of a small set of acts beside the topic is that of ISO 24617-2 (dialogue act annotation); the set is
what an assistant over documents has to answer differently.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DialogueAct(StrEnum):
    """What a message does, whatever it is about."""

    NONE = "none"
    """It asks or tells something of its own."""
    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    ACKNOWLEDGEMENT = "acknowledgement"
    """It says that the answer was heard or understood."""
    AFFIRMATION = "affirmation"
    """Yes, to whatever was said."""
    NEGATION = "negation"
    """No, or that nothing more is wanted."""
    ABILITIES = "abilities"
    """Asks what the assistant is or can do, or for help in general."""
    USER_IDENTITY = "user_identity"
    """Asks what the assistant knows of the person."""
    QUESTION_COUNT = "question_count"
    """Asks how many questions the conversation has had."""
    SHORTER = "shorter"
    """The last answer in fewer words."""
    LONGER = "longer"
    """The last answer in more words."""
    LIST = "list"
    """The last answer as a list."""
    TABLE = "table"
    """The last answer as a table."""
    REPEAT = "repeat"
    """The last answer once more."""
    TRANSLATE = "translate"
    """The last answer in another language."""
    SIMPLIFY = "simplify"
    """The last answer in other, mostly easier words."""
    CONVERT = "convert"
    """The last answer's code or data in another notation."""
    MORE = "more"
    """More on what was said."""
    WHY = "why"
    """The reason of what was said."""
    EXAMPLE = "example"
    """An example, or another one, of what was said."""
    DISAGREEMENT = "disagreement"
    """The last answer was wrong, or not what was asked."""
    CORRECTION = "correction"
    """Something else was meant, and is named."""


#: A form of the last answer that its own sentences give.
REFORMULATIONS = frozenset(
    {DialogueAct.SHORTER, DialogueAct.LONGER, DialogueAct.LIST, DialogueAct.TABLE, DialogueAct.REPEAT}
)
#: A form of the last answer that has to be written anew.
REWRITINGS = frozenset({DialogueAct.TRANSLATE, DialogueAct.SIMPLIFY, DialogueAct.CONVERT})
#: Asks for something that has not been said yet, about what was said.
CONTINUATIONS = frozenset({DialogueAct.MORE, DialogueAct.WHY, DialogueAct.EXAMPLE, DialogueAct.CORRECTION})


#: Probability from which an act is acted on.
SURE = 0.5
#: Probability from which an act makes talk of a message that the layers took for something else. The failing direction
#: is to search, so it is higher than that from which an act is acted on.
SURE_TALK = 0.75
#: Probability from which talk that does nothing else is a wish for another form of the last answer.
_LIKELY_FORM = 0.2


@dataclass(frozen=True, slots=True)
class ActReading:
    """The act of one message.

    Attributes:
        likeliest: The likeliest one.
        confidence: Its probability, 0 to 1.
        next: The likeliest but it.
        next_confidence: The probability of that.
    """

    likeliest: DialogueAct = DialogueAct.NONE
    confidence: float = 1.0
    next: DialogueAct = DialogueAct.NONE
    next_confidence: float = 0.0

    @property
    def act(self) -> DialogueAct:
        """The likeliest act where it is sure, `NONE` otherwise."""
        return self.likeliest if self.confidence >= SURE else DialogueAct.NONE

    @property
    def act_of_talk(self) -> DialogueAct:
        """`act` of a message that is known to be talk: where it seems to do nothing, the form that it may wish for."""
        form = self.likeliest is DialogueAct.NONE and self.next in REFORMULATIONS
        return self.next if form and self.next_confidence >= _LIKELY_FORM else self.act


#: The reading of a message whose act was not read.
UNREAD = ActReading()
