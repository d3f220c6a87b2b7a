"""Asking a model for JSON: the Protocol, and a call that comes back in time with JSON or with the reason why not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from engine.domain import Message
from engine.errors import EngineError

#: Sections of our prompts: none of them may be opened or closed by text that stands in one.
_TAG = re.compile(r"<(?=/?\s*(?:tools|conversation|question|plan|evidence|result|draft)\b)", re.IGNORECASE)
#: Seconds that a plan or a judgement has.
SECONDS = 10.0


class StructuredModel(Protocol):
    """A model whose output is bound to a JSON schema.

    Promise: `complete` never blocks the event loop, raises `DependencyUnavailable` when the model cannot be asked,
    `Overloaded` when it is full and nothing else, and closes its connection when it is cancelled. What comes back may
    still be anything: it was cut at a limit, or the model knows no schemas.
    """

    @property
    def name(self) -> str:
        """For the receipt."""
        ...

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> str:
        """The model's answer to `messages`, JSON that fits `schema` if all went well."""
        ...


class NoAnswer(Exception):
    """The model did not answer; the text is a reason code: `late` or `unavailable`."""


async def ask(model: StructuredModel, messages: Sequence[Message], schema: Mapping[str, Any], seconds: float) -> str:
    """What `model` writes within `seconds`.

    Raises:
        NoAnswer: It did not.
    """
    try:
        async with asyncio.timeout(seconds):
            return await model.complete(messages, schema)
    except TimeoutError:
        raise NoAnswer("late") from None
    except EngineError:
        raise NoAnswer("unavailable") from None


def section(name: str, content: str) -> str:
    """`content` as a section of a prompt, empty when there is none; tags in it are taken out of force."""
    return f"<{name}>\n{_TAG.sub('&lt;', content)}\n</{name}>" if content.strip() else ""
