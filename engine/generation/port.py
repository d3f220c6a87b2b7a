"""The Protocol of what writes answers."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from typing import Protocol

from classifier.decision import QueryType
from classifier.dialogue_act.acts import DialogueAct
from engine.domain import Evidence, Exchange, Message, PromptReceipt, Recall, Relation, Usage
from engine.text.language import Language, spoken
from engine.text.questions.stated_figures import Calculation

#: The name, on receipts, of what answers without a model.
EXTRACTIVE = "extractive"


@dataclass(frozen=True, slots=True)
class Prompt:
    """Everything an answer is made from.

    A model reads `messages` and nothing else. The extractive answerer reads the parts the messages were made of.

    Attributes:
        evidence: Numbered passages, best first; for answers made from history, those of the turns it is made from.
        history: Earlier question-answer pairs, oldest first, uncut, with the session's numbers in their marks; for a
            recall, exactly those that are asked about.
        recall: What of the conversation is asked for.
        calculation: What figures of the conversation come to, with the session's numbers of their passages.
        question: What sentences are weighed against instead of `query`; empty: `query`.
        whole: `question` is `query` put in full, and says all that is asked.
        more: What has been said is not to be said again.
        act: What the message does in the conversation, where that is sure.
        answerable: False where the passages found probably do not answer the question.
        near: They may be about it all the same.
        asked: Messages of the session up to now, this one among them.
        receipt: How much there is to read; None where the messages were not written.
        parts: What was searched for, where it was more than one thing.
        corrections: Names that the query misspells, each with the one that it was taken for.
        documents: Names of what is indexed, where it is asked what the assistant can do.
        language: Of the answer, see `Decision.language`; empty: that of `query`.
    """

    type: QueryType
    query: str
    messages: tuple[Message, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    history: tuple[Exchange, ...] = ()
    recall: Recall | None = None
    calculation: Calculation | None = None
    question: str = ""
    whole: bool = False
    more: bool = False
    parts: tuple[str, ...] = ()
    act: DialogueAct = DialogueAct.NONE
    answerable: bool = True
    near: bool = False
    corrections: tuple[tuple[str, str], ...] = ()
    asked: int = 1
    documents: tuple[str, ...] = ()
    language: str = ""
    relation: Relation | None = None
    editor: bool = False
    selected_text: str = ""
    editor_content: str = ""
    extra_context: str = ""
    user_info: str = ""
    receipt: PromptReceipt | None = None

    @property
    def given(self) -> str:
        """The message with the sections that the model reads; empty where there is none."""
        return self.messages[-1].content if self.messages else ""

    @property
    def spoken(self) -> Language:
        """The language that the engine's own words in the answer are in."""
        return spoken(self.language, self.query)

    @property
    def previous_answer(self) -> str:
        """The last answer of the conversation; empty when there is none."""
        return self.history[-1].answer if self.history else ""


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer's text, as the generator wrote it."""

    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """The generator's last word. A stream that ends without one has failed.

    Attributes:
        truncated: It stopped at a limit, not because it had finished.
    """

    usage: Usage = Usage()
    truncated: bool = False


class Pace(Protocol):
    """How fast a model reads.

    Attributes:
        first_word: Seconds that a prompt may be read for.
    """

    first_word: float

    def seconds(self, text: str) -> float | None:
        """How long it would read `text` now, in seconds; None where nobody knows."""
        ...


def text_of(messages: Iterable[Message]) -> str:
    """Everything that is read in messages."""
    return "\n".join(message.content for message in messages)


class ChatModel(Protocol):
    """Writes an answer, piece by piece.

    Promise: yields `Token`s and then one `Done`; thinking text is never among them. Raises `DependencyUnavailable`
    when the model cannot be reached, is missing, breaks off or ends without `Done`, and `Overloaded`, before anything
    else, when it has no room. Closing the generator closes the
    connection to the model: consume it under `contextlib.aclosing`. Never blocks the event loop. One instance serves
    many answers at a time, on one event loop.
    """

    @property
    def name(self) -> str:
        """For the receipt: the model's name, or `extractive`."""
        ...

    @property
    def pace(self) -> Pace | None:
        """How fast it reads prompts; None for one that reads them at no cost."""
        ...

    @property
    def busy(self) -> bool:
        """Whether it works on as many answers as it can: one more would wait for them."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """The answer to `prompt`."""
        ...

    async def ping(self) -> None:
        """Returns when the model can be asked, raises `DependencyUnavailable` otherwise."""
        ...

    async def close(self) -> None:
        """Gives back what it holds. Idempotent."""
        ...
