"""The README's Python runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import Service

README = Path(__file__).resolve().parents[2] / "README.md"


def test_the_python_of_the_readme_prints_an_answer(service: Service) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    assert "127.0.0.1:50051" in code
    here = code.replace("127.0.0.1:50051", service.address)
    done = subprocess.run([sys.executable, "-c", here], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "addVar" in done.stdout
