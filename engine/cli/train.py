"""The learning loop by hand: labels out, a candidate through the gate, and what another artifact would change."""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.cli.common import json_option, print_json, run, settings_for_command
from engine.errors import ConfigurationError, EngineError
from engine.settings import Settings

if TYPE_CHECKING:
    from classifier.embedder import Embedder
    from classifier.learning.gate import Verdict
    from classifier.learning.labels import Label
    from classifier.learning.promotion import Candidate, Usable
    from classifier.linear.artifact import Artifact
    from engine.routing.label_export import Exported
    from engine.routing.replay import Replayed

#: What a selection leaves out; a training counts those whom nobody backs too.
_LEFT_OUT = ("untrainable", "leaning", "duplicates", "conflicts", "capped")


class Refused(EngineError):
    """The gate keeps the artifact in use."""


@click.group()
def labels() -> None:
    """Labels of stored turns."""


@labels.command("export")
@json_option
def export_labels(as_json: bool) -> None:
    """Export what is new or changed since the last export, however few sessions there are."""
    settings = settings_for_command()
    done = run(_export(settings))
    if as_json:
        written = None if done.path is None else str(done.path)
        print_json({"path": written, "written": done.written, "trainable": len(done.selection.labels), **_out(done)})
        return
    click.echo(f"{done.written} labels written to {done.path}" if done.path else "nothing new to export")
    click.echo(", ".join(f"{name}: {count}" for name, count in _out(done).items()), err=True)


def _out(done: Exported) -> dict[str, int]:
    return {name: getattr(done.selection, name) for name in _LEFT_OUT}


async def _export(settings: Settings) -> Exported:
    from classifier.learning.label_files import LabelFileError
    from engine import bootstrap

    store = bootstrap.open_store(settings)
    try:
        return await bootstrap.build_exports(settings, store).export()
    except (LabelFileError, OSError) as error:
        raise ConfigurationError(f"CLASSIFIER_EXPORT_DIR: {error}") from error
    finally:
        await store.close()


@click.command()
@click.option("--seed", type=click.Path(path_type=Path), help="Folder of seed rows. Default: the shipped ones.")
@click.option(
    "--labels",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of exported labels. Default: CLASSIFIER_EXPORT_DIR.",
)
@click.option(
    "--candidate",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the artifact to this file and promote nothing.",
)
@click.option(
    "--lone/--no-lone",
    default=None,
    help="Remember what one principal alone says too, where layer 2 is not sure of another type. "
    "Default: where identity is off (ENGINE_AUTH), as everybody is one principal then.",
)
@json_option
def train(seed: Path | None, folder: Path | None, candidate: Path | None, lone: bool | None, as_json: bool) -> None:
    """Train layer 2 on the seed and the exported labels, and promote it if it is no worse."""
    import sklearn.linear_model  # noqa: F401  # brings its own pool of threads, which is to be limited too
    from threadpoolctl import threadpool_limits

    from classifier.learning.label_files import LabelFileError
    from classifier.training.dataset import DatasetError

    settings = settings_for_command()
    lone = not settings.engine_auth if lone is None else lone
    try:
        # The matrices of a training are small: threads that wait for each other in a busy machine cost twenty times
        # what they save.
        with threadpool_limits(1):
            _train(settings, seed, folder or settings.labels_dir, candidate, lone=lone, as_json=as_json)
    except (DatasetError, LabelFileError) as error:
        raise ConfigurationError(str(error)) from error


