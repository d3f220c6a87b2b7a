"""Answers and labels from models served by Ollama, through langchain-ollama.

One client per slot, built once on the event loop it serves and reused: building one costs 45-60 ms, using one about
1 ms on the first chunk (measured). Thinking is switched off, because left unset it disables the output grammar and
puts thinking text into answers.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

import httpx
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_ollama import ChatOllama

from engine.domain import Message, Usage
from engine.errors import DependencyUnavailable
from engine.generation.ollama.served import ServedModel
from engine.generation.ollama.thinking import ThinkingFilter
from engine.generation.port import Done, Pace, Prompt, Token, text_of
from engine.text.material import without_template_tokens

#: A label is a dozen tokens; the grammar also allows white space around it.
_LABEL_TOKENS = 32


class _Client:
    """A client of one model.

    Args:
        model: Shared with whoever else asks it. Whoever asks waits less than its limits; a load that was begun goes on
            for those who come later.
        num_predict: Longest answer in tokens.
        within: Seconds that an answer is of use in.
        temperature: 0: always the likeliest token.
        read: Seconds between two pieces of an answer, at most; None: the model's own limits are enough.
    """

    def __init__(
        self, model: ServedModel, num_predict: int, within: float | None, *, temperature: float, read: float | None
    ) -> None:
        self._model = model
        self._within = within
        self._chat = ChatOllama(
            model=model.name,
            base_url=model.host,
            reasoning=False,
            num_ctx=model.num_ctx,
            num_predict=num_predict,
            temperature=temperature,
            keep_alive=model.limits.keeping,
            client_kwargs={"timeout": httpx.Timeout(read, connect=model.limits.connect)},
        )

    @property
    def name(self) -> str:
        """The model's name in Ollama."""
        return self._model.name

    async def close(self) -> None:
        """Closes the connections to the server. Idempotent."""
        await self._model.residency.close()
        # langchain-ollama has no way of its own to close the clients it makes.
        self._chat._client.close()  # type: ignore[no-untyped-call]  # noqa: SLF001
        await self._chat._async_client.close()  # type: ignore[no-untyped-call]  # noqa: SLF001


class OllamaChatModel(_Client):
    """Writes answers with one model. Fulfils `ChatModel`.

    Args:
        model: Shared with whoever else asks it.
        num_predict: Longest answer in tokens.
    """

    def __init__(self, model: ServedModel, *, num_predict: int) -> None:
        super().__init__(model, num_predict, None, temperature=0.2, read=None)

    @property
    def pace(self) -> Pace:
        """See `ChatModel.pace`."""
        return self._model.pace

    @property
    def busy(self) -> bool:
        """See `ChatModel.busy`."""
        return self._model.busy

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`. A model that has to be loaded anew before it says a word is asked a second time."""
        silent = True
        try:
            async with aclosing(self._answer(prompt)) as pieces:
                async for piece in pieces:
                    silent = False
                    yield piece
                return
        except DependencyUnavailable:
            if not silent or not self._model.residency.stuck:
                raise
        async with aclosing(self._answer(prompt)) as pieces:  # from the model loaded anew
            async for piece in pieces:
                yield piece

    async def _answer(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        messages = [_langchain(message) for message in prompt.messages]
        done: Done | None = None
        thinking = ThinkingFilter()
        async with self._model.asked(text_of(prompt.messages)) as heard:
            chunks = self._chat.astream(messages)
            async with aclosing(chunks), aclosing(heard.pieces(chunks)) as pieces:  # type: ignore[type-var]
                async for chunk in pieces:
                    if isinstance(chunk.content, str) and (text := thinking.feed(chunk.content)):
                        yield Token(text)
                    if last := _done(chunk):
                        done = last
                        heard.report(chunk.response_metadata)
            if done is None:
                raise _broken_off(self.name)
        if text := thinking.flush():
            yield Token(text)
        yield done

    async def ping(self) -> None:
        """See `ChatModel.ping`: the server answers and has the model."""
        await self._model.residency.available()


class OllamaLabeller(_Client):
    """Chooses a label with one model, bound to them by a JSON schema. Fulfils `classifier.decision.Labeller`.

    Args:
        model: As of `_Client`, as the other.
        within: Seconds that a label is of use in.
    """

    def __init__(self, model: ServedModel, within: float | None = None) -> None:
        super().__init__(model, _LABEL_TOKENS, within, temperature=0.0, read=model.limits.silence)

    async def label(self, prompt: str, labels: Sequence[str]) -> str:
        """The JSON object `{"type": label}` as the model wrote it.

        Raises:
            Overloaded: The model has as many requests as it may have.
            DependencyUnavailable: The model cannot be asked.
        """
        schema = {
            "type": "object",
            "properties": {"type": {"type": "string", "enum": list(labels)}},
            "required": ["type"],
        }
        async with self._model.asked(prompt, self._within) as heard:
            answer = await self._chat.ainvoke([HumanMessage(without_template_tokens(prompt))], format=schema)
            heard.report(answer.response_metadata)
            if not answer.response_metadata.get("done"):
                raise _broken_off(self.name)
        return answer.content if isinstance(answer.content, str) else ""


class OllamaStructured(_Client):
    """Writes JSON with one model, bound to a schema. Fulfils `planning.structured.StructuredModel`.

    Args:
        model: As of `_Client`, as the last.
        num_predict: Longest answer in tokens: a plan of six subqueries takes about 500.
        within: Seconds that an answer is of use in.
    """

    def __init__(self, model: ServedModel, *, num_predict: int = 768, within: float | None = None) -> None:
        super().__init__(model, num_predict, within, temperature=0.0, read=model.limits.silence)

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> str:
        """What the model writes; it may be cut, and then is no JSON.

        Raises:
            Overloaded: The model has as many requests as it may have.
            DependencyUnavailable: The model cannot be asked.
        """
        async with self._model.asked(text_of(messages), self._within) as heard:
            answer = await self._chat.ainvoke([_langchain(message) for message in messages], format=dict(schema))
            heard.report(answer.response_metadata)
        return answer.content if isinstance(answer.content, str) else ""


def _broken_off(name: str) -> DependencyUnavailable:
    return DependencyUnavailable("ollama", f"the answer of model {name} broke off")


def _langchain(message: Message) -> BaseMessage:
    kinds: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return kinds[message.role](content=without_template_tokens(message.content))


def _done(chunk: Any) -> Done | None:
    """The last word in `chunk`'s metadata, where it has one (langchain adds an empty chunk behind it)."""
    if not isinstance(chunk, AIMessageChunk) or not chunk.response_metadata.get("done"):
        return None
    counted = chunk.usage_metadata
    usage = Usage(counted["input_tokens"], counted["output_tokens"]) if counted else Usage()
    return Done(usage, truncated=chunk.response_metadata.get("done_reason") == "length")
