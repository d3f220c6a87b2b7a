"""What the commands share: settings, one event loop, JSON lines in and out."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from classifier.decision import IntentEntry, Query, QueryType
from engine import telemetry
from engine.errors import InvalidInput
from engine.settings import Settings, load_settings

_Result = TypeVar("_Result")

_EMPTY_INDEX = "note: the index is empty; fill it with `assistance-engine index PATH...`"
_FILLED_NOW = "note: nothing is in the index yet, as another command is filling it; ask again in a moment"

TYPES = click.Choice([type_.value for type_ in QueryType], case_sensitive=False)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one machine-readable object.")
jsonl_option = click.option(
    "--jsonl",
    type=click.File("r", encoding="utf-8"),
    help='A file of JSON lines ("-": standard input) such as {"query": "..."}; prints one line for each, in order.',
)


def settings_for_command(*, quiet: bool = True) -> Settings:
    """The settings, with logging set up; a command that prints results logs warnings only."""
    settings = load_settings()
    telemetry.configure_logging(settings.engine_log_format, "warning" if quiet else settings.engine_log_level)
    return settings


def run(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Runs `work` on an event loop of its own."""
    return asyncio.run(work)


def empty_index(settings: Settings) -> str:
    """What to say of an index without passages: `serve` may be filling it before it listens."""
    from engine.retrieval.local.lock import is_being_written

    filled_now = not settings.elasticsearch_url and is_being_written(settings.index_dir)
    return _FILLED_NOW if filled_now else _EMPTY_INDEX


@contextmanager
def uncollected() -> Iterator[None]:
    """What is made within is never looked at by the garbage collector, which does not run meanwhile.

    For the start of a process that serves: a collection of all generations goes over every object, those of the modules
    too, and held everything up for 0.1 to 0.2 s, again and again.

    Source: the documentation of `gc.freeze`.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
        gc.freeze()


def print_json(value: Any) -> None:
    """One object on one line."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


def print_report(found: dict[str, Any], report: Any, out: Path | None, *, as_json: bool) -> None:
    """Prints a report as its module `report` writes it; into a folder too, where one is named."""
    for path in report.write(found, out) if out else ():
        click.echo(f"written: {path}", err=True)
    if as_json:
        print_json(found)
    else:
        click.echo(report.markdown(found))


def say_progress(text: str, *, nl: bool = True) -> None:
    """Says on a terminal how far something is; nothing elsewhere."""
    if sys.stderr.isatty():
        click.echo(text, err=True, nl=nl)


def proto_json(message: Message) -> dict[str, Any]:
    """A message in proto JSON with the names of the .proto file, fields without a value included."""
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)


def json_lines(lines: Any) -> Iterator[dict[str, Any]]:
    """The objects of a JSON lines file, each with a non-empty `query`.

    Raises:
        InvalidInput: Naming the line.
    """
    for place, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            raise InvalidInput(f"line {place}", "is not JSON") from None
        if not isinstance(row, dict) or not isinstance(row.get("query"), str) or not row["query"].strip():
            raise InvalidInput(f"line {place}", 'is not an object with a "query" that is text')
        yield row


def query_of_row(row: dict[str, Any]) -> Query:
    """The router's query of a JSON line.

    Raises:
        InvalidInput: Its history or its type is not of the documented form.
    """
    declared = row.get("query_type") or None
    return Query(
        row["query"],
        declared=_type(declared) if declared else None,
        history=_history(row.get("history") or []),
        has_selection=bool(str(row.get("selected_text") or "").strip()),
        has_editor=bool(str(row.get("editor_content") or "").strip()),
        has_context=bool(str(row.get("extra_context") or "").strip()),
    )


def _history(items: Any) -> tuple[IntentEntry, ...]:
    """Intent history from items with a type, and from user messages, which count as RETRIEVAL until they are routed."""
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise InvalidInput("history", "is not a list of objects")
    entries = []
    for item in items:
        if "type" in item:
            entries.append(IntentEntry(_type(item["type"]), str(item.get("query", ""))))
        elif item.get("role") == "user":
            entries.append(IntentEntry(QueryType.RETRIEVAL, str(item.get("text", ""))))
        elif item.get("role") != "assistant":
            raise InvalidInput("history", 'needs items with "role" user or assistant and "text", or "type" and "query"')
    return tuple(entries)


def _type(name: Any) -> QueryType:
    try:
        return QueryType(str(name).upper())
    except ValueError:
        raise InvalidInput("type", f"{name!r} is not a query type; allowed are {', '.join(QueryType)}") from None
