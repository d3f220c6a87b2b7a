"""Answers and labels from models served by Ollama, through langchain-ollama.

One client per slot, built once on the event loop it serves and reused: building one costs 45-60 ms, using one about
1 ms on the first chunk (measured). Thinking is switched off, because left unset it disables the output grammar and
puts thinking text into answers.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

import httpx
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, SystemMessage
from langchain_ollama import ChatOllama
from ollama import ResponseError

from engine.domain import Message, Usage
from engine.errors import DependencyUnavailable
from engine.generation.port import Done, Prompt, Token

#: Seconds to wait for a connection, and for the next bytes: a cold model may load for two minutes.
_CONNECT_SECONDS = 5.0
_READ_SECONDS = 120.0
#: A label is a dozen tokens; the grammar also allows white space around it.
_LABEL_TOKENS = 32
_NOT_FOUND = 404


class OllamaChatModel:
    """Writes answers with one model. Fulfils `ChatModel`.

    Args:
        model: Its name in Ollama, such as `qwen3:1.7b`.
        host: Where Ollama listens.
        num_ctx: Context window in tokens; sent each time, because the server's own default cuts silently at 4k.
        num_predict: Longest answer in tokens.
    """

    def __init__(self, model: str, *, host: str, num_ctx: int, num_predict: int) -> None:
        self._name = model
        self._host = host
        self._chat = _client(model, host, num_ctx=num_ctx, num_predict=num_predict)

    @property
    def name(self) -> str:
        """The model's name in Ollama."""
        return self._name

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Token | Done]:
        """See `ChatModel.stream`."""
        messages = [_langchain(message) for message in prompt.messages]
        done: Done | None = None
        try:
            async with aclosing(self._chat.astream(messages)) as chunks:  # type: ignore[type-var]
                async for chunk in chunks:
                    if isinstance(chunk.content, str) and chunk.content:
                        yield Token(chunk.content)
                    done = _done(chunk) or done
        except Exception as error:
            raise _unavailable(error, self._name) from error
        if done is None:
            raise DependencyUnavailable("ollama", f"the answer of model {self._name} broke off")
        yield done

    async def ping(self) -> None:
        """See `ChatModel.ping`: the server answers and has the model."""
        try:
            async with httpx.AsyncClient(timeout=_CONNECT_SECONDS) as client:
                response = await client.post(f"{self._host}/api/show", json={"model": self._name})
                response.raise_for_status()
        except httpx.HTTPStatusError as error:
            raise _unavailable(ResponseError("", error.response.status_code), self._name) from error
        except httpx.HTTPError as error:
            raise _unavailable(error, self._name) from error

    async def close(self) -> None:
        """See `ChatModel.close`."""
        await _close(self._chat)


class OllamaLabeller:
    """Chooses a label with one model, bound to them by a JSON schema. Fulfils `classifier.decision.Labeller`."""

    def __init__(self, model: str, *, host: str, num_ctx: int) -> None:
        self._name = model
        self._chat = _client(model, host, num_ctx=num_ctx, num_predict=_LABEL_TOKENS, temperature=0.0)

    @property
    def name(self) -> str:
        """The model's name in Ollama."""
        return self._name

    async def label(self, prompt: str, labels: Sequence[str]) -> str:
        """The JSON object `{"type": label}` as the model wrote it.

        Raises:
            DependencyUnavailable: The model cannot be asked.
        """
        schema = {
            "type": "object",
            "properties": {"type": {"type": "string", "enum": list(labels)}},
            "required": ["type"],
        }
        try:
            answer = await self._chat.ainvoke([HumanMessage(prompt)], format=schema)
        except Exception as error:
            raise _unavailable(error, self._name) from error
        return answer.content if isinstance(answer.content, str) else ""

    async def close(self) -> None:
        """Closes the connections to the server. Idempotent."""
        await _close(self._chat)


def _client(model: str, host: str, *, num_ctx: int, num_predict: int, temperature: float = 0.2) -> ChatOllama:
    timeout = httpx.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS)
    return ChatOllama(
        model=model,
        base_url=host,
        reasoning=False,
        num_ctx=num_ctx,
        num_predict=num_predict,
        temperature=temperature,
        keep_alive="30m",
        client_kwargs={"timeout": timeout},
    )


async def _close(chat: ChatOllama) -> None:
    # langchain-ollama has no way of its own to close the clients it makes.
    chat._client.close()  # type: ignore[no-untyped-call]  # noqa: SLF001
    await chat._async_client.close()  # type: ignore[no-untyped-call]  # noqa: SLF001


def _langchain(message: Message) -> BaseMessage:
    kinds: dict[str, type[BaseMessage]] = {"system": SystemMessage, "user": HumanMessage, "assistant": AIMessage}
    return kinds[message.role](content=message.content)


def _done(chunk: Any) -> Done | None:
    """The last word in `chunk`'s metadata, where it has one (langchain adds an empty chunk behind it)."""
    if not isinstance(chunk, AIMessageChunk) or not chunk.response_metadata.get("done"):
        return None
    counted = chunk.usage_metadata
    usage = Usage(counted["input_tokens"], counted["output_tokens"]) if counted else Usage()
    return Done(usage, truncated=chunk.response_metadata.get("done_reason") == "length")


def _unavailable(error: Exception, model: str) -> Exception:
    """The error that says what is wrong without the other side's words; errors of our own pass unchanged."""
    problem = {
        httpx.ConnectError: "nothing listens at OLLAMA_HOST; start it with `ollama serve`",
        httpx.ConnectTimeout: "OLLAMA_HOST does not accept connections",
        httpx.ReadTimeout: f"model {model} sent nothing for {_READ_SECONDS:g} s",
        httpx.RemoteProtocolError: f"the answer of model {model} broke off",
        httpx.ReadError: f"the answer of model {model} broke off",
    }.get(type(error))  # type: ignore[arg-type]
    if isinstance(error, ResponseError):
        missing = error.status_code == _NOT_FOUND
        problem = f"it has no model {model}; run `ollama pull {model}`" if missing else f"model {model} failed"
    if isinstance(error, httpx.HTTPError | ConnectionError | OSError) and problem is None:
        problem = "it cannot be reached at OLLAMA_HOST"
    if isinstance(error, ValueError | TypeError | KeyError | AttributeError):  # no JSON, no message in it, or no line
        problem = f"the answer of model {model} cannot be read"
    return error if problem is None else DependencyUnavailable("ollama", problem)
