"""The quickstart's lines run as they stand and print what stands below them; so does the Python of the other pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Service, environment
from tests.forked import ROOT

DOCS = ROOT / "docs"


def sections() -> list[tuple[str, str]]:
    """The page's headings, each with what stands below it."""
    parts = re.split(r"^## (.*)$", (DOCS / "quickstart.md").read_text("utf-8"), flags=re.MULTILINE)[1:]
    return [pair for pair in zip(parts[::2], parts[1::2], strict=True) if "```console" in pair[1]]


def steps(text: str) -> list[tuple[str, str]]:
    """The lines of a section that are typed, each with what it is said to print."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, printed = step.partition("\n")
            found.append((line, printed))
    return found


def pattern(printed: str) -> str:
    """What a page says that is printed, as a regular expression; how words are parted does not matter."""
    return ".*".join(re.escape(" ".join(part.split())) for part in printed.split("..."))


@pytest.mark.parametrize(("title", "text"), sections())
def test_what_is_typed_prints_what_the_page_says(title: str, text: str, guide: Path, service: Service) -> None:
    if "curl" in text and shutil.which("curl") is None:
        pytest.skip("no curl here: install it to run these lines")
    here = {
        "ENGINE_GRPC_ADDRESS": service.address,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for line, printed in steps(text):
        done = subprocess.run(
            ["sh", "-c", line.replace("127.0.0.1:8080", service.web)],
            cwd=ROOT,
            env=environment(guide) | here,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
        assert done.returncode == 0, f"{title}: {line}: {done.stderr}"
        assert re.search(pattern(printed), " ".join(done.stdout.split())), f"{title}: {line}: {done.stdout}"


def test_there_is_something_to_type() -> None:
    assert sum(len(steps(text)) for _, text in sections()) >= 10


@pytest.mark.parametrize("page", ["callers/python.md", "callers/openai.md"])
def test_the_python_of_a_page_answers(page: str, service: Service) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / page).read_text("utf-8"), re.DOTALL)
    here = code.replace("127.0.0.1:50051", service.address).replace("127.0.0.1:8080", service.web)
    assert here != code
    done = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert "addVar creates" in done.stdout
