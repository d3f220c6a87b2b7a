"""The router on its own: decisions, whole preparations, and training."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

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
from engine.domain import Route
from engine.errors import InvalidInput
from engine.settings import Settings

_BATCH = 256


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
    async with _router(settings) as (router, model):
        if query is not None:
            row = {"query": query}
            decision = await router.decide(query_of_row(row), every_layer=not prepared)
            _print(_receipt(row, decision, model, prepared=prepared), as_json=as_json)
            return
        batch: list[dict[str, Any]] = []
        for row in json_lines(jsonl):
            batch.append(row)
            if len(batch) == _BATCH:
                await _decide_batch(router, batch, model, prepared=prepared)
                batch = []
        await _decide_batch(router, batch, model, prepared=prepared)


async def _decide_batch(router: Cascade, rows: list[dict[str, Any]], model: Any, *, prepared: bool) -> None:
    queries: list[Query] = [query_of_row(row) for row in rows]
    decisions = await asyncio.gather(*(router.decide(query) for query in queries))
    for row, decision in zip(rows, decisions, strict=True):
        print_json(_receipt(row, decision, model, prepared=prepared))


def _receipt(row: dict[str, Any], decision: Decision, model: Any, *, prepared: bool) -> dict[str, Any]:
    from engine.rpc import convert

    if not prepared:
        return proto_json(convert.decision_message(decision))
    return proto_json(convert.route_message(_prepared(row, decision, model)))


def _prepared(row: dict[str, Any], decision: Decision, models: Any) -> Route:
    """The route as the prepare graph would have it."""
    from engine.domain import Turn
    from engine.nodes import route_of

    turn = Turn(
        row["query"],
        "plan",
        selected_text=str(row.get("selected_text") or ""),
        editor_content=str(row.get("editor_content") or ""),
    )
    return route_of(turn, decision, _remembered(row.get("history") or []), models)


def _remembered(items: list[dict[str, Any]]) -> Any:
    from classifier.decision import Layer, QueryType
    from engine.conversation.store import Conversation, TurnRecord
    from engine.domain import Action, Outcome

    records: list[TurnRecord] = []
    for item in items:
        text = str(item.get("text", item.get("query", "")))
        if item.get("role") == "assistant" and records:
            records[-1] = replace(records[-1], answer=text)
        elif item.get("role") != "assistant":
            type_ = QueryType(str(item.get("type", QueryType.RETRIEVAL)).upper())
            record = TurnRecord("given", "local", "plan", text, "", type_, Layer.DECLARED, Outcome.COMPLETE, 0.0)
            searched = {"action": Action.FRESH, "search_query": text} if type_.searches else {}
            records.append(replace(record, **searched))  # type: ignore[arg-type]
    return Conversation(tuple(records), len(records))


@asynccontextmanager
async def _router(settings: Settings) -> AsyncIterator[tuple[Cascade, Any]]:
    from engine import bootstrap

    embedder = bootstrap.build_embedder(settings)
    routing = bootstrap.build_routing(settings, embedder)
    try:
        yield routing.cascade, bootstrap.build_models(settings, embedder)
    finally:
        await routing.close()


def _print(receipt: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(receipt)
        return
    for name in ("type", "layer", "confidence", "runner_up", "reason", "editor", "relation", "action", "search_query"):
        value = receipt.get(name)
        if value not in (None, "", "RELATION_UNSPECIFIED", "ACTION_UNSPECIFIED"):
            click.echo(f"{name:14} {value:.3f}" if isinstance(value, float) else f"{name:14} {value}")
    for opinion in receipt.get("opinions", ()):
        click.echo(
            f"  {opinion['layer']:10} {opinion['type']:22} {opinion['confidence']:.3f}  {opinion['reason']}"
            f"  {opinion['milliseconds']:.2f} ms"
        )
