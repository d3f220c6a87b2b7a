"""Bodies of chat completions: the request checked field by field, and the objects of the response."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engine.errors import InvalidInput
from engine.text.material import encodable
from engine.v1 import engine_pb2 as pb
from engine.web.openai.errors import UnknownModel

#: The models and the query type that each declares.
MODELS: dict[str, str] = {
    "assist": "QUERY_TYPE_UNSPECIFIED",
    "assist:retrieval": "RETRIEVAL",
    "assist:code": "CODE_GENERATION",
    "assist:conversational": "CONVERSATIONAL",
    "assist:platform": "PLATFORM",
}
#: Fields of ours that a request may have beside OpenAI's, as `extra_body` of its clients sends them.
_OWN = ("session_id", "editor_content", "selected_text", "extra_context", "user_info")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A question that was answered before, as the client tells it."""

    query: str
    answer: str


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request for a chat completion.

    Attributes:
        instructions: The system's messages. They are the figures where the account is asked about.
        before: What was said before the question, oldest first.
        own: Fields of ours by name.
        with_usage: Whether a stream ends with the tokens that were used.
    """

    model: str
    query: str
    instructions: str = ""
    before: tuple[Exchanged, ...] = ()
    own: tuple[tuple[str, str], ...] = ()
    stream: bool = False
    with_usage: bool = False

    @property
    def session_id(self) -> str:
        """The session that the body names; empty where it names none."""
        return dict(self.own).get("session_id", "")

    def agent_request(self, session_id: str) -> pb.AgentRequest:
        """The same as the engine is asked."""
        fields = dict(self.own) | {"session_id": session_id}
        if MODELS[self.model] == "PLATFORM" and "extra_context" not in fields:
            fields["extra_context"] = self.instructions
        return pb.AgentRequest(query=self.query, query_type=MODELS[self.model], **fields)


def object_of(data: bytes) -> dict[str, Any]:
    """A body as a JSON object. Raises `InvalidInput`."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        raise InvalidInput("body", "is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise InvalidInput("body", "must be a JSON object")
    return value


def chat_request(body: dict[str, Any]) -> ChatRequest:
    """A checked request.

    Sampling, length and tools are the engine's own to decide: those fields are read over. What would make another
    answer than the one asked for is refused: several choices, and forms other than text.

    Raises:
        InvalidInput: Naming the field.
        UnknownModel: There is no such model.
    """
    model = _model(body)
    if body.get("n") not in (None, 1):
        raise InvalidInput("n", "must be 1: one answer is made")
    form = body.get("response_format")
    if form is not None and not (isinstance(form, dict) and form.get("type") == "text"):
        raise InvalidInput("response_format", 'must be {"type": "text"}: answers are text')
    messages = _messages(body.get("messages"))
    if messages[-1][0] != "user":
        raise InvalidInput("messages", "the last one must be of the role user: it is what is answered")
    stream = _flag(body, "stream")
    options = body.get("stream_options")
    if options is not None and not isinstance(options, dict):
        raise InvalidInput("stream_options", "must be an object")
    return ChatRequest(
        model,
        messages[-1][1],
        "\n\n".join(text for role, text in messages if role in ("system", "developer")),
        tuple(_exchanged(messages[:-1])),
        tuple((name, _text(body, name)) for name in _OWN if body.get(name)),
        stream,
        stream and _flag(options or {}, "include_usage", "stream_options.include_usage"),
    )


def _model(body: dict[str, Any]) -> str:
    name = body.get("model")
    if not isinstance(name, str) or not name:
        raise InvalidInput("model", f"is required: one of {', '.join(MODELS)}")
    if name not in MODELS:
        raise UnknownModel(name, list(MODELS))
    return name


def _messages(given: Any) -> list[tuple[str, str]]:
    """Role and text of every message."""
    if not isinstance(given, list) or not given:
        raise InvalidInput("messages", "must be a list of at least one message")
    return [_message(f"messages[{place}]", message) for place, message in enumerate(given)]


