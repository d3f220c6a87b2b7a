from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from classifier.head_files import HeadError, write_arrays
from classifier.linear.features import COLUMNS
from classifier.relation.features import MEASURES, Told, grams
from classifier.relation.head import RelationHead
from classifier.relation.relations import Relation

ORDER = (Relation.FOLLOW_UP, Relation.STANDS_ALONE)
WIDTH = 2 + len(Relation) + MEASURES + 3


def told(text: str, *vector: float) -> Told:
    logits = np.zeros(len(Relation), np.float32)
    return Told(text, (), np.array(vector, np.float32), logits, np.zeros(3, np.float32))


def head(**more: object) -> RelationHead:
    weights = np.zeros((2, WIDTH), np.float32)
    weights[0, 0] = weights[1, 1] = 0.4
    given = {
        "encoder": "e",
        "relations": ORDER,
        "mean": np.array([0.5, 0], np.float32),
        "weights": weights,
        "bias": np.array([0, 0.1], np.float32),
        "grams": np.zeros((COLUMNS, 2), np.float32),
    }
    return RelationHead(**{**given, **more})  # type: ignore[arg-type]


def test_the_likeliest_relation_with_its_probability() -> None:
    reader = head()
    reading = reader.read(told("x", 1.5, 0))
    assert reading.relation is Relation.FOLLOW_UP
    assert reading.confidence == pytest.approx(1 / (1 + np.exp(0.1 - 2)), abs=1e-4)
    assert reader.read(told("x", 0.5, 0)).relation is Relation.STANDS_ALONE


def test_words_count() -> None:
    table = np.zeros((COLUMNS, 2), np.float32)
    found = grams("and that?")
    shared = np.isin(found.columns, grams("Who is Ada").columns)
    table[found.columns[~shared], 0] = np.sign(found.values[~shared])
    reader = head(grams=table)
    assert reader.read(told("and that?", 0.5, 0)).relation is Relation.FOLLOW_UP
    assert reader.read(told("Who is Ada", 0.5, 0)).relation is Relation.STANDS_ALONE


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    table = np.zeros((COLUMNS, 2), np.float32)
    table[grams("and that?").columns] = (0.5, -0.25)
    written = head(grams=table)
    written.save(tmp_path / "head.npz")
    read = RelationHead.load(tmp_path / "head.npz", "e")
    assert (read.grams == table).all()
    for text in ("and that?", "Who is Ada?"):
        assert read.read(told(text, 0.2, 0.4)) == written.read(told(text, 0.2, 0.4))


def test_a_head_for_another_encoder_is_refused_with_what_to_do(tmp_path: Path) -> None:
    head().save(tmp_path / "head.npz")
    with pytest.raises(HeadError, match=r"vectors of e, not of other: fit .* -m scripts.fitting.relations"):
        RelationHead.load(tmp_path / "head.npz", "other")


@pytest.mark.parametrize(
    "more",
    [
        {"weights": np.zeros((2, 3), np.float32)},
        {"weights": np.zeros((3, WIDTH), np.float32)},
        {"bias": np.zeros(3, np.float32)},
        {"mean": np.array([np.nan, 0], np.float32)},
        {"mean": np.zeros((2, 1), np.float32)},
        {"weights": np.full((2, WIDTH), np.inf, np.float32)},
    ],
)
def test_arrays_that_do_not_fit_are_refused(tmp_path: Path, more: dict[str, object]) -> None:
    head(**more).save(tmp_path / "head.npz")
    with pytest.raises(HeadError, match="not of the expected form"):
        RelationHead.load(tmp_path / "head.npz", "e")


def stored(path: Path, names: list[str], columns: list[int], width: int = 2) -> None:
    arrays = {"mean": np.zeros(2), "weights": np.zeros((2, WIDTH)), "bias": np.zeros(2)}
    write_arrays(path, "e", names, {**arrays, "columns": np.array(columns), "grams": np.zeros((len(columns), width))})


@pytest.mark.parametrize("columns", [[-1], [COLUMNS], [5, COLUMNS + 7]])
def test_a_column_outside_the_hash_is_refused(tmp_path: Path, columns: list[int]) -> None:
    stored(tmp_path / "head.npz", [str(one) for one in ORDER], columns)
    with pytest.raises(HeadError, match="not of the expected form"):
        RelationHead.load(tmp_path / "head.npz", "e")


def test_words_for_another_number_of_relations_are_refused(tmp_path: Path) -> None:
    stored(tmp_path / "head.npz", [str(one) for one in ORDER], [1, 2], width=3)
    with pytest.raises(HeadError, match="not of the expected form"):
        RelationHead.load(tmp_path / "head.npz", "e")


def test_a_relation_that_there_is_not_is_refused(tmp_path: Path) -> None:
    stored(tmp_path / "head.npz", ["follow_up", "gossip"], [])
    with pytest.raises(HeadError, match="names a relation that there is not"):
        RelationHead.load(tmp_path / "head.npz", "e")


@pytest.mark.parametrize("content", [b"", b"junk", b"PK\x03\x04broken"])
def test_a_file_that_is_no_head_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "head.npz").write_bytes(content)
    with pytest.raises(HeadError, match="cannot be read"):
        RelationHead.load(tmp_path / "head.npz", "e")
