"""The card of the encoder: what each file beside it is, and what made it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def enter_vector(folder: Path, key: str, vector: NDArray[np.float32], changes: str, data: str) -> None:
    """Writes `key`.npy beside the encoder and what it is into the card; `scripts/tuning/<key>.py` has made it."""
    path = folder / f"{key}.npy"
    np.save(path, vector.astype(np.float32), allow_pickle=False)
    enter(path, key, {"changes": changes, "data": data}, f"{key}.py", ("onnxruntime", "numpy"))


def enter(file: Path, key: str, entry: dict[str, Any], script: str, parts: Sequence[str]) -> None:
    """Writes what a file beside the encoder is into the card there.

    Args:
        file: It is written already.
        key: Of the entry.
        script: What made it, beside this module.
        parts: Packages whose versions are told.
    """
    path = file.with_name("card.json")
    card = json.loads(path.read_text(encoding="utf-8"))
    content = file.read_bytes()
    card["sha256"][file.name], card["bytes"][file.name] = hashlib.sha256(content).hexdigest(), len(content)
    versions = {part: metadata.version(part) for part in parts}
    card[key] = entry | {"exporter": f"scripts/tuning/{script}", "versions": versions}
    path.write_text(json.dumps(card, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
