"""What an install brings: all that is required, but for what is left out on purpose and never imported."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts.lock import LEFT_OUT

ROOT = Path(__file__).resolve().parents[3]


def locked(name: str) -> dict[str, str]:
    """The versions of a lock file by package, with the markers it gives."""
    text = (ROOT / name).read_text("utf-8")
    return {canonicalize_name(found[1]): found[2] for found in re.finditer(r"^([\w.-]+)==(\S+)", text, re.MULTILINE)}


def required(name: str) -> set[str]:
    """What a package needs here to be imported; nothing where it is for another platform."""
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return set()
    needed = [Requirement(line) for line in lines]
    return {canonicalize_name(one.name) for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})}


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_nothing_is_lacking_but_what_is_left_out(name: str) -> None:
    packages = locked(name)
    lacking = {need for package in packages for need in required(package)} - packages.keys()
    assert lacking <= set(LEFT_OUT)
    assert not packages.keys() & set(LEFT_OUT)


def test_what_is_left_out_is_still_required_by_something() -> None:
    assert {need for package in locked("requirements.lock") for need in required(package)} >= set(LEFT_OUT)


def test_what_is_left_out_is_not_missed() -> None:
    names = [name.replace("-", "_") for name in LEFT_OUT]
    code = (
        f"import sys; sys.modules.update(dict.fromkeys({names!r}))\n"
        "import engine.bootstrap, engine.web.server, engine.generation.ollama.chat, engine.retrieval.elastic.index\n"
        "import langsmith.client, tokenizers, httpx, langgraph.graph"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
