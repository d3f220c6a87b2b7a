from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from classifier.decision import QueryType
from classifier.training.augmentation import COPY_WEIGHT, copies, forms
from classifier.training.dataset import Row
from classifier.training.perturbation import KINDS, variant
from classifier.training.seed import shipped_rows


def rows(count: int = 300, language: str = "en") -> list[Row]:
    return [
        Row(f"what would the answer number {place} be about", "RETRIEVAL", language, f"family {place}", "domain")
        for place in range(count)
    ]


def test_two_thirds_of_the_rows_have_a_copy() -> None:
    assert 170 <= len(copies(rows())) <= 230


def test_a_copy_stands_on_its_row_s_side_of_every_split() -> None:
    written = {row.family: row for row in rows()}
    for copy in copies(rows()):
        row = written[copy.family]
        assert (copy.label, copy.language, copy.domain, copy.register) == (
            row.label, row.language, row.domain, row.register,
        )  # fmt: skip


def test_a_copy_counts_less_than_its_row() -> None:
    assert {copy.weight for copy in copies(rows())} == {COPY_WEIGHT}
    heavy = [Row(f"one more question {place}", "PLATFORM", "en", "f", "d", weight=2.0) for place in range(30)]
    assert {copy.weight for copy in copies(heavy)} == {2.0 * COPY_WEIGHT}


def test_copies_depend_on_the_text_alone() -> None:
    few, many = copies(rows(100)), copies(list(reversed(rows(300))))
    assert few == copies(rows(100))
    assert {copy.text for copy in few} <= {copy.text for copy in many}


def test_no_copy_reads_as_its_row() -> None:
    written = {row.text for row in rows()}
    same = [copy for copy in copies(rows()) if copy.text in written]
    assert len(same) <= 5  # a doubled letter may be swapped with itself


@pytest.mark.parametrize("language", ["en", "es", "other"])
def test_wrapped_copies_keep_every_word(language: str) -> None:
    kept = [copy for copy in copies(rows(language=language)) if "the answer number" in copy.text]
    assert len(kept) > 80


def test_courtesies_are_in_the_language_of_the_row() -> None:
    spanish = " ".join(copy.text for copy in copies(rows(language="es")))
    english = " ".join(copy.text for copy in copies(rows()))
    assert "Mil gracias" in spanish
    assert "Cheers" not in spanish
    assert "Cheers" in english


def test_commands_name_every_type_and_change_no_label() -> None:
    found = copies(rows(600))
    named = Counter(kind for copy in found for kind in QueryType if str(kind) in copy.text)
    assert set(named) == set(QueryType)
    assert {copy.label for copy in found} == {"RETRIEVAL"}


def test_what_is_practised_is_not_what_is_measured() -> None:
    practised = {copy.text for copy in copies(rows(600))}
    for kind in ("please", "greeting", "thanks", "command_classify", "command_route"):
        assert kind in KINDS
        measured = {variant(row, kind, seed).text for row in rows(600) for seed in range(3)}
        assert not practised & measured


def test_braces_and_broken_text_survive() -> None:
    odd = [Row(f"{{}} {{0}} %s \ud800 {place}", "CODE_GENERATION", "en", "f", "d") for place in range(30)]
    assert len(copies(odd)) > 10
    assert all("%s" in copy.text or len(copy.text) >= 8 for copy in copies(odd))


def test_nothing_comes_of_nothing() -> None:
    assert copies([]) == []


def test_the_shipped_rows_have_copies_of_every_label() -> None:
    labels = Counter(copy.label for copy in copies(shipped_rows()))
    assert set(labels) == {*QueryType, "OUT_OF_SCOPE"}
    assert min(labels.values()) > 1000


def test_each_row_has_one_form_that_says_the_same(small_rows: Sequence[Row]) -> None:
    made = forms(small_rows)
    assert len(made) == len(small_rows)
    for row, form in zip(small_rows, made, strict=True):
        assert (form.label, form.language, form.family, form.domain) == (
            row.label,
            row.language,
            row.family,
            row.domain,
        )
        assert form.weight == pytest.approx(row.weight * COPY_WEIGHT)
        assert abs(len(form.text) - len(row.text)) <= 8


def test_forms_are_of_every_kind_and_the_same_every_time(small_rows: Sequence[Row]) -> None:
    made = forms(small_rows)
    assert made == forms(small_rows)
    assert forms(small_rows[3:]) == made[3:]
    changed = [form.text for row, form in zip(small_rows, made, strict=True) if form.text != row.text]
    assert any(text.isupper() for text in changed)
    assert any(text.islower() for text in changed)
    assert any(text.istitle() for text in changed)
