"""What is written for Node: the VS Code extension, built, linted, tested and packaged, and the page on gRPC in Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import Service
from tests.forked import ROOT

EXTENSION = ROOT / "examples" / "vscode"
pytestmark = [
    pytest.mark.backends,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("npm") is None, reason="no npm here: install Node.js 20 or newer and npm"),
]


def run(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The extension with its packages, beside a copy of what it takes from the repository."""
    root = tmp_path_factory.mktemp("repository")
    left = shutil.ignore_patterns("node_modules", "out", "*.vsix")
    folder = shutil.copytree(EXTENSION, root / "examples" / "vscode", ignore=left)
    shutil.copytree(ROOT / "proto", root / "proto")
    shutil.copyfile(ROOT / "LICENSE", root / "LICENSE")
    installed = run(folder, "npm", "ci", "--no-audit", "--no-fund")
    if installed.returncode and re.search(r"ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN", installed.stderr):
        pytest.skip("the registry of npm cannot be reached")
    assert installed.returncode == 0, installed.stderr
    return folder


def test_the_extension_has_no_lint_and_its_client_works_with_a_running_engine(
    extension: Path, service: Service
) -> None:
    linted = run(extension, "npm", "run", "lint")
    assert linted.returncode == 0, linted.stdout
    tested = run(extension, "npm", "test", TEST_ENGINE_ADDRESS=service.address)
    assert tested.returncode == 0, tested.stdout
    assert "# skipped 0" in tested.stdout or "skipped 0" in tested.stdout
    assert int(re.findall(r"pass (\d+)", tested.stdout)[-1]) >= 11


def test_it_is_packaged_with_all_that_it_needs_and_nothing_else(extension: Path) -> None:
    packaged = run(extension, "npm", "run", "package")
    assert packaged.returncode == 0, packaged.stdout + packaged.stderr
    (package,) = extension.glob("*.vsix")
    with zipfile.ZipFile(package) as opened:
        names = set(opened.namelist())
        described = json.loads(opened.read("extension/package.json"))
    assert {"extension/out/engine.proto", "extension/out/src/extension.js", "extension/media/panel.js"} <= names
    assert f"extension/{described['main'].removeprefix('./')}" in names
    assert any(name.startswith("extension/node_modules/@grpc/grpc-js/") for name in names)
    assert not [name for name in names if name.endswith((".ts", ".map")) or name.startswith("extension/out/test")]
    assert not any("node_modules/typescript/" in name or "node_modules/eslint/" in name for name in names)
    assert package.stat().st_size < 5_000_000


def test_its_lock_names_no_address() -> None:
    locked = json.loads((EXTENSION / "package-lock.json").read_text("utf-8"))
    assert [name for name, package in locked["packages"].items() if "resolved" in package] == []
    assert all("integrity" in package for name, package in locked["packages"].items() if name)


def test_the_page_on_node_runs_as_it_stands(extension: Path, service: Service, tmp_path: Path) -> None:
    (code,) = re.findall(r"```js\n(.*?)```", (ROOT / "docs/callers/node.md").read_text("utf-8"), re.DOTALL)
    assert "127.0.0.1:50051" in code
    (tmp_path / "ask.cjs").write_text(code.replace("127.0.0.1:50051", service.address), "utf-8")
    done = run(ROOT, "node", str(tmp_path / "ask.cjs"), NODE_PATH=str(extension / "node_modules"))
    assert done.returncode == 0, done.stderr
    assert "addVar creates" in done.stdout
    assert "variables.md" in done.stdout
