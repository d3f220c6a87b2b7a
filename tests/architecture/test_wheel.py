"""The distribution: what is in it, and that the committed stubs are what the .proto file gives."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in listed.stdout.splitlines():
        if (
            name.split("/")[0] in ("engine", "classifier", "pyproject.toml", "README.md", "LICENSE")
            and (ROOT / name).exists()
        ):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, source / name)
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            str(folder),
            str(source),
        ],
        check=True,
    )
    (wheel,) = folder.glob("*.whl")
    assert wheel.name.startswith("assistance_engine-")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_top_level_names_are_engine_and_classifier(names: list[str]) -> None:
    top = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert top == {"engine", "classifier"}


@pytest.mark.parametrize(
    "needed",
    [
        "engine/models/multilingual-e5-small/lower.onnx",
        "engine/models/multilingual-e5-small/tokenizer.json",
        "engine/models/multilingual-e5-small/words.q4",
        "engine/models/multilingual-e5-small/LICENSE",
        "engine/v1/engine_pb2.pyi",
        "engine/py.typed",
        "engine/web/static/index.html",
        "engine/web/static/highlight/js.js",
        "engine/web/static/highlight/LICENSE",
        "classifier/data/classifier_model.npz",
        "classifier/data/prefixes.json",
        "classifier/data/seed/platform.jsonl",
        "classifier/data/dialogues/en.jsonl",
    ],
)
def test_the_wheel_carries(names: list[str], needed: str) -> None:
    assert needed in names


def test_no_proto_and_no_test_is_in_the_wheel(names: list[str]) -> None:
    assert [name for name in names if name.endswith(".proto") or name.startswith("tests")] == []


def test_generating_the_stubs_changes_nothing() -> None:
    subprocess.run([sys.executable, "scripts/generate_stubs.py", "--check"], cwd=ROOT, check=True)
