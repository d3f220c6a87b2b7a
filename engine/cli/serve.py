"""Serving, and asking whether it goes on."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AsyncExitStack, ExitStack, suppress
from functools import partial
from pathlib import Path

import click

from engine import metrics, telemetry
from engine.cli.asking.connecting import client_of
from engine.cli.common import json_option, print_json, run, settings_for_command, uncollected
from engine.cli.indexing.filling import Filling, StoppedError, put_in, say
from engine.cli.workers import Workers, command, is_listening, reserved, until_left
from engine.errors import ConfigurationError, DependencyUnavailable
from engine.settings import Settings

_WITHIN = 5.0
#: What the names of the example documents begin with, a word that they have, and what is asked of them.
_EXAMPLES, _NAME_OF_EXAMPLES = "avap/", "AVAP"
_ASKED_OF_EXAMPLES = (
    '    make ask Q="What is addVar in AVAP?"',
    '    make ask Q="¿Cómo registro un endpoint?"',
)


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
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="Processes that share the addresses. More than one needs Linux and about 300 MB of memory each.",
)
@click.option("--worker", "line", type=int, hidden=True, help="What --workers starts: the descriptor of its line.")
def serve(
    paths: tuple[Path, ...], own: tuple[Path, ...], without: tuple[Path, ...], workers: int, line: int | None
) -> None:
    """Serve gRPC and the web until Ctrl-C or SIGTERM."""
    settings = settings_for_command(quiet=False)
    if paths and not own:
        _prepare(settings, paths, Filling(if_empty=True))
    if own:
        _prepare(settings, own, Filling(without=without))
    run(_serve(settings, line) if workers == 1 else _supervise(settings, workers))


async def _supervise(settings: Settings, count: int) -> None:
    """Serves in processes of their own, until they are asked to end."""
    with ExitStack() as kept:
        grpc = kept.enter_context(reserved(settings.engine_grpc_address, "ENGINE_GRPC_ADDRESS"))
        web = _web_of(settings, kept)
        environment = {
            "ENGINE_THREADS": str(settings.engine_threads or max(1, (os.cpu_count() or 1) // count)),
            "ENGINE_GRPC_ADDRESS": grpc,
            "ENGINE_WEB_ADDRESS": web,
        }
        together = kept.enter_context(metrics.shared())
        workers = Workers(
            command(), count, {**os.environ, **environment, **together}, ended=partial(metrics.forget_process, together)
        )
        for name in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(name, workers.stop)
        greeting = asyncio.create_task(_when_ready(workers, settings, grpc, web))
        try:
            await workers.run()
        finally:
            greeting.cancel()


def _web_of(settings: Settings, kept: ExitStack) -> str:
    """The web address of the workers; empty where there is none to be had and none was asked for."""
    if not settings.engine_web_address:
        return ""
    try:
        return kept.enter_context(reserved(settings.engine_web_address, "ENGINE_WEB_ADDRESS"))
    except ConfigurationError as error:
        if "engine_web_address" in settings.model_fields_set:
            raise
        telemetry.logger().warning(telemetry.NO_WEB.format(reason=error))
        return ""


async def _when_ready(workers: Workers, settings: Settings, address: str, web: str) -> None:
    await workers.ready.wait()
    click.echo("\n".join(["", *_addresses(settings, address, web), "", "  Ctrl-C stops it.", ""]), err=True)


def _addresses(settings: Settings, address: str, web: str | None) -> list[str]:
    scheme = "http" if settings.engine_tls_cert is None else "https"
    listening = f"  The engine is listening on {address} (gRPC)."
    return [listening, *([f"  In a browser: {scheme}://{web}"] if web else [])]


def _prepare(settings: Settings, paths: tuple[Path, ...], how: Filling) -> None:
    """Fills the index before it is served, and says what was left out."""
    try:
        report = put_in(settings, paths, how)
    except StoppedError:
        raise click.exceptions.Exit(130) from None
    if report is not None:
        say(report)


async def _serve(settings: Settings, line: int | None = None) -> None:
    """Serves in this process.

    Args:
        settings: What is served.
        line: To the process that keeps this one and others; None where it is the only one.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(name, stop.set)
    async with AsyncExitStack() as running:
        with uncollected():
            from engine import bootstrap

            engine = await running.enter_async_context(bootstrap.engine(settings))
            server = engine.servers(shared=line is not None)
            await server.start()
        if line is None:
            web = server.web.address if server.web else None
            click.echo(await _greeting(engine, server.grpc.address, web), err=True)
        else:
            until_left(line, stop.set)
            is_listening(line)
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
    from engine.retrieval.port import Half

    assert isinstance(engine, Engine)  # noqa: S101  # the import above is what this function avoids at module level
    examples = False
    try:
        passages = str(await engine.retriever.count())
        found = await engine.retriever.search(_NAME_OF_EXAMPLES, half=Half.TEXT)  # cheaper than listing documents
        examples = any(one.document.startswith(_EXAMPLES) for one in found)
    except DependencyUnavailable as error:  # what needs no search is served all the same
        passages = f"unknown ({error})"
    models = engine.models
    lines = [
        "",
        *_addresses(engine.settings, address, web),
        f"  Passages in the index: {passages}. Main model: {models.main.name}. Light model: {models.light.name}.",
        "",
        "  Try, in another terminal:",
        *(_ASKED_OF_EXAMPLES if examples else ['    make ask Q="..."              what your documents answer']),
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
