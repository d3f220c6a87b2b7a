"""Retrieval and conversation on test collections, from the command line."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import click

from engine.cli.common import json_option, print_report, run, say_progress, settings_for_command
from engine.cli.indexing.filling import Filling, put_in
from engine.errors import InvalidInput
from engine.settings import Settings


@click.command("evaluate-retrieval")
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for the indexes of the collections. Default: `trials` in ENGINE_DATA_DIR.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for JSON, Markdown and pictures.")
@json_option
def evaluate_retrieval(folder: Path, keep: Path | None, out: Path | None, as_json: bool) -> None:
    """Judge search and the rewriting of follow-ups on a collection in MTRAG's format, or on all in a folder.

    Each collection has an index of its own, which is kept: only the first run encodes it.
    """
    from engine.evaluation import report

    print_report(run_all(settings_for_command(), folder, keep), report, out, as_json=as_json)


def run_all(settings: Settings, folder: Path, keep: Path | None) -> dict[str, Any]:
    """The trials of every collection in `folder`.

    Raises:
        NotFound: There is none.
        InvalidInput: One is not of the format, or has no question with a judgement.
    """
    from engine import bootstrap
    from engine.conversation.followup.relation import needs_by
    from engine.evaluation import report
    from engine.evaluation.collection import find_collections, read_collection
    from engine.evaluation.trial import run_trial

    collections = [read_collection(path) for path in find_collections(folder)]
    trials: dict[str, Any] = {}
    embedder = bootstrap.build_embedder(settings)
    needs = needs_by(bootstrap.build_reader(settings, bootstrap.beside(settings, embedder)))
    for collection in collections:
        if not collection.asked:
            raise InvalidInput(collection.name, "has no question with a relevance judgement")
        home = (keep or settings.engine_data_dir / "trials") / collection.name
        own = settings.model_copy(update={"engine_data_dir": home})
        put_in(own, (collection.corpus,), Filling())
        source = bootstrap.open_index(own, embedder)
        try:
            told = partial(_say_progress, collection.name)
            trials[collection.name] = run(run_trial(collection, source, told, needs))
        finally:
            run(source.close())
    return {"format": 1, "embedder": embedder.id, "trials": trials, "goals": report.goals(trials)}


def _say_progress(name: str, done: int) -> None:
    say_progress(f"\r{name}: {done} questions", nl=False)
