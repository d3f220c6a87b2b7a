"""The documents in the index: listed, shown, put in and taken out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from engine.cli.common import empty_index, json_option, print_json, run, settings_for_command
from engine.cli.indexing.filling import Filling, fill, filling_options
from engine.domain import Passage
from engine.errors import NotFound
from engine.retrieval.port import Index, StoredDocument


@click.group()
def documents() -> None:
    """List, show, add and remove the documents in the index."""


@documents.command("list")
@json_option
def list_documents(as_json: bool) -> None:
    """List the documents with their passages, bytes and time of last change."""
    with _opened() as index:
        found = index.documents()
        if not found:
            click.echo(empty_index(settings_for_command()), err=True)
        for document in found:
            if as_json:
                print_json(_as_dict(document))
            else:
                click.echo(_line(document))


@documents.command("show")
@click.argument("name")
@json_option
def show_document(name: str, as_json: bool) -> None:
    """Show a document's passages as they are found and cited."""
    with _opened() as index:
        for document in _named(index, name):
            passages = index.passages_of(document)
            if as_json:
                print_json({**_as_dict(document), "contents": [_contents(passage) for passage in passages]})
            else:
                click.echo(click.style(_line(document), bold=True))
                click.echo("\n\n".join(_readable(passage) for passage in passages) + "\n")


@documents.command("add")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@filling_options
@json_option
def add_documents(paths: tuple[Path, ...], as_json: bool, **options: Any) -> None:
    """Put files and folders into the index, as `index` does."""
    fill(settings_for_command(), paths, Filling(**options), as_json=as_json)


@documents.command("remove")
@click.argument("names", nargs=-1, required=True)
@json_option
def remove_documents(names: tuple[str, ...], as_json: bool) -> None:
    """Take documents out of the index, by name, by path, or all below a folder. The files stay where they are."""
    with _opened() as index:
        chosen = list(dict.fromkeys(document for name in names for document in _named(index, name)))
        index.index([], roots=[document.source for document in chosen])
    for document in chosen:
        if as_json:
            print_json(_as_dict(document))
        else:
            click.echo(f"removed {_line(document)}")


@contextmanager
def _opened() -> Iterator[Index]:
    from engine import bootstrap

    settings = settings_for_command()
    index = bootstrap.open_index(settings, bootstrap.build_embedder(settings, load=False))
    try:
        yield index
    finally:
        run(index.close())


def _named(index: Index, name: str) -> list[StoredDocument]:
    """The documents of that name or path, else those in the folder of that name or path.

    Raises:
        NotFound: There are none.
    """
    from engine.retrieval.ingestion.indexing import under

    every = index.documents()
    below, path = under([name]), under([str(Path(name).resolve())])
    found = [document for document in every if document.name == name]
    found = found or [document for document in every if path(document.source) or below(document.name)]
    if not found:
        raise NotFound(f"{name}: there is no such document in the index; `assistance-engine documents list` names them")
    return found


def _as_dict(document: StoredDocument) -> dict[str, Any]:
    return {
        "document": document.name,
        "passages": document.passages,
        "bytes": document.size,
        "modified": _time(document),
        "source": document.source,
    }


def _time(document: StoredDocument) -> str | None:
    """In the form of RFC 3339, in UTC; None where it is not known."""
    if not document.modified:
        return None
    return datetime.fromtimestamp(document.modified, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _line(document: StoredDocument) -> str:
    passages = "1 passage" if document.passages == 1 else f"{document.passages} passages"
    counts = f"{passages}, {document.size} bytes, {_time(document) or 'time unknown'}"
    return f"{document.name}  ({counts})"


def _contents(passage: Passage) -> dict[str, str]:
    return {"id": passage.id, "title": passage.title, "heading": passage.heading, "text": passage.text}


def _readable(passage: Passage) -> str:
    return f"{click.style(passage.heading or passage.title, underline=True)}  {passage.id}\n{passage.text}"
