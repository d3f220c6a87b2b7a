"""Serving, and asking whether it goes on."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from pathlib import Path

import click

from engine.cli.common import json_option, print_json, run, settings_for_command
from engine.cli.connecting import client_of
from engine.cli.filling import Filling, StoppedError, put_in, say
from engine.errors import DependencyUnavailable
from engine.settings import Settings

_WITHIN = 5.0


@click.command()
@click.option(
    "--index-if-empty",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Index this file or folder first, when the index is empty. May be given several times.",
)
@click.option(
    "--documents",
    "own",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Bring the index to the state of this file or folder first. May be given several times.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Path(path_type=Path),
    help="With --documents: what is in the index of this file or folder leaves it. May be given several times.",
)
def serve(paths: tuple[Path, ...], own: tuple[Path, ...], without: tuple[Path, ...]) -> None:
    """Serve gRPC and the web until Ctrl-C or SIGTERM."""
    settings = settings_for_command(quiet=False)
    if paths and not own:
        _prepare(settings, paths, Filling(if_empty=True))
    if own:
        _prepare(settings, own, Filling(without=without))
    run(_serve(settings))


def _prepare(settings: Settings, paths: tuple[Path, ...], how: Filling) -> None:
    """Fills the index before it is served, and says what was left out."""
    try:
        report = put_in(settings, paths, how)
    except StoppedError:
        raise click.exceptions.Exit(130) from None
    if report is not None:
        say(report)


async def _serve(settings: Settings) -> None:
    from engine import bootstrap

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    async with bootstrap.engine(settings) as engine:
        server = engine.servers()
        await server.start()
        click.echo(await _greeting(engine, server.grpc.address, server.web.address if server.web else None), err=True)
        background = asyncio.create_task(engine.background())
        await stop.wait()
        background.cancel()
        # A second signal ends the grace at once.
        stop.clear()
        stopping = asyncio.create_task(server.stop(settings.engine_drain_seconds))
        hurry = asyncio.create_task(stop.wait())
        await asyncio.wait([stopping, hurry], return_when=asyncio.FIRST_COMPLETED)
        if not stopping.done():
            stopping.cancel()
            await server.stop(0)
        hurry.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(stopping, hurry, background)


async def _greeting(engine: object, address: str, web: str | None) -> str:
    from engine.bootstrap import Engine

    assert isinstance(engine, Engine)  # noqa: S101  # the import above is what this function avoids at module level
    try:
        passages = str(await engine.retriever.count())
    except DependencyUnavailable as error:  # what needs no search is served all the same
        passages = f"unknown ({error})"
    models = engine.models
    scheme = "http" if engine.settings.engine_tls_cert is None else "https"
    lines = [
        "",
        f"  The engine is listening on {address} (gRPC).",
        *([f"  In a browser: {scheme}://{web}"] if web else []),
        f"  Passages in the index: {passages}. Main model: {models.main.name}. Light model: {models.light.name}.",
        "",
        "  Try, in another terminal:",
        '    make ask Q="What is addVar in AVAP?"',
        '    make ask Q="¿Cómo registro un endpoint?"',
        "    assistance-engine chat        (in .venv/bin)",
        "    assistance-engine index PATH  your own documents",
        "",
        "  Ctrl-C stops it.",
        "",
    ]
    return "\n".join(lines)


@click.command()
@json_option
def health(as_json: bool) -> None:
    """Ask the running service whether it accepts calls. For container probes."""
    address = run(_health(settings_for_command()))
    if as_json:
        print_json({"status": "SERVING", "address": address})
    else:
        click.echo("SERVING")


async def _health(settings: Settings) -> str:
    """The address of the service, which serves."""
    host, _, port = settings.engine_grpc_address.rpartition(":")
    address = f"127.0.0.1:{port}" if host in ("0.0.0.0", "[::]") else settings.engine_grpc_address  # noqa: S104
    async with client_of(settings, address) as client:
        if not await client.serving(within=_WITHIN):
            raise DependencyUnavailable("engine", f"nothing serves at {address}")
    return address
