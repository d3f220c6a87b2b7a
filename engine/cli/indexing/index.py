"""Documents into the index, and passages out of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from engine.cli.common import json_lines, json_option, jsonl_option, print_json, run, settings_for_command
from engine.cli.indexing.filling import Filling, fill, filling_options
from engine.domain import Passage
from engine.errors import ConfigurationError, InvalidInput
from engine.retrieval.port import Half
from engine.settings import Settings


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option("--if-empty", is_flag=True, help="Do nothing when the index has passages already.")
@click.option("--rebuild", is_flag=True, help="Start from an empty index.")
@click.option("--rollback", is_flag=True, help="Read the version before the last run again (Elasticsearch only).")
@filling_options
@json_option
def index(
    paths: tuple[Path, ...], if_empty: bool, rebuild: bool, rollback: bool, as_json: bool, **options: Any
) -> None:
    """Index files and folders: Markdown, text, HTML, PDF, Word, Excel, PowerPoint, CSV, source files, JSON ...

    Documents that have not changed are not encoded again, and those that are gone leave the index. What cannot be read
    is left out, with its reason, and the rest goes on. A run that was killed or ended by Ctrl-C is carried on by the
    next.
    """
    settings = settings_for_command()
    if rollback:
        if paths or if_empty or rebuild:
            raise click.UsageError("--rollback goes alone")
        _roll_back(settings, as_json=as_json)
        return
    if not paths:
        raise click.UsageError("name at least one file or folder")
    fill(settings, paths, Filling(if_empty=if_empty, rebuild=rebuild, **options), as_json=as_json)


def _roll_back(settings: Settings, *, as_json: bool) -> None:
    from engine import bootstrap

    if not settings.elasticsearch_url:
        raise ConfigurationError("--rollback needs ELASTICSEARCH_URL: the embedded index keeps no former version.")
    embedder = bootstrap.build_embedder(settings, load=False)
    version = bootstrap.open_elastic_index(settings, embedder, rebuild=True).roll_back()
    if as_json:
        print_json({"version": version})
    else:
        click.echo(f"{version} is read now", err=True)


@click.command()
@click.argument("query", required=False)
@click.option("-k", "count", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many passages.")
@click.option("--half", type=click.Choice([half.value for half in Half]), default="both", show_default=True)
@jsonl_option
@json_option
def search(query: str | None, count: int, half: str, jsonl: Any, as_json: bool) -> None:
    """Search the index, without an answer."""
    if (query is None) == (jsonl is None):
        raise InvalidInput("query", "give either a query or --jsonl FILE")
    if query is not None and not query.strip():
        raise InvalidInput("query", "is empty; say what is looked for")
    settings = settings_for_command()
    run(_search(settings, query, jsonl, count, Half(half), as_json=as_json))


async def _search(settings: Settings, query: str | None, jsonl: Any, k: int, half: Half, *, as_json: bool) -> None:
    from engine import bootstrap

    source = bootstrap.open_index(settings, bootstrap.build_embedder(settings, load=half is not Half.TEXT))
    try:
        if query is not None:
            found = await source.search(query, k=k, half=half)
            if as_json:
                print_json(_hits(found))
            else:
                click.echo("\n\n".join(_readable(place, hit) for place, hit in enumerate(found, start=1)) or "nothing")
        else:
            for row in json_lines(jsonl):
                print_json(_hits(await source.search(row["query"], k=k, half=half)))
    finally:
        await source.close()


def _hits(found: list[Passage]) -> dict[str, Any]:
    fields = ("id", "score", "document", "title", "heading", "text")
    return {"hits": [{name: getattr(passage, name) for name in fields} for passage in found]}


def _readable(place: int, hit: Passage) -> str:
    text = " ".join(hit.text.split())
    head = click.style(f"{place}. {hit.document} — {hit.heading}", bold=True)
    return f"{head}  ({hit.score:.4f})\n   {text[:240]}{'…' if len(text) > 240 else ''}"  # three lines
