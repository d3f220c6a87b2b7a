"""What every tool promises, and the set of those that are configured."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.domain import Passage
from engine.errors import ConfigurationError, EngineError

Arguments = Mapping[str, object]
#: Characters of a result's text: what a prompt can hold several of.
MAX_RESULT_CHARS = 8_000
#: Characters of a query.
MAX_QUERY_CHARS = 2_000
#: The schema of the one argument that every tool takes.
QUERY_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"query": {"type": "string", "minLength": 1, "maxLength": MAX_QUERY_CHARS}},
    "required": ["query"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool found, or why it found nothing.

    Attributes:
        text: At most `MAX_RESULT_CHARS`, with a note at the end where more was cut. It is data, whatever it says.
        error: One sentence of the engine's own, without anyone's text; empty when there is a result.
        passages: What it found, where that is passages of documents; their text is not repeated in `text`.
    """

    text: str = ""
    error: str = ""
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as the planner is told about it."""

    name: str
    description: str


class Tool(Protocol):
    """Looks something up, or works something out.

    Promise: `call` returns a `ToolResult` for any arguments at all and raises nothing but `CancelledError`; it never
    blocks the event loop, keeps to `seconds` by itself where it can, and leaves nothing running when it is cancelled.
    Calls may overlap. It changes nothing in the world.
    """

    @property
    def name(self) -> str:
        """How plans name it: lower case letters, digits and underscores."""
        ...

    @property
    def description(self) -> str:
        """What it is for and how its query is written, for the planner."""
        ...

    @property
    def schema(self) -> Mapping[str, object]:
        """JSON schema of its arguments."""
        ...

    @property
    def seconds(self) -> float:
        """The time that one call may take."""
        ...

    async def call(self, arguments: Arguments) -> ToolResult:
        """The result for `arguments`, at least `{"query": ...}`."""
        ...

    async def close(self) -> None:
        """Gives back what it holds. Idempotent."""
        ...


class Tools:
    """The tools that are configured, by name.

    Raises:
        ConfigurationError: Two tools have one name.
    """

    def __init__(self, tools: Sequence[Tool] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if len(self._tools) != len(tools):
            raise ConfigurationError(f"tools: a name is given twice among {', '.join(tool.name for tool in tools)}")

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What the planner may choose among."""
        return tuple(Offer(tool.name, tool.description) for tool in self._tools.values())

    def get(self, name: str) -> Tool | None:
        """The tool of that name, if it is configured."""
        return self._tools.get(name)

    async def close(self) -> None:
        """Closes all of them. Idempotent."""
        for tool in self._tools.values():
            await tool.close()


def query_in(arguments: Arguments) -> str:
    """The query, once `arguments` has been held against `QUERY_SCHEMA`; empty when it does not fit."""
    query = arguments.get("query")
    fits = isinstance(query, str) and query.strip() and len(query) <= MAX_QUERY_CHARS and len(arguments) == 1
    return str(query) if fits else ""


#: The result for arguments that do not fit.
BAD_ARGUMENTS = ToolResult(error=f"it takes one query of at most {MAX_QUERY_CHARS} characters")


def limited(text: str, limit: int = MAX_RESULT_CHARS) -> str:
    """`text`, cut to `limit` characters with a note that says so."""
    if len(text) <= limit:
        return text
    note = f"\n[cut: {len(text)} characters came]"
    return text[: limit - len(note)] + note


def tool_passage(tool: str, description: str, text: str) -> Passage:
    """A tool's text as a passage, so that it is numbered, cited and shown like any other.

    Its id is made from tool and text: the same answer of the same tool is the same passage in a session's ledger.
    """
    digest = hashlib.sha256(f"{tool}\0{text}".encode("utf-8", "replace")).hexdigest()[:16]
    return Passage(f"tool-{digest}", f"tool:{tool}", tool, description, text)


class QueryTool:
    """A tool whose only argument is a query; one that holds something gives it back in `close`."""

    schema = QUERY_SCHEMA

    async def call(self, arguments: Arguments) -> ToolResult:
        """See `Tool.call`."""
        query = query_in(arguments)
        return await self.answer(query) if query else BAD_ARGUMENTS

    async def answer(self, query: str) -> ToolResult:
        """The result for a query that fits."""
        raise NotImplementedError

    async def close(self) -> None:
        """See `Tool.close`: nothing is held."""


class Searcher(Protocol):
    """What `kb` needs of a retriever: `engine.retrieval.port.Retriever` is one."""

    async def search(self, query: str, *, k: int = 8) -> list[Passage]:
        """The best `k` passages for `query`; raises an `EngineError` when it cannot be asked."""
        ...


class KnowledgeBase(QueryTool):
    """The indexed documents as a tool. Fulfils `Tool`.

    It does not close the retriever, which others use too.

    Args:
        retriever: Searches.
        passages: How many a search gives.
        seconds: Budget of a search.
    """

    name = "kb"
    description = "The indexed documentation of the platform. Query: a standalone question or key words."

    def __init__(self, retriever: Searcher, *, passages: int = 8, seconds: float = 2.0) -> None:
        self._retriever = retriever
        self._passages = passages
        self.seconds = seconds

    async def answer(self, query: str) -> ToolResult:
        """The passages found."""
        try:
            found = await self._retriever.search(query, k=self._passages)
        except EngineError:
            return ToolResult(error="the index cannot be searched now")
        kept = tuple(replace(passage, text=limited(passage.text)) for passage in found)
        return ToolResult(passages=kept, error="" if kept else "nothing was found")
