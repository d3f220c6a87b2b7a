import dataclasses
import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import classifier.linear.artifact
from classifier.linear.artifact import RETRAIN, Artifact, ArtifactError, Weights, read_artifact, write_artifact
from classifier.linear.card import Card
from classifier.linear.memory import Memory

MakeArtifact = Callable[..., Artifact]
MakeWeights = Callable[..., Weights]
MakeCard = Callable[..., Card]
Members = dict[str, bytes]


def members_of(path: Path) -> Members:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def pack(path: Path, members: Members, *, resign: bool = True) -> Path:
    """Writes members as an artifact; `resign` gives the card the right sha256, so that a later check has to refuse."""
    if resign and "card.json" in members:
        arrays = {name: content for name, content in members.items() if name != "card.json"}
        card = json.loads(members["card.json"])
        card["weights_sha256"] = classifier.linear.artifact._digest(arrays)
        members = {**members, "card.json": json.dumps(card).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def npy(array: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=allow_pickle)
    return file.getvalue()


def refused(path: Path, reason: str, embedders: dict[str, int] | None = None) -> None:
    with pytest.raises(ArtifactError, match=reason) as caught:
        read_artifact(path, embedders)
    assert str(path) in str(caught.value)
    assert caught.value.path == path
    assert caught.value.reason in str(caught.value)


@pytest.fixture
def good(make_artifact: MakeArtifact) -> Path:
    path = make_artifact((1, 2, 3, 4, 5)).path
    assert path is not None
    return path


def remembering(weights: Weights) -> Weights:
    told = Memory.of(np.eye(2, 5, dtype=np.float32), ["PLATFORM", "RETRIEVAL"], np.ones(2, bool))
    return dataclasses.replace(weights, memory=told)


class TestMemory:
    def test_it_reads_back_and_changes_the_name(
        self, make_artifact: MakeArtifact, make_weights: MakeWeights, tmp_path: Path
    ) -> None:
        plain = make_artifact()
        made = write_artifact(tmp_path / "told.npz", plain.card, remembering(make_weights()))
        assert made.weights.memory.to_array().tolist() == [[3, 1, 1, 0, 0, 0, 0], [0, 1, 0, 1, 0, 0, 0]]
        assert made.id != plain.id
        assert len(made.forgetful().weights.memory) == len(plain.weights.memory) == 0

    def test_where_nothing_is_remembered_nothing_is_written(self, good: Path) -> None:
        assert "remembered.npy" not in members_of(good)

    @pytest.mark.parametrize(
        ("array", "reason"),
        [
            (np.zeros(4, np.float32), r"its array remembered has shape \(4,\), not a line a message"),
            (np.zeros((1, 1), np.float32), "too few columns"),
            (np.full((1, 5), 4, np.float32), "a type that is none"),
            (np.full((1, 5), np.nan, np.float32), "holds NaN"),
        ],
    )
    def test_what_is_none_is_refused(self, good: Path, array: np.ndarray, reason: str) -> None:
        refused(pack(good, members_of(good) | {"remembered.npy": npy(array)}), reason)


class TestGood:
    def test_it_reads_back(self, make_artifact: MakeArtifact) -> None:
        made = make_artifact((1, 2, 3, 4, 5), date="2026-02-01")
        assert made.path is not None
        again = read_artifact(made.path, {"counting": 32})
        assert again.id == made.id
        assert again.card == made.card
        assert again.weights.embedding_bias.tolist() == [1, 2, 3, 4, 5]
        assert again.weights.spelling.to_json() == made.weights.spelling.to_json()

    def test_half_precision_is_close_enough(
        self, tmp_path: Path, make_card: MakeCard, make_weights: MakeWeights
    ) -> None:
        sparse = np.random.default_rng(0).normal(size=make_weights().sparse.shape).astype(np.float32)
        weights = dataclasses.replace(make_weights(), sparse=sparse)
        read = write_artifact(tmp_path / "a.npz", make_card(), weights).weights.sparse
        assert read.dtype == np.float32
        assert np.abs(read - sparse).max() < 0.01

    def test_the_same_model_is_the_same_bytes(
        self, tmp_path: Path, make_card: MakeCard, make_weights: MakeWeights
    ) -> None:
        first = write_artifact(tmp_path / "a.npz", make_card(), make_weights())
        second = write_artifact(tmp_path / "b.npz", make_card(), make_weights())
        assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
        assert first.id == second.id
        assert first.id.startswith("linear-")

    def test_another_model_has_another_id(self, make_artifact: MakeArtifact) -> None:
        ids = {make_artifact(bias, margin=margin).id for bias in ((0,) * 5, (1,) * 5) for margin in (0.1, 0.2)}
        assert len(ids) == 4

    def test_numpy_reads_its_arrays_too(self, good: Path) -> None:
        with np.load(good, allow_pickle=False) as arrays:
            assert arrays["embedding_bias"].tolist() == [1, 2, 3, 4, 5]

    def test_it_is_readable_by_others(self, good: Path) -> None:
        assert good.stat().st_mode & 0o777 == 0o644


class TestWriting:
    def test_the_one_before_is_kept(self, tmp_path: Path, make_artifact: MakeArtifact) -> None:
        first = make_artifact((1, 0, 0, 0, 0))
        second = make_artifact((0, 1, 0, 0, 0))
        third = make_artifact((0, 0, 1, 0, 0))
        assert third.path is not None
        assert read_artifact(third.path).id == third.id
        assert read_artifact(tmp_path / "made.npz.previous").id == second.id != first.id

    def test_nothing_else_is_left_behind(self, tmp_path: Path, make_artifact: MakeArtifact) -> None:
        make_artifact()
        make_artifact()
        assert sorted(path.name for path in tmp_path.iterdir()) == ["made.npz", "made.npz.previous"]

    def test_folders_are_made(self, tmp_path: Path, make_card: MakeCard, make_weights: MakeWeights) -> None:
        path = tmp_path / "new" / "folder" / "m.npz"
        assert write_artifact(path, make_card(), make_weights()).path == path

    def test_a_failed_rename_leaves_the_old_one(
        self, good: Path, make_card: MakeCard, make_weights: MakeWeights, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = good.read_bytes()

        def fail(*_: object) -> None:
            raise OSError("no space left")

        monkeypatch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="no space"):
            write_artifact(good, make_card(), make_weights((9, 9, 9, 9, 9)))
        assert good.read_bytes() == before
        assert [path.name for path in good.parent.iterdir()] == [good.name]


class TestFiles:
    def test_missing(self, tmp_path: Path) -> None:
        refused(tmp_path / "nowhere.npz", "cannot be read")

    def test_empty(self, tmp_path: Path) -> None:
        (tmp_path / "a.npz").touch()
        refused(tmp_path / "a.npz", "is empty")

    @pytest.mark.parametrize("content", [b"x", b"PK\x03\x04", b"\x00" * 5000, b"not a model at all\n" * 50])
    def test_junk(self, tmp_path: Path, content: bytes) -> None:
        (tmp_path / "a.npz").write_bytes(content)
        refused(tmp_path / "a.npz", "junk, truncated or damaged")

    @pytest.mark.parametrize("part", [0.01, 0.5, 0.9, 0.999])
    def test_truncated(self, good: Path, part: float) -> None:
        content = good.read_bytes()
        good.write_bytes(content[: int(len(content) * part)])
        refused(good, "junk, truncated or damaged")

    def test_damaged_in_the_middle(self, good: Path) -> None:
        content = bytearray(good.read_bytes())
        for place in range(200, 240):
            content[place] ^= 0xFF
        good.write_bytes(bytes(content))
        refused(good, ".")

    def test_pickle_by_content(self, tmp_path: Path) -> None:
        (tmp_path / "a.npz").write_bytes(pickle.dumps({"weights": [1, 2]}))
        refused(tmp_path / "a.npz", f"is a pickle, which is never loaded; retrain with `{RETRAIN}`")

    @pytest.mark.parametrize("name", ["model.pkl", "model.PKL", "model.pickle", "model.joblib"])
    def test_pickle_by_name(self, tmp_path: Path, name: str) -> None:
        refused(tmp_path / name, f"pickle by its name.*`{RETRAIN}`")  # even where there is no such file

    def test_symbolic_link(self, tmp_path: Path, good: Path) -> None:
        (tmp_path / "link.npz").symlink_to(good)
        refused(tmp_path / "link.npz", "symbolic link")

    def test_directory(self, tmp_path: Path) -> None:
        refused(tmp_path, "is a directory")

    def test_pipe(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.npz")
        refused(tmp_path / "pipe.npz", "not a regular file")

    def test_too_large(self, good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(classifier.linear.artifact, "MOST_BYTES", 100)
        refused(good, "more than 100 bytes")

    def test_zip_bomb(self, tmp_path: Path, good: Path) -> None:
        members = members_of(good) | {"sparse.npy": b"\x00" * (65 * 1024 * 1024)}
        path = pack(tmp_path / "bomb.npz", members, resign=False)
        assert path.stat().st_size < 1024 * 1024
        refused(path, "declares more than")

    def test_bomb_that_lies_about_its_size(self, tmp_path: Path, good: Path) -> None:
        path = pack(tmp_path / "liar.npz", members_of(good))
        content = path.read_bytes()
        size = len(members_of(good)["sparse.npy"]).to_bytes(4, "little")
        assert size in content
        path.write_bytes(content.replace(size, (1000).to_bytes(4, "little")))
        refused(path, ".")


class TestContents:
    def change(self, good: Path, **members: bytes | None) -> Path:
        inside = members_of(good)
        for name, content in members.items():
            full = "card.json" if name == "card" else f"{name}.npy"
            if content is None:
                del inside[full]
            else:
                inside[full] = content
        return pack(good, inside)

    def card(self, good: Path, **changes: object) -> Path:
        document = json.loads(members_of(good)["card.json"]) | changes
        return self.change(good, card=json.dumps(document).encode())

    def test_wrong_sha256(self, good: Path) -> None:
        inside = members_of(good)
        inside["embedding_bias.npy"] = npy(np.zeros(5, np.float32))
        refused(pack(good, inside, resign=False), "do not have the sha256")

    def test_object_array(self, good: Path) -> None:
        array = np.empty(5, dtype=object)
        refused(self.change(good, sparse_bias=npy(array, allow_pickle=True)), "of type object")

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    def test_no_number(self, good: Path, value: float) -> None:
        bias = np.asarray([0, 1, value, 3, 4], np.float32)
        refused(self.change(good, embedding_bias=npy(bias)), "embedding_bias holds NaN or infinity")

    @pytest.mark.parametrize("shape", [(4,), (6,), (5, 1), (), (0,)])
    def test_wrong_shape(self, good: Path, shape: tuple[int, ...]) -> None:
        refused(self.change(good, sparse_bias=npy(np.zeros(shape, np.float32))), "sparse_bias has shape")

    @pytest.mark.parametrize("kind", ["<f8", "<i4", "<U3", "<c8", "?"])
    def test_wrong_type(self, good: Path, kind: str) -> None:
        refused(self.change(good, sparse_bias=npy(np.zeros(5, kind))), "not of floats")

    def test_header_that_promises_more_than_there_is(self, good: Path) -> None:
        whole = npy(np.zeros(5, np.float32))
        refused(self.change(good, sparse_bias=whole[:-4]), "cut short")

    def test_header_that_promises_the_moon(self, good: Path) -> None:
        header = npy(np.zeros(5, np.float32)).replace(b"(5,), }         ", b"(5000000000,), }")
        refused(self.change(good, sparse_bias=header), "sparse_bias")

    @pytest.mark.parametrize("content", [b"", b"junk", b"\x93NUMPY\x09\x00", b"\x93NUMPY\x01\x00\x04\x00{bad"])
    def test_no_array_at_all(self, good: Path, content: bytes) -> None:
        refused(self.change(good, mix=content), "array mix is not in NumPy's format")

    def test_fortran_order(self, good: Path) -> None:
        array = np.asfortranarray(np.zeros((3, 2), np.float32))
        refused(self.change(good, mix=npy(array)), "format 1.0")

    def test_wrong_dimensions(self, good: Path) -> None:
        refused(self.card(good, dimensions=64), "embedding has shape")

    def test_wrong_classes(self, good: Path) -> None:
        refused(self.card(good, classes=["YES", "NO"]), "its classes are YES, NO")

    def test_future_format(self, good: Path) -> None:
        refused(self.card(good, format=99), "is of format 99, this version reads 2")

    def test_no_card(self, good: Path) -> None:
        refused(self.change(good, card=None), "does not hold exactly")

    def test_card_that_is_no_json(self, good: Path) -> None:
        inside = members_of(good) | {"card.json": b"format: 1"}
        refused(pack(good, inside, resign=False), "card is not JSON")

    def test_missing_member(self, good: Path) -> None:
        refused(self.change(good, mix=None), "does not hold exactly")

    def test_further_member(self, good: Path) -> None:
        refused(self.change(good, payload=b"x"), "does not hold exactly")

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_member_twice(self, good: Path) -> None:
        with zipfile.ZipFile(good, "a") as archive:
            archive.writestr("mix.npy", npy(np.zeros((3, 2), np.float32)))
        refused(good, "does not hold exactly")

    @pytest.mark.parametrize("content", [b"{}", b"[]", b'{"version": 1, "common": {"en": 1}, "known": ""}'])
    def test_spelling_that_is_none(self, good: Path, content: bytes) -> None:
        refused(self.change(good, spelling=npy(np.frombuffer(content, np.uint8))), "spelling cannot be read")

    def test_unknown_embedder(self, good: Path) -> None:
        refused(good, "was trained for the embedder counting, at hand is other", {"other": 32})

    def test_embedder_of_other_dimensions(self, good: Path) -> None:
        refused(good, "counting has 64", {"counting": 64})
