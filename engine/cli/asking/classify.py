"""The router on its own: decisions, whole preparations, and training."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, cast

import click

from classifier.cascade import Cascade
from classifier.decision import Decision, Query
from engine.cli.common import (
    json_lines,
    json_option,
    jsonl_option,
    print_json,
    proto_json,
    query_of_row,
    run,
    settings_for_command,
)
from engine.conversation.store.port import Conversation, SessionStore
from engine.domain import Evidence, Passage, Route
from engine.errors import InvalidInput
from engine.settings import Settings

_BATCH = 256

#: From a row and its decision to the route with its plan.
Prepare = Callable[[dict[str, Any], Decision], Awaitable[Route]]


@click.command()
@click.argument("query", required=False)
@jsonl_option
@json_option
def classify(query: str | None, jsonl: Any, as_json: bool) -> None:
    """Route a query without answering it. Prints the receipt."""
    run(_each(settings_for_command(), query, jsonl, as_json=as_json, prepared=False))


@click.command()
@click.argument("query", required=False)
@jsonl_option
@json_option
def plan(query: str | None, jsonl: Any, as_json: bool) -> None:
    """Prepare a query without searching or answering: route, relation, action, plan and search query."""
    run(_each(settings_for_command(), query, jsonl, as_json=as_json, prepared=True))


async def _each(settings: Settings, query: str | None, jsonl: Any, *, as_json: bool, prepared: bool) -> None:
    if (query is None) == (jsonl is None):
        raise InvalidInput("query", "give either a query or --jsonl FILE")
    async with _router(settings) as (router, prepare):
        if query is not None:
            row = {"query": query}
            decision = await router.decide(query_of_row(row), every_layer=not prepared)
            _print(await _receipt(row, decision, prepare if prepared else None), as_json=as_json)
            return
        batch: list[dict[str, Any]] = []
        for row in json_lines(jsonl):
            batch.append(row)
            if len(batch) == _BATCH:
                await _decide_batch(router, batch, prepare if prepared else None)
                batch = []
        await _decide_batch(router, batch, prepare if prepared else None)


async def _decide_batch(router: Cascade, rows: list[dict[str, Any]], prepare: Prepare | None) -> None:
    queries: list[Query] = [query_of_row(row) for row in rows]
    decisions = await asyncio.gather(*(router.decide(query) for query in queries))
    for row, decision in zip(rows, decisions, strict=True):
        print_json(await _receipt(row, decision, prepare))


async def _receipt(row: dict[str, Any], decision: Decision, prepare: Prepare | None) -> dict[str, Any]:
    from engine.service import convert

    if prepare is None:
        return proto_json(convert.decision_message(decision))
    return proto_json(convert.route_message(await prepare(row, decision)))


async def _prepared(row: dict[str, Any], decision: Decision, models: Any, workflow: Any) -> Route:
    """The route with its plan, as the prepare graph would have it."""
    from engine.answering.nodes import exchanges_of, route_of
    from engine.conversation.followup.resolve import resolve
    from engine.domain import Turn

    turn = Turn(
        row["query"],
        "plan",
        selected_text=str(row.get("selected_text") or ""),
        editor_content=str(row.get("editor_content") or ""),
    )
    conversation = _remembered(row.get("history") or [])
    resolution = await resolve(turn, decision, conversation, cast("SessionStore", _Told(conversation)))
    route = route_of(decision, models, resolution)
    planned = await workflow.planned(turn, route, exchanges_of(conversation.recent), lambda _: None)
    return cast("Route", planned.route)


class _Told:
    """Stands where the store would: the answers of a given history are all that is known of what was shown."""

    def __init__(self, conversation: Conversation) -> None:
        self._turns = conversation.recent

    async def evidence(self, principal: str, session_id: str, numbers: Sequence[int]) -> list[Evidence]:
        """The answers of those turns, as passages."""
        del principal, session_id
        told = [turn for turn in self._turns if turn.sequence in numbers]
        return [Evidence(turn.sequence, Passage(turn.turn_id, "", "", turn.query, turn.answer)) for turn in told]


def _remembered(items: list[dict[str, Any]]) -> Conversation:
    from classifier.decision import Layer, QueryType
    from engine.conversation.store.port import TurnRecord
    from engine.domain import Action, Outcome

    records: list[TurnRecord] = []
    for item in items:
        text = str(item.get("text", item.get("query", "")))
        if item.get("role") == "assistant" and records:
            records[-1] = replace(records[-1], answer=text, shown=(len(records),))
        elif item.get("role") != "assistant":
            type_ = QueryType(str(item.get("type", QueryType.RETRIEVAL)).upper())
            record = TurnRecord("given", "local", "plan", text, "", type_, Layer.DECLARED, Outcome.COMPLETE, 0.0)
            record = replace(record, sequence=len(records) + 1)
            searched = {"action": Action.FRESH, "search_query": text} if type_.searches else {}
            records.append(replace(record, **searched))  # type: ignore[arg-type]
    return Conversation(tuple(records), len(records))


@asynccontextmanager
async def _router(settings: Settings) -> AsyncIterator[tuple[Cascade, Prepare]]:
    from engine import bootstrap
    from engine.bootstrap import tools
    from engine.generation.extractive.answerer import ExtractiveAnswerer

    embedder = bootstrap.build_embedder(settings)
    served = bootstrap.build_served(settings)
    routing = bootstrap.build_routing(settings, embedder, served)
    models = bootstrap.build_models(settings, ExtractiveAnswerer(embedder), served)
    workflow, close = tools.build_workflow(settings, _NoDocuments(), served)

    async def prepare(row: dict[str, Any], decision: Decision) -> Route:
        return await _prepared(row, decision, models, workflow)

    try:
        yield routing.cascade, prepare
    finally:
        await close()
        await models.close()
        await routing.close()


class _NoDocuments:
    """Stands where the index would: a plan that is printed is not carried out."""

    async def search(self, query: str, *, k: int = 8) -> list[Passage]:
        """Nothing."""
        del query, k
        return []


def _print(receipt: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(receipt)
        return
    for name in (
        "type",
        "layer",
        "confidence",
        "runner_up",
        "reason",
        "editor",
        "relation",
        "relation_confidence",
        "relation_reason",
        "action",
        "plan_mode",
        "search_query",
    ):
        value = receipt.get(name)
        if value not in (None, "", "RELATION_UNSPECIFIED", "ACTION_UNSPECIFIED"):
            click.echo(f"{name:14} {value:.3f}" if isinstance(value, float) else f"{name:14} {value}")
    for part in receipt.get("plan", {}).get("subqueries", ()):
        click.echo(f"  {part['id']:4} {part['tool']:12} {part['query']}")
    for opinion in receipt.get("opinions", ()):
        said = "abstains" if opinion["type"] == "QUERY_TYPE_UNSPECIFIED" else opinion["type"]
        click.echo(
            f"  {opinion['layer']:10} {said:15} {opinion['confidence']:.3f}  {opinion['reason']}"
            f"  {opinion['milliseconds']:.2f} ms"
        )
