"""API keys: making, listing and revoking them; also while the service runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click

from engine.cli.common import json_option, print_json, settings_for_command
from engine.identity.port import Scope

if TYPE_CHECKING:
    from engine.identity.keys import ApiKey, KeyFile


def _file() -> KeyFile:
    from engine.identity.keys import KeyFile

    return KeyFile(settings_for_command().keys_path)


@click.group()
def keys() -> None:
    """Make, list or revoke API keys (ENGINE_AUTH=keys). They are kept as digests in ENGINE_DATA_DIR."""


@keys.command()
@click.option("--name", required=True, help="What it is for; shown in the list.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice([scope.value for scope in Scope], case_sensitive=False),
    help="What it may do; may be given several times. Without one: ask.",
)
@click.option(
    "--principal",
    default="",
    help="Whose sessions it opens, as `list` shows it: the principal of a key that it replaces, or `local` for those "
    "from before there was identity. Without it: its own.",
)
@json_option
def create(name: str, scopes: tuple[str, ...], principal: str, as_json: bool) -> None:
    """Make a key. It is shown once and kept nowhere."""
    key, text = _file().create(name, [Scope(scope.lower()) for scope in scopes or (Scope.ASK,)], principal)
    if as_json:
        print_json({"key": text, **_shown(key)})
        return
    click.echo(f"Key {key.id} ({' '.join(key.scopes)}). It is shown this once:", err=True)
    click.echo(text)


@keys.command("list")
@json_option
def list_keys(as_json: bool) -> None:
    """All keys, the oldest first, revoked ones included."""
    found = _file().all()
    if as_json:
        print_json({"keys": [_shown(key) for key in found]})
        return
    for key in found:
        state = f"revoked {_day(key.revoked)}" if key.revoked else "good"
        scopes = " ".join(key.scopes)
        click.echo(f"{key.id}  {_day(key.created)}  {state:18}  {scopes:24}  {key.principal}  {key.name}")


@keys.command()
@click.argument("id_", metavar="ID")
@json_option
def revoke(id_: str, as_json: bool) -> None:
    """End a key, by the id that `list` shows. A service that runs knows it with the next call."""
    key = _file().revoke(id_)
    if as_json:
        print_json(_shown(key))
        return
    click.echo(f"Key {key.id} ({key.name}) is revoked.", err=True)


def _shown(key: ApiKey) -> dict[str, Any]:
    return {
        "id": key.id,
        "name": key.name,
        "principal": key.principal,
        "scopes": [scope.value for scope in key.scopes],
        "created": _time(key.created),
        "revoked": _time(key.revoked) if key.revoked else None,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