def _train(settings: Settings, seed: Path | None, folder: Path, out: Path | None, *, lone: bool, as_json: bool) -> None:
    from classifier.learning import promotion
    from classifier.learning.label_files import read_labels
    from classifier.training import fit
    from classifier.training.dataset import read_rows, seed_files
    from classifier.training.embedding_cache import KnownEmbedder
    from classifier.training.seed import shipped_rows
    from engine import bootstrap

    embedder = KnownEmbedder(bootstrap.training_embedder(settings))  # the gate meets most texts of the training again
    rows = shipped_rows() if seed is None else read_rows(seed_files(seed))
    current = _current(settings, embedder)
    told = read_labels(folder)
    labels = promotion.usable_labels(told, rows, current, embedder, lone=lone)
    click.echo(f"{len(rows)} rows and {len(labels.memory)} labels", err=True)
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    if out is not None:
        report = fit.train_rows([*rows, *labels.rows], embedder, out, today, labels.memory)
        _print(report.artifact, report.scores, report.markdown(), labels, as_json=as_json)
        click.echo(f"written: {out}", err=True)
        return
    _learn_relations(settings, told, embedder)
    target = settings.engine_data_dir / "classifier_model.npz"
    with tempfile.TemporaryDirectory(prefix="training-") as work:
        candidate = promotion.fit(rows, labels, embedder, Path(work), today)
        verdict = promotion.judge(candidate, current, target, rows, embedder)
        _print_verdict(candidate, labels, verdict, as_json=as_json)
        if not verdict.promoted:
            raise Refused(f"the candidate is worse; {target} stays as it is")
        promotion.promote(candidate, target, current)
    click.echo(f"promoted: {target}", err=True)
    if settings.classifier_model_path not in (None, target):
        click.echo(f"but CLASSIFIER_MODEL_PATH names {settings.classifier_model_path}, which stays in use", err=True)


def _learn_relations(settings: Settings, told: Sequence[Label], intents: Embedder) -> None:
    """Fits the head of the relations anew where people have corrected some, and takes it into use if it is no worse."""
    if settings.embedding_model or not any(label.relation for label in told):
        return
    from classifier.learning.relation_promotion import learn
    from engine import bootstrap

    target = bootstrap.trained_relations(settings)
    encoders = bootstrap.relation_encoders(bootstrap.bundled_encoder(settings), intents=intents)
    learnt = learn(told, encoders, target)
    figures = f"{learnt.labels} corrected relations; macro-F1 on left-out dialogues {learnt.before:.3f}, "
    kept = f"promoted: {target}" if learnt.promoted else f"worse, {target.name} stays as it is"
    click.echo(f"{figures}with them {learnt.after:.3f}; {kept}", err=True)


def _current(settings: Settings, embedder: Embedder) -> Artifact | None:
    """The artifact in use, or None where it is refused."""
    from classifier.linear.artifact import ArtifactError, read_artifact
    from engine import bootstrap

    try:
        return read_artifact(bootstrap.artifact_path(settings), {embedder.id: embedder.dimensions})
    except ArtifactError as error:
        click.echo(f"the artifact in use is refused: {error}", err=True)
        return None


def _print_verdict(candidate: Candidate, labels: Usable, verdict: Verdict, *, as_json: bool) -> None:
    text = f"{candidate.report.markdown()}\n\n{verdict.markdown()}"
    scores = candidate.report.scores | {"gate": verdict.to_json()}
    _print(candidate.artifact, scores, text, labels, as_json=as_json)


def _print(artifact: Artifact, scores: dict[str, Any], text: str, labels: Usable, *, as_json: bool) -> None:
    left_out = {name: getattr(labels.selection, name) for name in (*_LEFT_OUT, "alone")}
    used, fitted = len(labels.memory), len(labels.rows)
    if as_json:
        print_json({"artifact": artifact.id, "labels": used, "fitted": fitted, "left_out": left_out, **scores})
        return
    click.echo(text)
    click.echo(f"{artifact.id}: {used} labels, {fitted} of them fitted; left out: {left_out}", err=True)


@click.command()
@click.option(
    "--artifact",
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="The artifact to route by.",
)
@click.option("--texts", is_flag=True, help="Print the messages too.")
@json_option
def replay(artifact: Path, texts: bool, as_json: bool) -> None:
    """Route stored sessions again under another artifact and print what would change."""
    found = run(_replay(settings_for_command(), artifact))
    if as_json:
        print_json(found.to_json(texts=texts))
    else:
        click.echo(found.table(texts=texts))


async def _replay(settings: Settings, path: Path) -> Replayed:
    from classifier.linear.artifact import ArtifactError
    from engine import bootstrap
    from engine.routing.replay import replay_sessions
    from engine.routing.router import ArtifactSource

    embedder, threshold = bootstrap.training_embedder(settings), settings.classifier_confidence_threshold
    source = ArtifactSource(lambda: path, embedder, threshold)
    try:
        layer2 = source.layer(source.read(path))
    except ArtifactError as error:
        raise ConfigurationError(str(error)) from error
    store = bootstrap.open_store(settings)
    try:
        return await replay_sessions(store, bootstrap.build_prefixes(), layer2)
    finally:
        await layer2.close()
        await store.close()
