"""The router on labelled rows: how right it is, how sure it may be, and what moves it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.common import json_option, print_json, run, settings_for_command
from engine.errors import ConfigurationError, InvalidInput
from engine.settings import Settings

if TYPE_CHECKING:
    from classifier.cascade import Cascade
    from classifier.dataset import Row
    from classifier.decision import Embedder
    from engine.router import Routing

#: Messages that the times are measured on, each asked once.
_TIMED = 640


@click.command("evaluate-router")
@click.option(
    "--rows",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="JSON lines of text, type, language and source that the artifact was not trained on. Default: the shipped "
    "rows, each judged by a training that leaves its domain out.",
)
@click.option("--folds", default=8, show_default=True, type=click.IntRange(2), help="Parts of the shipped rows.")
@click.option("--whole", is_flag=True, help="Train wholly for each part, not the heads alone: minutes for each.")
@click.option("--each", default=0, type=click.IntRange(0), help="Rows of a type and language to disturb; 0: all.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Folder for JSON, Markdown and pictures.")
@json_option
def evaluate_router(rows: Path | None, folds: int, whole: bool, each: int, out: Path | None, as_json: bool) -> None:
    """Judge layers 1 and 2 of the router on labelled rows and report."""
    from classifier import report

    found = run(_judged(settings_for_command(), rows, folds if not whole else -folds, each))
    for path in report.write(found, out) if out else ():
        click.echo(f"written: {path}", err=True)
    if as_json:
        print_json(found)
    else:
        click.echo(report.markdown(found))


async def _judged(settings: Settings, outside: Path | None, folds: int, each: int) -> dict[str, Any]:
    """The whole report."""
    from classifier import report, stability, timing
    from classifier.holdout import KnownEmbedder
    from engine import bootstrap

    embedder = bootstrap.build_embedder(settings)
    known = KnownEmbedder(embedder)
    routing, paced = bootstrap.build_routing(settings, known), bootstrap.build_routing(settings, embedder)
    try:
        artifact = _artifact_id(routing)
        rows, head = await asyncio.to_thread(_headline, routing, known, outside, folds)
        disturbed = stability.sample(rows, each) if each else rows
        timed = list(dict.fromkeys(row.text for row in stability.sample(rows, _TIMED // 10)))
        found = {
            "format": 1,
            "artifact": artifact,
            "headline": head,
            "stability_judged_by": f"{len(disturbed)} rows, by {routing.artifact}; what must not move a decision needs "
            "no rows that the model has not seen",
            "anchoring": await asyncio.to_thread(stability.anchoring_gap, _batched(routing), disturbed),
            "robustness": await asyncio.to_thread(stability.robustness, _batched(routing), disturbed),
            "milliseconds": await timing.milliseconds(_batched(paced), timed),
        }
        return found | {"goals": report.goals(found)}
    finally:
        await routing.close()
        await paced.close()


def _headline(routing: Routing, known: Embedder, outside: Path | None, folds: int) -> tuple[Sequence[Row], Any]:
    """The rows, and what is made of them by models that have not seen them."""
    from classifier import evaluation, holdout, report
    from classifier.dataset import DatasetError

    try:
        if outside is not None:
            rows = evaluation.read_outside_rows(outside)
            outcomes = evaluation.judge_rows(_batched(routing), rows)
            return rows, report.headline(outcomes, f"{len(rows)} rows of {outside.name}, by {routing.artifact}")
        rows = training_rows()
        outcomes = holdout.out_of_fold(rows, known, folds, _batched(routing).layers[:1], progress=_progress(folds))
    except DatasetError as error:
        raise InvalidInput("rows", str(error)) from None
    return rows, report.headline(
        outcomes, f"{len(rows)} shipped rows, each by one of {folds} trainings that left its whole domain out"
    )


def training_rows() -> list[Row]:
    """The rows that the shipped artifact is trained on: the seed and its supplements."""
    from classifier.dataset import read_rows, seed_files
    from engine.bootstrap import CLASSIFIER_DATA

    return read_rows([*seed_files(CLASSIFIER_DATA / "seed"), *sorted((CLASSIFIER_DATA / "supplement").glob("*.jsonl"))])


def _batched(routing: Routing) -> Cascade:
    """The layers that need no model."""
    from classifier.cascade import BatchLayer, Cascade

    return Cascade(*(layer for layer in routing.cascade.layers if isinstance(layer, BatchLayer)))


def _artifact_id(routing: Routing) -> str:
    """Of layer 2.

    Raises:
        ConfigurationError: Its artifact was refused.
    """
    if routing.layer2 is None:
        raise ConfigurationError(f"layer 2 of the router is off: {routing.artifact}")
    return routing.layer2.artifact.id


def _progress(folds: int) -> Any:
    """Says on a terminal how far the trainings are."""

    def told(done: int) -> None:
        if sys.stderr.isatty():
            click.echo(f"trained {done} of {folds}", err=True)

    return told
