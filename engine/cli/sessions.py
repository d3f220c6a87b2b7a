"""What is remembered: looking at it, taking it along, forgetting it; also while the service runs."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import click

from engine.cli.common import json_option, print_json, proto_json, run, settings_for_command
from engine.conversation.store.forgetting import forget
from engine.conversation.store.locks import Leases
from engine.conversation.store.port import SessionStore
from engine.identity.port import LOCAL
from engine.v1 import engine_pb2 as pb

_principal_option = click.option(
    "--principal",
    default=LOCAL.principal,
    show_default=True,
    help="Whose: as `keys list` shows it, or the issuer and `sub` of a token with a space between.",
)


@asynccontextmanager
async def _store() -> AsyncGenerator[SessionStore]:
    from engine import bootstrap

    store = bootstrap.open_store(settings_for_command())
    try:
        yield store
    finally:
        await store.close()


@click.group()
def sessions() -> None:
    """List, show, export or delete remembered sessions."""


@sessions.command("list")
@click.option("--limit", default=50, show_default=True, type=click.IntRange(1, 200))
@_principal_option
@json_option
def list_sessions(limit: int, principal: str, as_json: bool) -> None:
    """The sessions, the most recently used first."""
    run(_list(principal, limit, as_json=as_json))


async def _list(principal: str, limit: int, *, as_json: bool) -> None:
    from engine.service import convert

    async with _store() as store:
        page = await store.sessions(principal, size=limit)
    if as_json:
        print_json(proto_json(convert.session_page(page)))
        return
    for summary in page.sessions:
        used = datetime.fromtimestamp(summary.updated_at, UTC).strftime("%Y-%m-%d %H:%M")
        title = " ".join((summary.name or summary.first_query).split())[:60]
        click.echo(
            f"{summary.session_id}  {used}  {summary.turns:4} {'turn ' if summary.turns == 1 else 'turns'}  {title}"
        )


@sessions.command()
@click.argument("session_id")
@_principal_option
@json_option
def show(session_id: str, principal: str, as_json: bool) -> None:
    """One session with its turns."""
    session = run(_read(principal, session_id))
    if as_json:
        print_json(proto_json(session))
        return
    for turn in session.turns:
        type_ = pb.QueryType.Name(turn.corrected_type or turn.type)
        click.echo(click.style(f"{turn.sequence}. [{type_}] {turn.query}", bold=True))
        click.echo(f"{turn.text}\n")


@sessions.command()
@click.argument("session_id")
@_principal_option
@json_option
def export(session_id: str, principal: str, as_json: bool) -> None:
    """One session as JSON, with everything that is stored of it."""
    del as_json  # it is, with and without
    print_json(proto_json(run(_read(principal, session_id))))


@sessions.command()
@click.argument("session_id")
@_principal_option
@json_option
def delete(session_id: str, principal: str, as_json: bool) -> None:
    """Forget one session."""
    gone = run(_delete(principal, session_id))
    if as_json:
        print_json({"session_id": session_id, "deleted_turns": gone})
    else:
        click.echo(f"{gone} turns forgotten", err=True)


async def _read(principal: str, session_id: str) -> pb.Session:
    from engine.service import convert

    async with _store() as store:
        return convert.session(await store.session(principal, session_id))


async def _delete(principal: str, session_id: str) -> int:
    from engine import bootstrap

    settings = settings_for_command()
    store = bootstrap.open_store(settings)
    try:
        wait = settings.engine_session_wait_seconds
        return await forget(store, Leases(store.locks), principal, session_id, wait=wait)
    finally:
        await store.close()
