"""Writes requirements.lock and requirements-dev.lock: exact versions with hashes, for every platform, no addresses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_COMPILE = (
    *("-m", "uv", "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-header", "--no-emit-index-url", "--quiet", "--upgrade", "--extra", "build"),
)


def main() -> None:
    """Locks what running needs first; what developing needs agrees with it."""
    for extra in (
        ("-o", "requirements.lock"),
        ("--extra", "dev", "-c", "requirements.lock", "-o", "requirements-dev.lock"),
    ):
        subprocess.run([sys.executable, *_COMPILE, *extra], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
