"""From rows and labels to a promoted artifact: fits a candidate and its shadow, asks the gate, renames."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from classifier.decision import Query
from classifier.embedder import Embedder
from classifier.learning.agreement import remember
from classifier.learning.gate import Verdict, compare, measure, read_tolerances, served_macro_f1
from classifier.learning.labels import LABEL, Label, Selection, select, text_key, to_rows
from classifier.linear.artifact import Artifact, ArtifactError, read_artifact, write_artifact
from classifier.linear.card import LANGUAGES
from classifier.linear.layer import OTHER_LANGUAGE, LinearLayer
from classifier.linear.memory import Memory
from classifier.linear.scoring import as_remembered, read_all
from classifier.training.dataset import Row, digest
from classifier.training.embedding_cache import KnownEmbedder
from classifier.training.fit import Report, train_rows
from classifier.training.seed import counts, is_held_out


@dataclass(frozen=True, slots=True)
class Usable:
    """Labels that a training takes.

    Attributes:
        rows: What more than one person stands behind: the heads are fitted to it.
        memory: What layer 2 is to remember.
        selection: Where it comes from, and what was left out.
    """

    rows: tuple[Row, ...] = ()
    memory: Memory = field(default_factory=Memory.empty)
    selection: Selection = field(default_factory=lambda: Selection(()))


@dataclass(frozen=True, slots=True)
class Candidate:
    """A freshly fitted artifact that does not serve yet.

    Attributes:
        report: Of its training.
        shadow: The same with heads that were fitted without the held-out families.
        held: The rows of those families.
    """

    report: Report
    shadow: Artifact
    held: tuple[Row, ...]

    @property
    def artifact(self) -> Artifact:
        """What would serve."""
        return self.report.artifact


def usable_labels(
    labels: Sequence[Label], rows: Sequence[Row], current: Artifact | None, embedder: Embedder, *, lone: bool = False
) -> Usable:
    """What a training takes of labels.

    A label on a text that the seed has is left out whatever it says: the seed is changed in the seed. One in another
    language than English or Spanish is left out too, by the judgement of the artifact in use: layer 2 is silent there.

    Args:
        labels: As they were exported.
        rows: The seed.
        current: The artifact in use; None takes each label's own language.
        embedder: Of layer 2.
        lone: What one principal alone says is remembered too, where layer 2 is not sure of another type.
    """
    written = {text_key(row.text) for row in rows}
    selection = select([label for label in labels if label.key not in written], counts(rows))
    spoken = _spoken(selection.labels, current)
    if not spoken:
        return Usable(selection=selection)
    vectors = embedder.embed_queries(as_remembered([label.text for label in spoken]))
    unwanted = _contradicting(spoken, current, embedder) if lone else [True] * len(spoken)
    memory, vouched = remember(spoken, vectors, unwanted, embedder.unrelated)
    return Usable(tuple(to_rows(vouched)), memory, replace(selection, alone=len(spoken) - len(memory)))


def _contradicting(labels: Sequence[Label], current: Artifact | None, embedder: Embedder) -> list[bool]:
    """Whether the artifact in use, without what it remembers, is sure of another type than each label says."""
    if current is None:
        return [False] * len(labels)
    opinions = LinearLayer(current.forgetful(), embedder).decide_many([Query(label.text) for label in labels])
    return [opinion.type not in (None, label.type) for opinion, label in zip(opinions, labels, strict=True)]


def _spoken(labels: Sequence[Label], current: Artifact | None) -> list[Label]:
    """Labels in English and Spanish, each with its language as the artifact in use reads it."""
    if current is None or not labels:
        return list(labels)
    languages = read_all([label.text for label in labels], current.weights).languages
    other = LANGUAGES.index("other")
    known = np.delete(languages, other, axis=1).argmax(axis=1)
    return [
        replace(label, language=LANGUAGES[known[place]])
        for place, label in enumerate(labels)
        if languages[place, other] < OTHER_LANGUAGE
    ]


def fit(rows: Sequence[Row], labels: Usable, embedder: Embedder, folder: Path, date: str = "") -> Candidate:
    """Fits a candidate on all rows, and its shadow without the held-out families; both are written to `folder`.

    Raises:
        DatasetError: There are too few rows.
    """
    report = train_rows([*rows, *labels.rows], embedder, folder / "candidate.npz", date, labels.memory)
    shadow = report.without(_is_held_out, report.artifact, folder / "shadow.npz")
    return Candidate(report, shadow, tuple(row for row in rows if _is_held_out(row)))


def _is_held_out(row: Row) -> bool:
    """Whether promotions are judged by a row; never by a label: nobody could teach to the test."""
    return row.register != LABEL and is_held_out(row.family)


def judge(
    candidate: Candidate, current: Artifact | None, target: Path, rows: Sequence[Row], embedder: Embedder
) -> Verdict:
    """What the gate says of a candidate.

    Args:
        current: The artifact in use; None when none is usable: then it is compared with the seed alone.
        target: Where promoted artifacts are; the shadow of the one in use stands beside it.
        rows: The seed.
    """
    known = KnownEmbedder(embedder)
    shadow, notes = _current_shadow(candidate, current, target, rows, known)
    mine = measure(candidate.shadow, known, candidate.held)
    theirs = mine if shadow.id == candidate.shadow.id else measure(shadow, known, candidate.held)
    served = served_macro_f1(candidate.artifact, known, candidate.held)
    return compare(mine, theirs, served, read_tolerances(), notes)


def promote(candidate: Candidate, target: Path, current: Artifact | None) -> Artifact:
    """Puts the candidate in the place of the artifact in use, by rename; the one before is kept beside it.

    Its shadow is written first: an artifact that serves has one to be compared by.
    """
    shadow = candidate.shadow
    write_artifact(shadow_path(target, candidate.artifact.id), shadow.card, shadow.weights)
    promoted = write_artifact(target, candidate.artifact.card, candidate.artifact.weights)
    keep = {shadow_path(target, entry.id) for entry in (promoted, current) if entry is not None}
    for path in target.parent.glob(f"{target.stem}.*.shadow.npz"):
        if path not in keep:
            path.unlink(missing_ok=True)
    return promoted


def shadow_path(target: Path, artifact_id: str) -> Path:
    """Where the shadow of a promoted artifact is."""
    return target.with_name(f"{target.stem}.{artifact_id}.shadow.npz")


def _current_shadow(
    candidate: Candidate, current: Artifact | None, target: Path, rows: Sequence[Row], embedder: Embedder
) -> tuple[Artifact, list[str]]:
    """What stands for the artifact in use, and what has to be said about it."""
    if current is not None:
        try:
            path = shadow_path(target, current.id)
            return read_artifact(path, {embedder.id: embedder.dimensions}), []
        except ArtifactError:
            pass  # it was not promoted here: the shipped one, or one that was put there by hand
    seeded = current is not None and current.card.training_sha256 == digest(rows)
    shadow = _seed_shadow(candidate, current if seeded else None, rows, embedder)
    if seeded:
        return shadow, []
    what = "no artifact is in use" if current is None else f"{current.id} was fitted on other rows than the seed given"
    return shadow, [f"Note: {what}; the candidate is compared with a training on that seed alone."]


def _seed_shadow(candidate: Candidate, base: Artifact | None, rows: Sequence[Row], embedder: Embedder) -> Artifact:
    """The shadow of `base`, a training on the seed alone; None: of one that is done here."""
    if candidate.artifact.card.training_sha256 == digest(rows):
        return candidate.shadow.forgetful()  # the same training on the same rows
    with tempfile.TemporaryDirectory(prefix="shadow-") as folder:
        base = base or train_rows(rows, embedder, Path(folder) / "seed.npz").artifact
        return candidate.report.without(
            lambda row: row.register == LABEL or is_held_out(row.family), base, Path(folder) / "shadow.npz"
        )
