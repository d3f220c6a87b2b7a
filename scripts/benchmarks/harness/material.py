"""What is measured with: the questions, the indexed guide, a folder that goes at the end."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scripts.benchmarks.harness.children import ROOT, command, environment

GOLDEN = ROOT / "examples" / "golden" / "avap.jsonl"
_SEED = ROOT / "classifier" / "data" / "seed"
_GUIDE = ROOT / "examples" / "avap"


@dataclass(frozen=True, slots=True)
class Resolution:
    """Shared by the subjects of one run.

    Attributes:
        folder: Temporary; gone after the run.
        quick: Less of everything.
        addresses: Of real servers, by the variable that names them; those that are not there are left out.
    """

    folder: Path
    quick: bool
    addresses: Mapping[str, str] = field(default_factory=dict)

    def fresh(self, name: str) -> Path:
        """A new empty folder."""
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.folder))

    def guide(self) -> Path:
        """A data folder of its own with the AVAP guide in its index and no session."""
        made = self.folder / "guide"
        if not made.exists():
            log = self.folder / "guide.log"
            with log.open("wb") as stream:
                words = command("engine", "index", str(_GUIDE))
                subprocess.run(words, cwd=self.folder, env=environment(made), stdout=stream, stderr=stream, check=True)
        copy = self.fresh("data")
        shutil.copytree(made, copy, dirs_exist_ok=True)
        return copy


def golden_queries() -> list[str]:
    """The questions of the golden set."""
    return [json.loads(line)["query"] for line in GOLDEN.read_text("utf-8").splitlines() if line.strip()]


def seed_queries(type_: str) -> list[str]:
    """Distinct questions of a type, shuffled the same way each time: none meets the embedder's memo twice."""
    lines = (_SEED / f"{type_.lower()}.jsonl").read_text("utf-8").splitlines()
    texts = sorted({json.loads(line)["text"] for line in lines if line.strip()})
    random.Random(7).shuffle(texts)
    return texts