def _message(field: str, message: Any) -> tuple[str, str]:
    if not isinstance(message, dict):
        raise InvalidInput(field, "must be an object with role and content")
    role, content = message.get("role"), message.get("content")
    if role not in _ROLES:
        raise InvalidInput(f"{field}.role", f"must be one of {', '.join(_ROLES)}")
    if content is None and role in ("assistant", "tool", "function"):
        return role, ""  # a message that called a tool
    if isinstance(content, str):
        return role, encodable(content)
    if not isinstance(content, list):
        raise InvalidInput(f"{field}.content", "must be text, or a list of parts of the type text")
    return role, encodable("\n".join(_part(f"{field}.content[{place}]", part) for place, part in enumerate(content)))


def _part(field: str, part: Any) -> str:
    if not isinstance(part, dict) or part.get("type") not in ("text", "refusal"):
        raise InvalidInput(field, "must be a part of the type text: pictures, sound and files are not read")
    text = part.get(part["type"])
    if not isinstance(text, str):
        raise InvalidInput(f"{field}.{part['type']}", "must be text")
    return text


def _exchanged(messages: Iterable[tuple[str, str]]) -> Iterable[Exchanged]:
    """Questions with their answers; a question that was not answered is left out."""
    query = ""
    for role, text in messages:
        if role == "user":
            query = text
        elif role == "assistant" and query.strip() and text.strip():
            yield Exchanged(query, text)
            query = ""


def _flag(body: dict[str, Any], name: str, field: str = "") -> bool:
    value = body.get(name)
    if value is not None and not isinstance(value, bool):
        raise InvalidInput(field or name, "must be true or false")
    return bool(value)


def _text(body: dict[str, Any], name: str) -> str:
    value = body[name]
    if not isinstance(value, str):
        raise InvalidInput(name, "must be text")
    return encodable(value)


@dataclass(frozen=True, slots=True)
class Completion:
    """Makes the objects of one completion.

    Attributes:
        created: Unix seconds.
    """

    id: str
    created: int
    model: str

    def chunk(self, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        """A piece of a stream."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**self._head("chat.completion.chunk"), "choices": [choice]}

    def usage_chunk(self, answer: pb.AgentResponse) -> dict[str, Any]:
        """The piece with the tokens that were used: the last one, and without a choice."""
        return {**self._head("chat.completion.chunk"), "choices": [], "usage": usage(answer)}

    def whole(self, answer: pb.AgentResponse) -> dict[str, Any]:
        """A completion at once."""
        text = answer.text + sources(answer)
        message = {"role": "assistant", "content": text, "refusal": None, "annotations": cited_places(answer)}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish_reason(answer)}
        return {**self._head("chat.completion"), "choices": [choice], "usage": usage(answer)}

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def usage(answer: pb.AgentResponse) -> dict[str, int]:
    """Tokens as the model counted them; zero where the answer was quoted without one."""
    prompt, completion = answer.usage.prompt_tokens, answer.usage.completion_tokens
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def finish_reason(answer: pb.AgentResponse) -> str:
    """Why the answer ended."""
    return "length" if answer.outcome == pb.PARTIAL else "stop"


#: The heading of an answer's sources. Its text is read again when a client sends the answer back.
SOURCES = "\n\n---\n"


def sources(answer: pb.AgentResponse) -> str:
    """What `[n]` in the text stands for, as text; empty where nothing is cited."""
    if not answer.citations:
        return ""
    lines = (
        f"[{one.number}] {one.document} — {one.heading}" if one.heading else f"[{one.number}] {one.document}"
        for one in answer.citations
    )
    return SOURCES + "\n".join(lines)


def cited_places(answer: pb.AgentResponse) -> list[dict[str, Any]]:
    """Where in the text which document is cited; `url` is the document's name in the index."""
    found = []
    for one in answer.citations:
        mark, start = f"[{one.number}]", 0
        while (start := answer.text.find(mark, start)) >= 0:
            place = {"start_index": start, "end_index": start + len(mark), "url": one.document, "title": one.heading}
            found.append({"type": "url_citation", "url_citation": place})
            start += len(mark)
    return found
