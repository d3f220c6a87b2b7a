"""The tools: ask, search and classify, over the same service as the RPCs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import BaseModel

from engine.domain import Passage
from engine.errors import EngineError, NotFound, Overloaded
from engine.mcp import documents, forms
from engine.retrieval.port import Retriever
from engine.service import calls, methods, requests
from engine.text.material import encodable
from engine.v1 import engine_pb2 as pb

#: Told what an answer is at: the stage and its detail.
Report = Callable[[str], Awaitable[None]]

#: Searches that run at a time: all share the embedder with the questions.
_SEARCHES = 16
_RETRY_SECONDS = 1.0

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
TOOLS = (
    Tool(
        name="ask",
        title="Ask the documentation",
        description=(
            "Answers a question from the indexed documents, with citations, or writes code by them. Remembers the "
            "conversation: give the `session` of the answer with the next question."
        ),
        input_schema=forms.input_schema(forms.QuestionArguments),
        output_schema=forms.output_schema(forms.Answered),
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
    ),
    Tool(
        name="search",
        title="Search the documents",
        description="Finds passages of the indexed documents by words and by meaning. Nothing is remembered.",
        input_schema=forms.input_schema(forms.SearchArguments),
        output_schema=forms.output_schema(forms.Found),
        annotations=_READS,
    ),
    Tool(
        name="classify",
        title="Classify a question",
        description="Says how a question would be routed: its type, who decided and how surely. Nothing is remembered.",
        input_schema=forms.input_schema(forms.QuestionArguments),
        output_schema=forms.output_schema(forms.RouteTaken),
        annotations=_READS,
    ),
)


@dataclass(slots=True)
class Tools:
    """Runs the tools.

    Attributes:
        service: Answers and routes.
        retriever: Searches.
    """

    service: methods.AssistanceService
    retriever: Retriever
    _searching: int = field(default=0, init=False)

    async def run(self, name: str, arguments: dict[str, Any], call: calls.Call, report: Report) -> CallToolResult:
        """The result of one call.

        Args:
            name: Of the tool.
            arguments: As the caller sent them.
            call: Who calls.
            report: See `Report`.

        Raises:
            NotFound: There is no such tool.
            EngineError: What the service raises; arguments that are wrong are `InvalidInput`.
        """
        if name == "ask":
            return await self._ask(forms.read(forms.QuestionArguments, arguments), call, report)
        if name == "search":
            return await self._search(forms.read(forms.SearchArguments, arguments))
        if name == "classify":
            return await self._classify(forms.read(forms.QuestionArguments, arguments), call)
        raise NotFound(f"{name[:100]}: there is no such tool; there are {', '.join(tool.name for tool in TOOLS)}")

    async def _ask(self, asked: forms.QuestionArguments, call: calls.Call, report: Report) -> CallToolResult:
        request = pb.AgentRequest(**_fields(asked))
        async with aclosing(self.service.ask_agent_stream(request, call)) as events:
            async for event in events:
                kind = event.WhichOneof("event")
                if kind == "progress":
                    await report(" ".join(filter(None, (event.progress.stage, event.progress.detail))))
                elif kind == "completed":
                    return _result(_cited(event.completed), _answered(event.completed))
        raise EngineError("the answer ended without a result")

    async def _search(self, asked: forms.SearchArguments) -> CallToolResult:
        query = requests.classify_query(pb.ClassifyRequest(query=encodable(asked.query)), ())
        if self._searching >= _SEARCHES:
            raise Overloaded("engine: too many searches run at a time", _RETRY_SECONDS)
        self._searching += 1
        try:
            hits = [_hit(passage) for passage in await self.retriever.search(query.text, k=asked.k)]
        finally:
            self._searching -= 1
        lines = (f"{_place(hit)}\n{hit.text}" for hit in hits)
        return _result("\n\n".join(lines) or "Nothing was found.", forms.Found(hits=hits))

    async def _classify(self, asked: forms.QuestionArguments, call: calls.Call) -> CallToolResult:
        route = await self.service.classify(pb.ClassifyRequest(**_fields(asked)), call)
        taken = _taken(route)
        said = f"{taken.type} by {taken.layer} ({taken.confidence:.2f}; {taken.reason})"
        return _result(said, taken)


def _fields(asked: forms.QuestionArguments) -> dict[str, Any]:
    """The fields that both requests have."""
    texts = {name: getattr(asked, name) for name in ("query", "editor_content", "selected_text", "extra_context")}
    texts["session_id"] = asked.session
    return {name: encodable(text) for name, text in texts.items()} | {"query_type": asked.type or 0}


def _result(text: str, value: BaseModel) -> CallToolResult:
    content = TextContent(text=text)
    return CallToolResult(content=[content], structured_content=value.model_dump(mode="json"))


def _answered(answer: pb.AgentResponse) -> forms.Answered:
    return forms.Answered(
        text=answer.text,
        session=answer.session_id,
        turn_id=answer.turn_id,
        outcome=pb.Outcome.Name(answer.outcome).lower(),
        route=_taken(answer.route),
        citations=[_citation(one) for one in answer.citations],
        answerability=answer.answerability if answer.HasField("answerability") else None,
        grounding=answer.grounding if answer.HasField("grounding") else None,
    )


def _taken(route: pb.Route) -> forms.RouteTaken:
    return forms.RouteTaken.model_validate(
        {
            "type": pb.QueryType.Name(route.type),
            "layer": pb.Layer.Name(route.layer).lower(),
            "confidence": route.confidence,
            "runner_up": pb.QueryType.Name(route.runner_up) if route.runner_up else None,
            "reason": route.reason,
            "relation": pb.Relation.Name(route.relation) if route.relation else None,
            "relation_confidence": route.relation_confidence,
            "action": pb.Action.Name(route.action) if route.action else None,
            "search_query": route.search_query,
            "model": route.model,
        }
    )


def _citation(one: pb.Citation) -> forms.CitedPassage:
    return forms.CitedPassage(
        id=one.passage_id,
        document=one.document,
        heading=one.heading,
        text=one.text,
        uri=documents.uri_of(one.document),
        number=one.number,
    )


def _hit(passage: Passage) -> forms.Hit:
    return forms.Hit(
        id=passage.id,
        document=passage.document,
        heading=passage.heading,
        text=encodable(passage.text),
        uri=documents.uri_of(passage.document),
        score=passage.score,
    )


def _cited(answer: pb.AgentResponse) -> str:
    """The text of an answer, with its sources below."""
    lines = [f"[{one.number}] {_place(one)}" for one in answer.citations]
    return "\n".join([answer.text, *(["", *lines] if lines else [])])


def _place(passage: pb.Citation | forms.Hit) -> str:
    where = f"{passage.document} — {passage.heading}" if passage.heading else passage.document
    return f"{where} ({documents.uri_of(passage.document)})"
