"""Serving assistants that start the engine themselves: the Model Context Protocol on stdin and stdout."""

from __future__ import annotations

import asyncio
import signal

import click

from engine.cli.common import run, settings_for_command
from engine.settings import Settings


@click.command()
def mcp() -> None:
    """Serve the Model Context Protocol on stdin and stdout. `serve` has it at /mcp of the web address."""
    run(_serve(settings_for_command()))


async def _serve(settings: Settings) -> None:
    from engine import bootstrap
    from engine.mcp.server import build_server, local_call
    from engine.mcp.stdio import serve_stdio

    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    async with bootstrap.engine(settings) as engine:
        await serve_stdio(build_server(engine.service(), engine.retriever, local_call), stop)
