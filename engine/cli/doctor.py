"""Looking whether everything that serving needs is there, and saying how to mend what is not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import click

from engine import telemetry
from engine.cli.common import json_option, print_json, run, settings_for_command
from engine.errors import ConfigurationError, DependencyUnavailable
from engine.settings import Settings, describe

#: Seconds for one part to answer; the servers of TOOLS_FILE have their own limit, below the second.
_WITHIN, _TOOLS_WITHIN = 5.0, 20.0


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Check every dependency and print the mend, with the configuration as resolved."""
    settings = settings_for_command()
    results = run(_checked(settings))
    configuration = describe(settings)
    if as_json:
        print_json({"configuration": configuration, "checks": results})
    else:
        for name, value in configuration.items():
            click.echo(f"{name:36} {value or '(unset)'}")
        click.echo()
        for name, problem in results.items():
            click.echo(f"{name:14} {problem or 'ok'}")
    failed = [name for name, problem in results.items() if problem]
    if failed:
        raise DependencyUnavailable(failed[0], results[failed[0]].removeprefix(f"{failed[0]}: "))


async def _checked(settings: Settings) -> dict[str, str]:
    """By dependency: what is wrong with it, empty when nothing is."""
    from engine import bootstrap

    try:
        embedder = bootstrap.build_embedder(settings)
    except ConfigurationError as error:
        return await _without_embedder(settings, str(error))
    results = {"embedder": ""}
    async with bootstrap.engine(settings, embedder) as engine:
        for name, check in engine.checks.items():
            results[name] = await _asked(check)
        index = bootstrap.index_name(settings)
        if not results[index] and not await engine.retriever.count():
            results[index] = "it is empty; fill it with `assistance-engine index PATH...`"
    return results | await _tools(settings)


async def _without_embedder(settings: Settings, problem: str) -> dict[str, str]:
    """What can be said when there is no embedder: the rest of what is configured."""
    from engine import bootstrap

    results = {"embedder": problem}
    results |= dict.fromkeys((bootstrap.index_name(settings), "classifier"), "not checked: it needs the embedder")
    async with bootstrap.without_embedder(settings) as checks:
        for name, check in checks.items():
            results[name] = await _asked(check)
    return results | await _tools(settings)


async def _tools(settings: Settings) -> dict[str, str]:
    """The servers of TOOLS_FILE, where there is one."""
    from engine.bootstrap import tools as bootstrap_tools

    if settings.tools_file is None:
        return {}
    return {"tools": await _asked(lambda: bootstrap_tools.check_tools(settings), _TOOLS_WITHIN)}


async def _asked(check: Callable[[], Awaitable[None]], within: float = _WITHIN) -> str:
    """What is wrong, empty when nothing is."""
    try:
        async with asyncio.timeout(within):
            await check()
    except TimeoutError:
        return f"does not answer within {within:g} s"
    except Exception as error:  # noqa: BLE001  # whatever it is, the report goes on
        telemetry.logger().debug("doctor", kind=type(error).__name__)
        return str(error) or type(error).__name__
    return ""
