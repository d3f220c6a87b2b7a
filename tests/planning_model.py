"""A model for planning tests that can only read its prompt: what it writes follows from the sections it is given."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.domain import Message

Sections = dict[str, str]


def sections(messages: Sequence[Message]) -> Sections:
    """The sections of the last message, by name."""
    return dict(re.findall(r"<(\w+)>\n(.*?)\n</\1>", messages[-1].content, re.DOTALL))


class ReadingModel:
    """A `StructuredModel` whose answer is made from its prompt alone; it keeps the prompts.

    Args:
        write: The answer, from the sections of the prompt and the schema: a text, or what is to be written as JSON.
        before: Awaited first: to hang, or to fail.
    """

    name = "reading"

    def __init__(
        self, write: Callable[[Sections, Mapping[str, Any]], Any], *, before: Callable[[], Any] | None = None
    ) -> None:
        self._write = write
        self._before = before
        self.prompts: list[tuple[Message, ...]] = []
        self.cancelled = 0

    async def complete(self, messages: Sequence[Message], schema: Mapping[str, Any]) -> str:
        """See `StructuredModel.complete`."""
        self.prompts.append(tuple(messages))
        try:
            if self._before is not None:
                await self._before()
        except BaseException:
            self.cancelled += 1
            raise
        written = self._write(sections(messages), schema)
        return written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)


def plan_json(*subqueries: tuple[str, str], reason: str = "because") -> dict[str, Any]:
    """A plan of (tool, query) pairs."""
    modes = ["direct_llm", "single_retrieval", "multi_retrieval"]
    return {
        "mode": modes[min(len(subqueries), 2)],
        "reason": reason,
        "complexity": "complex" if len(subqueries) > 1 else "simple",
        "subqueries": [
            {"id": f"q{n}", "description": query, "query": query, "tool": tool, "priority": 1}
            for n, (tool, query) in enumerate(subqueries, 1)
        ],
    }


def evaluation_json(*followups: tuple[str, str], issues: Sequence[str] = (), score: float = 0.5) -> dict[str, Any]:
    """An evaluation with (tool, query) pairs as follow-ups; complete when there are none and no issues."""
    complete = not followups and not issues
    return {
        "complete": complete,
        "completeness_score": 1.0 if complete else score,
        "issues": list(issues),
        "followup_subqueries": [
            {"id": f"f{n}", "description": query, "query": query, "tool": tool, "priority": 1}
            for n, (tool, query) in enumerate(followups, 1)
        ],
    }
