"""The router on labelled rows: how right it is, how sure it may be, and what moves it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.common import json_option, print_report, run, say_progress, settings_for_command
from engine.errors import ConfigurationError, InvalidInput
from engine.settings import Settings

if TYPE_CHECKING:
    from classifier.cascade import Cascade
    from classifier.embedder import Embedder
    from classifier.linear.artifact import Artifact
    from classifier.linear.layer import LinearLayer
    from classifier.training.dataset import Row

#: Messages of each type and language that the times are measured on, each asked once.
_TIMED = 64


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
    from classifier.evaluation import report

    found = run(_judged(settings_for_command(), Plan(rows, folds, whole, each)))
    print_report(found, report, out, as_json=as_json)


@dataclass(frozen=True, slots=True)
class Plan:
    """What is judged.

    Attributes:
        outside: Rows that the artifact has not seen; None for the shipped ones.
        folds: Parts of the shipped rows; each is judged by a training on the others.
        whole: Whether those trainings choose mix and thresholds anew too.
        each: Rows of each type and language that histories and changes are tried on; 0 for all.
    """

    outside: Path | None
    folds: int
    whole: bool
    each: int


async def _judged(settings: Settings, plan: Plan) -> dict[str, Any]:
    """The whole report."""
    from classifier.evaluation import report, stability, timing
    from classifier.training.embedding_cache import KnownEmbedder
    from engine import bootstrap

    known = KnownEmbedder(bootstrap.training_embedder(settings))
    routing = bootstrap.build_routing(settings, known)
    paced = bootstrap.build_routing(settings, bootstrap.build_embedder(settings))
    try:
        artifact, router = _artifact(routing.layer2, routing.artifact), _batched(routing.cascade)
        rows, head = await asyncio.to_thread(_headline, router, artifact, known, plan)
        tried = stability.sample(rows, plan.each) if plan.each else rows
        timed = list(dict.fromkeys(row.text for row in stability.sample(rows, _TIMED)))
        found = {
            "format": 1,
            "artifact": artifact.id,
            "headline": head,
            "stability_judged_by": f"{len(tried)} rows, by {artifact.id} itself, which may have been fitted on "
            "them: moves count here, not accuracy",
            "anchoring": await asyncio.to_thread(stability.anchoring_gap, router, tried),
            "robustness": await asyncio.to_thread(stability.robustness, router, tried),
            "milliseconds": await timing.milliseconds(_batched(paced.cascade), timed),
        }
        return found | {"goals": report.goals(found)}
    finally:
        await routing.close()
        await paced.close()


def _headline(router: Cascade, artifact: Artifact, known: Embedder, plan: Plan) -> tuple[Sequence[Row], dict[str, Any]]:
    """The rows, and what is made of them by models that have not seen them.

    Raises:
        InvalidInput: The rows cannot be used.
    """
    from classifier.evaluation import cross_validation, report
    from classifier.evaluation import outcomes as evaluation_outcomes
    from classifier.training.dataset import DatasetError
    from classifier.training.seed import shipped_rows

    try:
        if plan.outside is not None:
            rows = evaluation_outcomes.read_outside_rows(plan.outside)
            outcomes = evaluation_outcomes.judge_rows(router, rows)
            return rows, report.headline(outcomes, f"{len(rows)} rows of {plan.outside.name}, by {artifact.id}")
        rows = shipped_rows()
        told = partial(_say_progress, plan.folds)
        fit = cross_validation.fit_artifact if plan.whole else cross_validation.fit_heads(artifact)
        outcomes = cross_validation.out_of_fold(rows, known, plan.folds, router.layers[:-1], fit, told)
    except (DatasetError, UnicodeDecodeError) as error:
        raise InvalidInput("rows", str(error)) from None
    what = "whole trainings" if plan.whole else f"trainings of the heads, with the calibration of {artifact.id}"
    return rows, report.headline(
        outcomes, f"{len(rows)} shipped rows, each by one of {plan.folds} {what}, that left out the row's whole domain"
    )


def _batched(router: Cascade) -> Cascade:
    """The layers that need no model: 1 and 2."""
    from classifier.cascade import BatchLayer, Cascade

    return Cascade(*(layer for layer in router.layers if isinstance(layer, BatchLayer)), reader=router.reader)


def _artifact(layer2: LinearLayer | None, source: str) -> Artifact:
    """The one in use.

    Args:
        layer2: None when there is none to use.
        source: Where it comes from, or why it was refused.

    Raises:
        ConfigurationError: It was refused.
    """
    if layer2 is None:
        raise ConfigurationError(f"layer 2 of the router is off: {source}")
    return layer2.artifact


def _say_progress(folds: int, done: int) -> None:
    say_progress(f"trained {done} of {folds}")
