"""From rows and labels to a promoted artifact."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from classifier.decision import QueryType
from classifier.learning.labels import Label, Provenance
from classifier.learning.promotion import Candidate, Usable, fit, judge, promote, shadow_path, usable_labels
from classifier.linear.artifact import read_artifact
from classifier.linear.memory import Memory
from classifier.training.dataset import Row, digest
from classifier.training.seed import is_held_out


def label(text: str, type_: QueryType = QueryType.PLATFORM, principal: str = "p", session: str = "s") -> Label:
    return Label(text, type_, Provenance.CORRECTED, principal, session, language="en")


@pytest.fixture(scope="module")
def rows(small_rows: list[Row]) -> list[Row]:
    """The small set with a family for each topic, so that held-out families look like the others."""
    return [Row(row.text, row.label, row.language, f"{row.label} {row.domain}", row.domain) for row in small_rows]


@pytest.fixture(scope="module")
def candidate(rows: list[Row], tmp_path_factory: pytest.TempPathFactory) -> Candidate:
    from tests.unit.classifier.conftest import CountingEmbedder

    return fit(rows, Usable(), CountingEmbedder(), tmp_path_factory.mktemp("fit"), "2026-11-21")


def test_labels_of_texts_in_the_seed_are_left_out_whatever_they_say(rows: list[Row], embedder: Any) -> None:
    given = [label(rows[0].text.upper()), label("a text of its own")]
    found = usable_labels(given, rows, None, embedder, lone=True)
    assert len(found.memory) == 1
    assert [entry.text for entry in found.selection.labels] == ["a text of its own"]


def test_no_labels_are_no_rows(rows: list[Row], embedder: Any) -> None:
    found = usable_labels([], rows, None, embedder)
    assert (found.rows, len(found.memory)) == ((), 0)


def test_labels_in_another_language_are_left_out_by_the_artifact_in_use(
    rows: list[Row], candidate: Candidate, embedder: Any
) -> None:
    texts = ["how much of the storage of tokens have i used", "сколько запросов осталось"]
    given = [label(text, principal=principal) for text in texts for principal in ("p", "q")]
    found = usable_labels(given, [*rows, *rows], candidate.artifact, embedder)
    assert "сколько запросов осталось" not in {row.text for row in found.rows}


def test_the_heads_are_fitted_to_what_two_people_say_and_what_one_says_is_remembered(
    rows: list[Row], candidate: Candidate, embedder: Any
) -> None:
    given = [
        label("my bill for bananas today", QueryType.CONVERSATIONAL, "p"),
        label("my bill for bananas now", QueryType.CONVERSATIONAL, "q", "t"),
        label("flumber wobbleton", QueryType.CONVERSATIONAL, "r", "u"),
    ]
    found = usable_labels(given, rows, candidate.artifact, embedder, lone=True)
    assert {row.text for row in found.rows} == {one.text for one in given[:2]}
    assert sorted(found.memory.vouched.tolist()) == [False, True, True]
    strict = usable_labels(given, rows, candidate.artifact, embedder)
    assert (strict.memory.vouched.tolist(), strict.selection.alone) == ([True, True], 1)


def test_what_was_remembered_before_does_not_speak_for_a_lone_label(
    rows: list[Row], embedder: Any, make_artifact: Any
) -> None:
    sure, text = make_artifact((5, 0, 0, 0, 0)), "tell the harbour how many tokens remain"
    told = Memory.of(embedder.embed([text]), ["PLATFORM"], np.ones(1, bool))
    known = replace(sure, weights=replace(sure.weights, memory=told))
    found = usable_labels([label(text)], rows, known, embedder, lone=True)
    assert (len(found.memory), found.selection.alone) == (0, 1)
    agreeing = [label(text, QueryType.RETRIEVAL)]
    agreed = usable_labels(agreeing, rows, known, embedder, lone=True)
    assert (len(agreed.memory), agreed.rows, agreed.selection.alone) == (1, (), 0)
    assert len(usable_labels(agreeing, rows, known, embedder).memory) == 0


def test_what_is_remembered_stands_in_the_candidate_and_its_shadow(
    rows: list[Row], embedder: Any, tmp_path: Path
) -> None:
    told = Memory.of(embedder.embed(["flumber the falcon"]), ["PLATFORM"], np.ones(1, bool))
    made = fit(rows, Usable(memory=told), embedder, tmp_path)
    for artifact in (made.artifact, made.shadow, read_artifact(tmp_path / "candidate.npz")):
        assert len(artifact.weights.memory) == 1
    assert made.artifact.forgetful().weights.memory.recall(told.vectors) == [None]
    seen = judge(made, None, tmp_path / "model.npz", rows, embedder)
    assert seen.promoted, seen.markdown()


def test_a_candidate_is_fitted_on_all_and_its_shadow_on_what_is_kept(rows: list[Row], candidate: Candidate) -> None:
    assert candidate.artifact.card.training_sha256 == digest(rows)
    assert candidate.shadow.card.rows == sum(not is_held_out(row.family) for row in rows)
    assert {row.family for row in candidate.held} == {row.family for row in rows if is_held_out(row.family)}


def test_a_shadow_is_the_candidate_but_for_heads_that_no_held_out_row_has_a_part_in(
    rows: list[Row], candidate: Candidate, embedder: Any, tmp_path: Path
) -> None:
    serving, shadow = candidate.artifact, candidate.shadow
    assert not np.array_equal(shadow.weights.sparse, serving.weights.sparse)
    assert np.array_equal(shadow.weights.mix, serving.weights.mix)
    assert shadow.card.thresholds == serving.card.thresholds
    turned = [replace(row, label="PLATFORM") if is_held_out(row.family) else row for row in rows]
    other = fit(turned, Usable(), embedder, tmp_path)
    for name in ("sparse", "sparse_bias", "embedding", "embedding_bias"):
        assert np.array_equal(getattr(other.shadow.weights, name), getattr(shadow.weights, name))
    assert not np.array_equal(other.artifact.weights.sparse, serving.weights.sparse)


def test_labels_are_fitted_to_on_both_sides_and_judge_nothing(
    rows: list[Row], candidate: Candidate, embedder: Any, tmp_path: Path
) -> None:
    told = [Row(f"flumber the {at}", "PLATFORM", "en", f"session {at}", f"session {at}", "label") for at in range(12)]
    assert any(is_held_out(row.family) for row in told)
    made = fit(rows, Usable(rows=tuple(told)), embedder, tmp_path)
    assert made.held == candidate.held
    assert made.shadow.card.rows == candidate.shadow.card.rows + len(told)
    target = tmp_path / "model.npz"
    with_labels, without = (judge(one, candidate.artifact, target, rows, embedder) for one in (made, candidate))
    assert [entry.current for entry in with_labels.criteria[:2]] == [entry.current for entry in without.criteria[:2]]


def test_the_same_training_is_promoted_over_nothing_and_over_itself(
    rows: list[Row], candidate: Candidate, embedder: Any, tmp_path: Path
) -> None:
    target = tmp_path / "model.npz"
    first = judge(candidate, None, target, rows, embedder)
    assert first.promoted, first.markdown()
    assert "no artifact is in use" in first.markdown()
    promoted = promote(candidate, target, None)
    assert promoted.id == candidate.artifact.id
    again = judge(candidate, promoted, target, rows, embedder)
    assert again.promoted
    assert again.notes == ()


def test_an_artifact_of_other_rows_is_said_to_be_one(
    rows: list[Row], candidate: Candidate, embedder: Any, tmp_path: Path
) -> None:
    seen = judge(candidate, candidate.artifact, tmp_path / "model.npz", rows, embedder)
    assert seen.notes == ()  # the shipped one: fitted on the seed alone, and without a shadow beside it
    fewer = judge(candidate, candidate.artifact, tmp_path / "model.npz", rows[:-1], embedder)
    assert "was fitted on other rows than the seed given" in fewer.notes[0]


def test_a_promotion_keeps_the_one_before_and_its_shadow_only(candidate: Candidate, tmp_path: Path) -> None:
    target = tmp_path / "model.npz"
    stale = shadow_path(target, "linear-old")
    stale.write_bytes(b"x")
    first = promote(candidate, target, None)
    assert not stale.exists()
    before = target.read_bytes()
    promote(candidate, target, first)
    assert (tmp_path / "model.npz.previous").read_bytes() == before
    assert read_artifact(target).id == candidate.artifact.id
    assert read_artifact(shadow_path(target, first.id)).id == candidate.shadow.id
