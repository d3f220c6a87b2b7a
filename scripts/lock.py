"""Writes requirements.lock and those for developing and for the site: exact versions with hashes, no addresses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
#: Required by what is installed, but never used here: 36 MB. zstandard compresses what LangSmith's client uploads;
#: hf-xet speeds up downloads by huggingface-hub, which tokenizers only asks for what is named by its repository.
LEFT_OUT = ("hf-xet", "zstandard")
_COMPILE = (
    *("-m", "uv", "pip", "compile", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-header", "--no-emit-index-url", "--quiet", "--upgrade"),
    *(option for name in LEFT_OUT for option in ("--no-emit-package", name)),
)
_PROJECT = ("pyproject.toml", "--extra", "build")


def main() -> None:
    """Locks what running needs first; what developing needs agrees with it."""
    for what in (
        (*_PROJECT, "-o", "requirements.lock"),
        (*_PROJECT, "--extra", "dev", "-c", "requirements.lock", "-o", "requirements-dev.lock"),
        ("--group", "docs", "-o", "requirements-docs.lock"),
    ):
        subprocess.run([sys.executable, *_COMPILE, *what], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
