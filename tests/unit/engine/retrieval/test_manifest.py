from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import ConfigurationError
from engine.retrieval.manifest import MANIFEST, SCHEMA_VERSION, Manifest, check_manifest, mend, read_manifest
from engine.testing import HashedWordsEmbedder

HERE = Manifest("g-1", "model-a", 384, SCHEMA_VERSION)


def test_it_speaks_of_the_embedder() -> None:
    manifest = Manifest.for_embedder(HashedWordsEmbedder(16), "g-7")
    assert manifest == Manifest("g-7", "hashed-words-16", 16, SCHEMA_VERSION)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    HERE.write(tmp_path / MANIFEST)
    assert read_manifest(tmp_path / MANIFEST) == HERE


def test_people_can_read_it(tmp_path: Path) -> None:
    HERE.write(tmp_path / MANIFEST)
    text = (tmp_path / MANIFEST).read_text()
    assert json.loads(text)["embedder"] == "model-a"
    assert text.count("\n") > 4


def test_none_is_none(tmp_path: Path) -> None:
    assert read_manifest(tmp_path / MANIFEST) is None
    assert read_manifest(tmp_path / "no folder" / MANIFEST) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"generation": "g-1"}',
        b'{"generation": "g-1", "embedder": "e", "dimensions": "many", "schema": 1}',
        b"\xff\xfe\x00",
    ],
)
def test_a_damaged_one_is_named_with_its_mend(tmp_path: Path, content: bytes) -> None:
    (tmp_path / MANIFEST).write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"MANIFEST\.json is damaged") as refusal:
        read_manifest(tmp_path / MANIFEST)
    assert "assistance-engine index --rebuild" in str(refusal.value)


@pytest.mark.parametrize("generation", ["../elsewhere", "/etc", "a/b", ""])
def test_it_cannot_lead_out_of_its_folder(tmp_path: Path, generation: str) -> None:
    Manifest(generation, "e", 1, 1).write(tmp_path / MANIFEST)
    if generation:
        with pytest.raises(ConfigurationError, match="outside its folder"):
            read_manifest(tmp_path / MANIFEST)


def test_the_same_has_no_differences() -> None:
    check_manifest(Path("folder"), HERE, HERE)
    check_manifest(Path("folder"), HERE, Manifest("g-other", "model-a", 384, SCHEMA_VERSION))


@pytest.mark.parametrize(
    ("wanted", "named"),
    [
        (Manifest("g-1", "model-b", 384, SCHEMA_VERSION), ["embedder model-a instead of model-b"]),
        (Manifest("g-1", "model-a", 768, SCHEMA_VERSION), ["dimensions 384 instead of 768"]),
        (Manifest("g-1", "model-a", 384, SCHEMA_VERSION + 1), ["schema version"]),
        (Manifest("g-1", "model-b", 768, SCHEMA_VERSION), ["embedder model-a", "dimensions 384"]),
    ],
)
def test_differences_are_named_with_the_mend(wanted: Manifest, named: list[str]) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        check_manifest(Path("/some/folder"), HERE, wanted)
    message = str(refusal.value)
    assert all(part in message for part in named)
    assert "/some/folder" in message
    assert mend(Path("/some/folder")) in message
