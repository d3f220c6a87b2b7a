"""Asking one question, through the running service or in this process."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

import click

from engine.cli.asking.connecting import client_of
from engine.cli.common import TYPES, empty_index, json_option, print_json, proto_json, run, settings_for_command
from engine.errors import InvalidInput
from engine.settings import Settings
from engine.v1 import engine_pb2 as pb

_MOST_CHARS = 131_072


class Assistant(Protocol):
    """Answers: the running service, or an engine in this process."""

    def stream(self, query: str, **fields: Any) -> AsyncGenerator[pb.AgentEvent]:
        """The events of an answer."""
        ...


@click.command()
@click.argument("query")
@click.option("--session", default="", help="Continue, or start, the session of this id.")
@click.option("--type", "type_", type=TYPES, help="Declare the query type instead of having it decided.")
@click.option("--file", "file", type=click.Path(path_type=Path), help="The file open in the editor.")
@click.option("--selection", default="", help="The code selected in the editor.")
@click.option("--context", default="", help="Platform data; @FILE reads it from a file.")
@click.option("--user", default="", help="What the platform knows of the user.")
@json_option
def ask(
    query: str,
    session: str,
    type_: str | None,
    file: Path | None,
    selection: str,
    context: str,
    user: str,
    as_json: bool,
) -> None:
    """Ask one question. Uses the service when it runs, else answers in this process."""
    fields = {
        "session_id": session,
        "selected_text": selection,
        "editor_content": _read(file) if file else "",
        "extra_context": _read(Path(context[1:])) if context.startswith("@") else context,
        "user_info": user,
        "query_type": (type_ or "QUERY_TYPE_UNSPECIFIED").upper(),
    }
    run(_ask(settings_for_command(), query, fields, as_json=as_json))


async def _ask(settings: Settings, query: str, fields: dict[str, Any], *, as_json: bool) -> None:
    async with open_assistant(settings) as assistant:
        answer = await show(assistant, query, fields, silent=as_json)
    if as_json:
        print_json(proto_json(answer))


async def show(
    assistant: Assistant,
    query: str,
    fields: dict[str, Any],
    *,
    silent: bool = False,
    stage: Callable[[str], None] = lambda _: None,
) -> pb.AgentResponse:
    """Prints the answer while it comes, then its sources and its receipt; the whole answer.

    Args:
        assistant: Is asked.
        query: The message.
        fields: Further fields of the request.
        silent: Print nothing.
        stage: Told what the engine is doing until the text begins, and then an empty text.
    """
    answer = pb.AgentResponse()
    stage("")
    async with aclosing(assistant.stream(query, **fields)) as events:
        async for event in events:
            if event.WhichOneof("event") == "completed":
                answer = event.completed
            elif event.WhichOneof("event") == "progress":
                stage(" ".join(filter(None, (event.progress.stage, event.progress.detail))))
            elif event.text_delta and not silent:
                stage("")
                sys.stdout.write(event.text_delta)
                sys.stdout.flush()
    if not silent:
        sys.stdout.write("\n")
        click.echo(receipt(answer))
    return answer


def receipt(answer: pb.AgentResponse) -> str:
    """The sources of an answer, and how it came about, for people."""
    lines = [""]
    for citation in answer.citations:
        where = f"{citation.document} — {citation.heading}" if citation.heading else citation.document
        lines.append(f"[{citation.number}] {where}")
    route = answer.route
    layer = pb.Layer.Name(route.layer).lower()
    sure = f" {route.confidence:.2f}" if route.confidence else ""
    facts = [
        f"{pb.QueryType.Name(route.type)} by {layer}{sure}",
        f"{answer.searches} search" + ("es" if answer.searches != 1 else ""),
        route.model,
        f"{answer.timings.get('total', 0):.0f} ms",
    ]
    if answer.outcome != pb.COMPLETE:
        facts.append(pb.Outcome.Name(answer.outcome).lower())
    return "\n".join([*lines, click.style(" · ".join(facts), dim=True)])


@asynccontextmanager
async def open_assistant(settings: Settings) -> AsyncGenerator[Assistant]:
    """The running service's client, or an engine in this process when none runs."""
    async with client_of(settings, settings.engine_grpc_address) as client:
        if await client.serving():
            yield client
            return
    from engine import bootstrap

    async with bootstrap.engine(settings) as engine:
        if not await engine.retriever.count():
            click.echo(empty_index(settings), err=True)
        yield _InProcess(engine.answers)


class _InProcess:
    """The engine in this process, behind the same requests and events as over the wire."""

    def __init__(self, answers: Any) -> None:
        self._answers = answers

    async def stream(self, query: str, **fields: Any) -> AsyncGenerator[pb.AgentEvent]:
        from engine.client import request_fields
        from engine.service import convert, requests

        asked = pb.AgentRequest(**request_fields(query, fields))
        turn = requests.turn(asked, principal="local", deadline=None)
        async with aclosing(self._answers.answer(turn)) as events:
            async for event in events:
                yield convert.event(event)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")[:_MOST_CHARS]
    except OSError as error:
        raise InvalidInput(str(path), f"cannot be read ({error.strerror}); name a file of text") from error
